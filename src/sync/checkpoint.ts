import { stateMessage } from '../protocol/messages.ts';
import type { StreamState } from '../protocol/messages.ts';
import { recordLines } from '../protocol/record-lines.ts';
import type { Redactor } from '../protocol/redactor.ts';
import { messageLines } from '../protocol/writer.ts';
import type { Batch } from '../streams/stream.ts';

/**
 * Bytes of lines up to which they are written into one buffer, page after page: where each page has its own, Node.js 24 spends
 * a tenth of a read on collecting them.
 */
const MOST_KEPT = 8 * 1024 * 1024;

export type Checkpoints = ReturnType<typeof createCheckpoints>;

/** Makes the lines of a stream in the order in which they must leave, with states that never run ahead of their records. */
export function createCheckpoints(stream: string, redactor: Redactor, stateEveryMs: number, startMs: number) {
  let rows = 0;
  let rowsSinceState = 0;
  let lastStateMs = startMs;
  /** The best state so far that has not been written. */
  let pending: Batch['state'] = null;
  let written: StreamState | null = null;
  let kept = Buffer.alloc(0);

  const roomFor = (length: number): Buffer => {
    if (length > MOST_KEPT) return Buffer.allocUnsafe(length);
    if (length > kept.length) kept = Buffer.allocUnsafe(length);
    return kept.subarray(0, length);
  };
  const stateLine = (state: StreamState): Buffer => {
    const line = messageLines([stateMessage(stream, state, rowsSinceState)], redactor);
    rowsSinceState = 0;
    pending = null;
    written = state;
    return line;
  };
  return {
    /** The records of a batch, and behind them its state where one is due: one write of bytes that the next call may change. */
    batch: (batch: Pick<Batch, 'rows' | 'state'>, nowMs: number): Buffer => {
      // a state leaves ahead of rows that it does not cover, or whoever goes on from it would repeat them
      const ahead =
        batch.state === null && batch.rows.length > 0 && pending !== null ? stateLine(pending()) : null;
      rows += batch.rows.length;
      rowsSinceState += batch.rows.length;
      const records = recordLines(stream, batch.rows, nowMs, roomFor);
      if (ahead !== null) return Buffer.concat([ahead, records]);
      pending = batch.state ?? pending;
      if (pending === null || nowMs - lastStateMs < stateEveryMs) return records;
      lastStateMs = nowMs;
      return Buffer.concat([records, stateLine(pending())]);
    },
    /** The last state, whatever time has passed; null if it has been written already or there is none. */
    last: (): Buffer | null => (pending === null ? null : stateLine(pending())),
    /** The last state if it has not been written, else the one that has, unchanged; null if there is none. */
    signOfLife: (): Buffer | null => {
      // not an older one than can be had: whoever goes on from it would repeat rows
      if (pending !== null) return stateLine(pending());
      return written === null ? null : stateLine(written);
    },
    /** Rows so far. */
    rows: (): number => rows,
  };
}
