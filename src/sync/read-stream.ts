import { duration, type Clock } from '../clock.ts';
import type { Selection } from '../config/catalog-input.ts';
import type { StreamStatus } from '../generated/protocol.generated.ts';
import type { Waiting } from '../http/request.ts';
import { SILENCE_MS } from '../limits.ts';
import {
  counted,
  errorMessage,
  estimateMessage,
  failureTypeOf,
  listed,
  quoted,
  rateLimitedMessage,
  statusMessage,
} from '../protocol/messages.ts';
import type { StreamState } from '../protocol/messages.ts';
import type { Redactor } from '../protocol/redactor.ts';
import type { Writer } from '../protocol/writer.ts';
import { scalarMember, type Row } from '../rows/row.ts';
import { slicesOf, yieldToEventLoop } from '../rows/slices.ts';
import { compareRows } from '../schema/compare-rows.ts';
import type { Batch, SourceStream } from '../streams/stream.ts';
import { createCheckpoints } from './checkpoint.ts';
import { beginProgress, countBatch, type StreamProgress } from './progress.ts';

/** What all streams of one run share. */
export interface RunContext {
  readonly writer: Writer;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly stateEveryMs: number; // minimum time between two states of a stream while rows are emitted
  readonly limitRows: number | null; // maximum number of rows of each stream; null for no limit
  readonly stateFile?: string | null; // from which the states are
  readonly progress: StreamProgress[]; // of the streams that have begun
}

interface Emission extends RunContext {
  readonly checkpoints: ReturnType<typeof createCheckpoints>;
  readonly comparison: ReturnType<typeof compareRows>;
  readonly catalogKey: ReturnType<typeof watchCatalogKey>;
  readonly shown: StreamProgress;
}

/** Set in the state of a finished full refresh; platforms take it for complete. */
const IS_COMPLETE = '__ab_full_refresh_sync_complete';

/**
 * The state to write again if the stream fails before it has one of its own, so that the next read can begin from this output; null
 * for a full refresh that starts from the beginning.
 */
function stateToKeep(
  stream: SourceStream | null,
  { syncMode }: Selection,
  state: StreamState | null,
): StreamState | null {
  const canIncrement = stream?.catalogEntry.supported_sync_modes.includes('incremental') === true;
  const isAnew = state?.[IS_COMPLETE] === true || (canIncrement && syncMode === 'full_refresh');
  return isAnew ? null : state;
}

/**
 * Reads one stream, from STARTED to COMPLETE or, if it fails or is aborted, to TRACE ERROR, the last safe STATE and INCOMPLETE. A
 * stream that is not in the config (null) fails. Other streams are not affected: only a failure of stdout is thrown. Returns the
 * final progress.
 */
export async function readStream(
  stream: SourceStream | null,
  selection: Selection,
  state: StreamState | null,
  run: RunContext,
): Promise<Readonly<StreamProgress>> {
  const { writer, clock, signal } = run;
  const { stream: name, declared, primaryKey = [], missing } = selection;
  const [key = null] = stream?.catalogEntry.source_defined_primary_key?.[0] ?? [];
  const given = stateToKeep(stream, selection, state);
  const checkpoints = createCheckpoints(name, run.redactor, given, run.stateEveryMs, clock.ticks());
  const comparison = compareRows(name, declared, key);
  const catalogKey = watchCatalogKey(name, primaryKey);
  const send = (status: StreamStatus): Promise<void> => writer.send(statusMessage(name, status, clock.now()));
  const shown = beginProgress(name, clock.now());
  run.progress.push(shown);
  await send('STARTED');
  try {
    if (stream === null) throw missing ?? new Error(`there is no stream ${name}`);
    shown.phase = await emitRows(stream, selection, state, {
      ...run,
      checkpoints,
      comparison,
      catalogKey,
      shown,
    });
  } catch (error) {
    shown.phase = signal.aborted ? 'stopped' : 'failed';
    writer.closed.throwIfAborted();
    // after an abort, every failure is a consequence of it
    const reason: unknown = signal.aborted ? signal.reason : error;
    shown.failure = failureTypeOf(reason);
    await writer.send(errorMessage(reason, name, clock.now()));
  }
  await writer.write(checkpoints.last());
  await warnOf(comparison.summary(), writer);
  await warnOf(catalogKey.warning(), writer);
  if (shown.phase === 'cut short') await writer.info(`${name}: ${cutShortText(shown)}`);
  await send(shown.phase === 'done' ? 'COMPLETE' : 'INCOMPLETE');
  return shown;
}

function cutShortText({ rows, uncovered }: StreamProgress): string {
  const repeated =
    uncovered === 0 ? '' : `. A read from the last state repeats ${counted(uncovered, 'row', 'rows')}`;
  return `stopped after ${counted(rows, 'row', 'rows')}, because of --limit-rows${repeated}`;
}

/** Emits the rows of a stream with the states that cover them, and repeats the last state after five minutes of silence. */
async function emitRows(
  { name, read }: SourceStream,
  { syncMode }: Selection,
  state: StreamState | null,
  emission: Emission,
): Promise<'done' | 'cut short'> {
  const { checkpoints, writer, clock, signal, limitRows, stateFile = null, shown } = emission;
  const given = { syncMode, state, stateFile, limitRows };
  const { now, wait: sleep } = clock;
  const info = (message: string): Promise<void> => writer.info(`${name}: ${message}`);
  const warn = (message: string): Promise<void> => writer.warn(`${name}: ${message}`);
  let isRunning = false;
  let hasEnded = false;
  const onWait = async ({ reason, waitMs, isRateLimited }: Waiting): Promise<void> => {
    shown.waitUntilMs = now() + waitMs;
    const what = isRateLimited
      ? 'the API limits the rate of requests; resuming'
      : 'an attempt failed; retrying';
    await warn(`${what} in ${duration(waitMs)} (${reason})`);
    // a page requested ahead may still wait when the read has come to its end
    if (!isRateLimited || hasEnded) return;
    await writer.send(rateLimitedMessage(name, now() + waitMs, now()));
    isRunning = false;
  };
  const heartbeat = startHeartbeat(() => writer.write(checkpoints.repeated()), clock.after);
  try {
    for await (const batch of read({ ...given, signal, now, sleep, info, warn, onWait })) {
      const { rows, total } = batch;
      if (shown.total === null && total !== undefined) await writer.send(estimateMessage(name, total, now()));
      if (!isRunning) await writer.send(statusMessage(name, 'RUNNING', now()));
      isRunning = true;
      const maxRows = (limitRows ?? Infinity) - shown.rows;
      const isLimited = rows.length > maxRows;
      // what a batch says covers all of its rows
      const wanted = isLimited ? { rows: rows.slice(0, maxRows), total, state: null } : batch;
      await emitBatch(wanted, heartbeat.touch, emission);
      if (isLimited || batch.isLimited === true) return 'cut short';
    }
    return 'done';
  } finally {
    hasEnded = true;
    heartbeat.stop();
  }
}

/** Compares and writes a batch, in slices if it is large, of which only the last one has the state. */
async function emitBatch(
  batch: Batch,
  onWrite: () => void,
  { checkpoints, comparison, catalogKey, shown, writer, clock, signal }: Emission,
): Promise<void> {
  const slices = slicesOf(batch.rows);
  for (const [index, rows] of slices.entries()) {
    const isLast = index === slices.length - 1;
    const slice = isLast ? { ...batch, rows } : { ...batch, rows, emitted: undefined, state: null };
    countBatch(shown, slice);
    catalogKey.look(rows);
    await warnOf(comparison.compare(rows), writer);
    const lines = checkpoints.batch(slice, clock.now(), clock.ticks());
    if (lines.length > 0) onWrite();
    await writer.write(lines);
    if (isLast) signal.throwIfAborted();
    else await yieldToEventLoop(signal);
  }
}

async function warnOf(message: string | null, writer: Writer): Promise<void> {
  if (message !== null) await writer.warn(message);
}

/** Calls `beat` whenever `touch` was not called for `SILENCE_MS`. A failure is ignored here: the next write fails too. */
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

/** Rows that are looked at for the key of a catalog. */
const MAX_KEYED = 1000;

/** Watches whether the key in a catalog, by which a destination merges, is in the rows of a stream. */
export function watchCatalogKey(stream: string, fields: readonly string[]) {
  const unseen = new Set(fields);
  let rows = 0;
  return {
    /** Looks at rows that are emitted. */
    look: (emitted: readonly Row[]): void => {
      if (unseen.size === 0 || rows >= MAX_KEYED) return;
      rows += emitted.length;
      for (const field of unseen)
        if (emitted.some((row) => scalarMember(row, field) !== undefined)) unseen.delete(field);
    },
    /** Returns a warning; null if there are no rows, or if some have each field. */
    warning: (): string | null => {
      if (unseen.size === 0 || rows === 0) return null;
      const key = `the primary key in the catalog, ${listed([...unseen], quoted)}, is in none of ${counted(rows, 'row', 'rows')} looked at`;
      return `${stream}: ${key}. A destination that merges by it keeps one row, or fails. Choose a field that each row has.`;
    },
  };
}
