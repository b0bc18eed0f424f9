import { Writable } from 'node:stream';
import { createRandom } from '../sandbox/data/random.ts';
import type { SinkPlan } from './scenario-runs.ts';
import type { Matters } from './simulated-list.ts';
import type { VirtualTime } from './virtual-time.ts';

export type Sink = ReturnType<typeof createSink>;

const STATE = Buffer.from('{"type":"STATE"');

/**
 * The far end of stdout. Of what is written one half is taken at once, the other when the write ends, as the kernel does with a
 * full pipe: whoever changes bytes before their write has ended is found out. `onWritten` is told of each write that has ended.
 */
export function createSink(
  { delayMs, stall, end }: SinkPlan,
  seed: number,
  time: VirtualTime,
  matters: Matters,
  onWritten: (bytes: Buffer) => void,
) {
  const random = createRandom(seed);
  const chunks: Buffer[] = [];
  let [length, writes, states] = [0, 0, 0];
  let limit = end === null || end.state !== null ? Number.POSITIVE_INFINITY : end.bytes;
  let isOver = false;

  const lookForState = (bytes: Buffer): void => {
    if (end === null || end.state === null) return;
    for (let at = bytes.indexOf(STATE); at !== -1; at = bytes.indexOf(STATE, at + 1)) {
      if (at > 0 && bytes[at - 1] !== 0x0a) continue;
      if (++states === end.state) limit = length + bytes.indexOf('\n', at) + 1 + end.bytes;
    }
  };
  const take = (bytes: Buffer): void => {
    const taken = Buffer.from(bytes.subarray(0, Math.max(0, limit - length)));
    chunks.push(taken);
    length += taken.length;
    isOver ||= bytes.length > taken.length;
    if (isOver) matters('ending');
  };
  const write = (bytes: Buffer, _encoding: unknown, done: (error?: Error) => void): void => {
    const endWrite = (): void => {
      if (!isOver) done();
      else if (end?.isKill === false) done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    };
    if (isOver) return endWrite();
    writes++;
    lookForState(bytes);
    const half = random.below(bytes.length + 1);
    take(bytes.subarray(0, half));
    const takeRest = (): void => {
      take(bytes.subarray(half));
      onWritten(bytes);
      endWrite();
    };
    const isStalled = stall?.write === writes;
    if (isStalled) matters('writeStall');
    else if (delayMs > 0) matters('writeDelay');
    const ms = isStalled ? stall.ms : delayMs;
    if (isOver) endWrite();
    else if (ms === 0) takeRest();
    else time.after(ms, takeRest);
  };
  return {
    stdout: new Writable({ highWaterMark: 16_384, write }),
    /** What has left the process. */
    output: () => Buffer.concat(chunks),
    isKilled: () => isOver && end?.isKill === true,
    /** True if the reader went away. */
    isGone: () => isOver && end?.isKill === false,
  };
}
