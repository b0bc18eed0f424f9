import { stateMessage } from '../protocol/messages.ts';
import type { StreamState } from '../protocol/messages.ts';
import { recordLines } from '../protocol/record-lines.ts';
import type { Redactor } from '../protocol/redactor.ts';
import { messageLine } from '../protocol/writer.ts';
import type { Batch } from '../streams/stream.ts';

/** Lines of up to this size reuse one buffer: with one per page, Node.js 24 spends a tenth of a read on garbage collection. */
const MAX_SHARED_BYTES = 8 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);

export type Checkpoints = ReturnType<typeof createCheckpoints>;

/**
 * Builds the lines of a stream in the order in which they must leave, with states that never run ahead of their records. The
 * time between states is measured in `ticks`, which are monotonic although the clock may be set.
 */
export function createCheckpoints(
  stream: string,
  redactor: Redactor,
  stateEveryMs: number,
  startTicks: number,
) {
  let rowsSinceState = 0;
  let lastStateTicks = startTicks;
  /** The latest state, unless it has been written. */
  let pending: Batch['state'] = null;
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
    /** Returns the records of a batch, followed by its state if one is due, in a buffer that the next call may overwrite. */
    batch: ({ rows, state }: Pick<Batch, 'rows' | 'state'>, nowMs: number, ticks: number): Buffer => {
      // a state leaves before rows that it does not cover, or a read that resumes from it would repeat them
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
    /** Returns the last state, due or not; nothing if it has been written. */
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
