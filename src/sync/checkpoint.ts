import { stateMessage, type StreamState } from '../protocol/messages.ts';
import { recordLines } from '../protocol/record-lines.ts';
import type { Redactor } from '../protocol/redactor.ts';
import { messageLine } from '../protocol/writer.ts';
import type { Batch } from '../streams/stream.ts';

/** Lines of up to this size share one buffer: with a buffer per page, Node.js 24 spends a tenth of a read on garbage collection. */
const MAX_SHARED_BYTES = 8 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Formats the lines of a stream in the order in which they must be written: a state never precedes the records that it covers.
 * `given` is the state from which the read has begun, and its last one until it has another; null if it must not be written again.
 * Intervals between states are measured in `ticks`, which are monotonic.
 */
export function createCheckpoints(
  stream: string,
  redactor: Redactor,
  given: StreamState | null,
  stateEveryMs: number,
  startTicks: number,
) {
  let rowsSinceState = 0;
  let lastStateTicks = startTicks;
  let pending: Batch['state'] = given === null ? null : () => given; // the latest state, unless it has been written
  let written: StreamState | null = null;
  const allocate = createSharedBuffer();
  const writeState = (state: StreamState): Buffer => {
    const line = messageLine(stateMessage(stream, state, rowsSinceState), redactor);
    rowsSinceState = 0;
    pending = null;
    written = state;
    return line;
  };
  return {
    /** Returns the records of a batch, and its state if one is due, in a buffer that the next call may overwrite. */
    batch: ({ rows, state }: Pick<Batch, 'rows' | 'state'>, nowMs: number, ticks: number): Buffer => {
      // a pending state is written before rows that it does not cover: a read that resumes from it would repeat them
      const isUncovered = state === null && rows.length > 0;
      const before = isUncovered && pending !== null ? writeState(pending()) : null;
      rowsSinceState += rows.length;
      const records = recordLines(stream, rows, nowMs, allocate);
      if (before !== null) return Buffer.concat([before, records]);
      pending = state ?? pending;
      if (pending === null || ticks - lastStateTicks < stateEveryMs) return records;
      lastStateTicks = ticks;
      return Buffer.concat([records, writeState(pending())]);
    },
    /** Returns the last state, whether or not it is due; nothing if it has been written. */
    last: (): Buffer => (pending === null ? NOTHING : writeState(pending())),
    /** Returns the last state, even if it has been written. */
    repeated: (): Buffer => {
      const state = pending?.() ?? written;
      return state === null ? NOTHING : writeState(state);
    },
  };
}

/** Returns a function that allocates a buffer of at least the given length, whose content the next call may overwrite. */
function createSharedBuffer(): (length: number) => Buffer {
  let shared = NOTHING;
  return (length) => {
    if (length > MAX_SHARED_BYTES) return Buffer.allocUnsafe(length);
    if (length > shared.length) shared = Buffer.allocUnsafe(length);
    return shared;
  };
}
