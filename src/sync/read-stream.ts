import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Clock } from '../clock.ts';
import type { Selection } from '../config/catalog-input.ts';
import type { StreamStatus } from '../generated/protocol.generated.ts';
import type { Waiting } from '../http/request.ts';
import { SILENCE_MS } from '../limits.ts';
import {
  counted,
  errorMessage,
  estimateMessage,
  rateLimitedMessage,
  statusMessage,
} from '../protocol/messages.ts';
import type { StreamState } from '../protocol/messages.ts';
import type { Redactor } from '../protocol/redactor.ts';
import type { Writer } from '../protocol/writer.ts';
import { MEMBER } from '../rows/row.ts';
import { compareRows } from '../schema/compare-rows.ts';
import type { Batch, SourceStream } from '../streams/stream.ts';
import { createCheckpoints } from './checkpoint.ts';
import { beginProgress, countBatch } from './progress.ts';
import type { Progress, StreamProgress } from './progress.ts';

const MAX_SLICE_BYTES = 8 * 1024 * 1024; // of rows that are compared and written in one turn; most pages are smaller
const MEMBER_BYTES = 200; // that take as long as one member of a row

/** What all streams of one run share. */
export interface RunContext {
  readonly writer: Writer;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly stateEveryMs: number; // minimum time between two states of a stream while rows are emitted
  readonly limitRows: number | null; // maximum number of rows of each stream; null for no limit
  readonly progress: Progress;
}

export type StreamResult = Awaited<ReturnType<typeof readStream>>;

/** What the rows of one stream pass through on their way out. */
interface Emission extends RunContext {
  readonly checkpoints: ReturnType<typeof createCheckpoints>;
  readonly comparison: ReturnType<typeof compareRows>;
}

/**
 * Reads one stream from STARTED to COMPLETE or, if it fails or is aborted, to its TRACE ERROR, last safe STATE and INCOMPLETE;
 * null, a stream that is not in the config, fails. Other streams are not affected: only a failure of stdout is thrown.
 */
export async function readStream(
  stream: SourceStream | null,
  selection: Selection,
  state: StreamState | null,
  run: RunContext,
) {
  const { writer, clock, signal } = run;
  const { stream: name, declared, missing } = selection;
  const [key = null] = stream?.catalogEntry.source_defined_primary_key?.[0] ?? [];
  const checkpoints = createCheckpoints(name, run.redactor, run.stateEveryMs, clock.ticks());
  const comparison = compareRows(name, declared, key);
  const send = (status: StreamStatus): Promise<void> => writer.send(statusMessage(name, status, clock.now()));
  await send('STARTED');
  /** `cut short`: by `limitRows`, which is not a failure. */
  let outcome: 'complete' | 'cut short' | 'failed' = 'failed';
  try {
    if (stream === null) throw missing ?? new Error(`there is no stream ${name}`);
    outcome = await emitRows(stream, selection, state, { ...run, checkpoints, comparison });
  } catch (error) {
    writer.closed.throwIfAborted();
    // after an abort, whatever fails does so because of it
    const reason: unknown = signal.aborted ? signal.reason : error;
    await writer.send(errorMessage(reason, name, clock.now()));
  }
  await writer.write(checkpoints.last());
  await warnOf(comparison.summary(), writer);
  const { rows } = run.progress.get(name) ?? { rows: 0 };
  if (outcome === 'cut short')
    await writer.warn(`${name}: cut short after ${counted(rows, 'row', 'rows')}, as asked`);
  await send(outcome === 'complete' ? 'COMPLETE' : 'INCOMPLETE');
  return { stream: name, rows, outcome };
}

/** Emits the rows of a stream with the states that cover them; after five minutes of silence, repeats the last state. */
async function emitRows(
  { name, read }: SourceStream,
  { syncMode }: Selection,
  state: StreamState | null,
  emission: Emission,
): Promise<'complete' | 'cut short'> {
  const { checkpoints, writer, clock, signal, limitRows, progress } = emission;
  const { now } = clock;
  const shown = beginProgress(progress, name, now());
  const info = (message: string): Promise<void> => writer.info(`${name}: ${message}`);
  const warn = (message: string): Promise<void> => writer.warn(`${name}: ${message}`);
  let isRunning = false;
  const onWait = async ({ reason, waitMs, rateLimited }: Waiting): Promise<void> => {
    shown.waitUntilMs = now() + waitMs;
    const what = rateLimited ? "the API's rate limit is reached; resuming" : 'an attempt failed; retrying';
    await warn(`${what} in ${(waitMs / 1000).toFixed(1)} s (${reason})`);
    if (!rateLimited) return;
    await writer.send(rateLimitedMessage(name, now() + waitMs, now()));
    isRunning = false;
  };
  const heartbeat = startHeartbeat(() => writer.write(checkpoints.repeated()), clock.after);
  try {
    for await (const batch of read({ syncMode, state, signal, now, info, warn, onWait })) {
      const { rows, total } = batch;
      if (shown.total === null && total !== undefined) await writer.send(estimateMessage(name, total, now()));
      if (!isRunning) await writer.send(statusMessage(name, 'RUNNING', now()));
      isRunning = true;
      const room = (limitRows ?? Infinity) - shown.rows;
      const isCut = rows.length > room;
      // the state of a batch covers all of its rows
      const wanted = isCut ? { ...batch, rows: rows.slice(0, room), state: null } : batch;
      await emitBatch(wanted, shown, heartbeat.touch, emission);
      if (!isCut) continue;
      shown.phase = 'stopped';
      return 'cut short';
    }
    shown.phase = 'done';
    return 'complete';
  } finally {
    heartbeat.stop();
    if (shown.phase === 'reading') shown.phase = 'failed';
  }
}

/** Compares and writes a batch, a large one in slices: signals are handled between them. */
async function emitBatch(
  batch: Batch,
  shown: StreamProgress,
  onWrite: () => void,
  { checkpoints, comparison, writer, clock, signal }: Emission,
): Promise<void> {
  for (const slice of slicesOf(batch)) {
    countBatch(shown, slice, clock.now());
    await warnOf(comparison.look(slice.rows), writer);
    const lines = checkpoints.batch(slice, clock.now(), clock.ticks());
    if (lines.length > 0) onWrite();
    await writer.write(lines);
    if (slice !== batch) await nextTurn();
    signal.throwIfAborted();
  }
}

/** Returns the batch itself, or parts of it if it is large: only the last part has the state. */
function slicesOf(batch: Batch): readonly Batch[] {
  const slices: Batch[] = [];
  let first = 0;
  let size = 0;
  for (const [index, { start, end, firstPlace, endPlace }] of batch.rows.entries()) {
    size += end - start + (MEMBER_BYTES * (endPlace - firstPlace)) / MEMBER;
    if (size < MAX_SLICE_BYTES) continue;
    const rows = batch.rows.slice(first, index + 1);
    slices.push({ ...batch, rows, covered: undefined, state: null });
    first = index + 1;
    size = 0;
  }
  return first === 0 ? [batch] : [...slices, { ...batch, rows: batch.rows.slice(first) }];
}

async function warnOf(message: string | null, writer: Writer): Promise<void> {
  if (message !== null) await writer.warn(message);
}

/** Calls `beat` after each `SILENCE_MS` without a touch. If it fails, the next write fails too, and throws. */
function startHeartbeat(beat: () => Promise<void>, after: Clock['after']) {
  const beatOnce = (): void => void beat().then(touch, touch);
  let isStopped = false;
  let cancel = after(SILENCE_MS, beatOnce);
  function touch(): void {
    cancel();
    if (!isStopped) cancel = after(SILENCE_MS, beatOnce);
  }
  const stop = (): void => {
    isStopped = true;
    cancel();
  };
  return { touch, stop };
}
