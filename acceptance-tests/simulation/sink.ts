import { Writable } from 'node:stream';

import { createRandom } from '../sandbox/data/random.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Who reads stdout, and how it ends. */
export interface SinkPlan {
  /** ms that each write takes. */
  readonly delayMs: number;
  /** One write takes this long: the so-many-th; null for none. */
  readonly stall: { readonly write: number; readonly ms: number } | null;
  readonly end: SinkEnd;
}

export type SinkEnd =
  | { readonly kind: 'open' }
  /** The process is killed, or the reader goes away, after so many bytes. */
  | { readonly kind: 'kill' | 'gone'; readonly bytes: number }
  /** The process is killed so many bytes behind the end of the so-many-th STATE line; or before it, if negative. */
  | { readonly kind: 'kill at state'; readonly state: number; readonly bytes: number };

export type Sink = ReturnType<typeof createSink>;

const STATE = Buffer.from('{"type":"STATE"');

/**
 * The far end of stdout. Of what is written one half is taken at once, the other when the write ends, as the kernel does with a
 * full pipe: whoever changes bytes before their write has ended is found out.
 */
export function createSink(
  { delayMs, stall, end }: SinkPlan,
  seed: number,
  time: VirtualTime,
  /** Told of each write that has ended. */
  onWritten: (bytes: Buffer) => void,
) {
  const random = createRandom(seed);
  const chunks: Buffer[] = [];
  let length = 0;
  let writes = 0;
  let states = 0;
  let limit = end.kind === 'kill' || end.kind === 'gone' ? end.bytes : Number.POSITIVE_INFINITY;
  let isOver = false;

  const lookForState = (bytes: Buffer): void => {
    if (end.kind !== 'kill at state') return;
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
  };
  const write = (bytes: Buffer, _encoding: unknown, done: (error?: Error) => void): void => {
    const endWrite = (): void => {
      if (!isOver) done();
      else if (end.kind === 'gone') done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
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
    const ms = stall?.write === writes ? stall.ms : delayMs;
    if (isOver) endWrite();
    else if (ms === 0) takeRest();
    else time.after(ms, takeRest);
  };
  return {
    stdout: new Writable({ highWaterMark: 16_384, write }),
    /** What has left the process. */
    output: () => Buffer.concat(chunks),
    isKilled: () => isOver && end.kind !== 'gone',
    /** True if the reader went away. */
    isGone: () => isOver && end.kind === 'gone',
  };
}
