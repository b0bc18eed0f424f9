import { stateMessage } from '../protocol/messages.ts';
import type { StreamState } from '../protocol/messages.ts';
import { recordLines } from '../protocol/record-lines.ts';
import type { Redactor } from '../protocol/redactor.ts';
import { messageLines } from '../protocol/writer.ts';
import type { Batch } from '../streams/stream.ts';

/** Bytes up to which the lines of all pages share one buffer: with one each, Node.js 24 spends a tenth of a read collecting. */
const MOST_KEPT = 8 * 1024 * 1024;

export type Checkpoints = ReturnType<typeof createCheckpoints>;

/**
 * Makes the lines of a stream in the order in which they must leave, with states that never run ahead of their records. When a
 * state is due is a matter of `ticks`, which go on though the clock is set.
 */
export function createCheckpoints(
  stream: string,
  redactor: Redactor,
  stateEveryMs: number,
  startTicks: number,
) {
  let [rowsSinceState, lastStateTicks] = [0, startTicks];
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
    [rowsSinceState, pending, written] = [0, null, state];
    return line;
  };
  return {
    /** The records of a batch, and behind them its state where one is due: one write of bytes that the next call may change. */
    batch: (batch: Pick<Batch, 'rows' | 'state'>, nowMs: number, ticks: number): Buffer => {
      const { length } = batch.rows;
      // a state leaves ahead of rows that it does not cover, or whoever goes on from it would repeat them
      const ahead = batch.state === null && length > 0 && pending !== null ? stateLine(pending()) : null;
      rowsSinceState += length;
      const records = recordLines(stream, batch.rows, nowMs, roomFor);
      if (ahead !== null) return Buffer.concat([ahead, records]);
      pending = batch.state ?? pending;
      if (pending === null || ticks - lastStateTicks < stateEveryMs) return records;
      lastStateTicks = ticks;
      return Buffer.concat([records, stateLine(pending())]);
    },
    /** The last state, whatever time has passed; null if it has been written already or there is none. */
    last: (): Buffer | null => (pending === null ? null : stateLine(pending())),
    /** The last state if it has not been written, or whoever goes on would repeat rows; else the one that has, or null. */
    signOfLife: (): Buffer | null => {
      const state = pending?.() ?? written;
      return state === null ? null : stateLine(state);
    },
  };
}
