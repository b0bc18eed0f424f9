import { Writable } from 'node:stream';
import { createRandom } from '../sandbox/data/random.ts';
import type { SinkPlan } from './scenario-runs.ts';
import type { Matters } from './simulated-list.ts';
import type { VirtualTime } from './virtual-time.ts';

const STATE = Buffer.from('{"type":"STATE"');

/**
 * The reader of stdout. One half of each write is taken at once, the other half when the write ends, as the kernel does with a
 * full pipe: this reveals bytes that are changed before their write has ended. `onWritten` is called after each write.
 */
export function createSink(
  plan: SinkPlan,
  seed: number,
  time: VirtualTime,
  matters: Matters,
  onWritten: (bytes: Buffer) => void,
) {
  const { delayMs, stall, end } = plan;
  const random = createRandom(seed);
  const { chunks, take, isOver, lookForState } = createPipe(end, matters);
  let writes = 0;
  const write = (bytes: Buffer, _encoding: unknown, done: (error?: Error) => void): void => {
    const endWrite = (): void => {
      if (!isOver()) done();
      else if (end?.isKill === false) done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    };
    if (isOver()) return endWrite();
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
    if (isOver()) endWrite();
    else if (ms === 0) takeRest();
    else time.after(ms, takeRest);
  };
  return {
    stdout: new Writable({ highWaterMark: 16_384, write }),
    output: () => Buffer.concat(chunks),
    isKilled: () => isOver() && end?.isKill === true,
    isClosed: () => isOver() && end?.isKill === false,
  };
}

/** Takes bytes up to the limit at which the process is killed or the reader closes the pipe. */
function createPipe(end: SinkPlan['end'], matters: Matters) {
  const chunks: Buffer[] = [];
  let length = 0;
  let states = 0;
  let limit = end === null || end.state !== null ? Infinity : end.bytes;
  let isOver = false;
  /** Sets the limit once the STATE line that it depends on is written. */
  const lookForState = (bytes: Buffer): void => {
    if (end === null || end.state === null) return;
    for (let at = bytes.indexOf(STATE); at !== -1; at = bytes.indexOf(STATE, at + 1)) {
      if (at > 0 && bytes[at - 1] !== 0x0a) continue;
      states++;
      if (states === end.state) limit = length + bytes.indexOf('\n', at) + 1 + end.bytes;
    }
  };
  const take = (bytes: Buffer): void => {
    const taken = Buffer.from(bytes.subarray(0, Math.max(0, limit - length)));
    chunks.push(taken);
    length += taken.length;
    isOver ||= bytes.length > taken.length;
    if (isOver) matters('ending');
  };
  return { chunks, take, isOver: () => isOver, lookForState };
}
