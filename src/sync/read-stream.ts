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
import { compareRows } from '../schema/compare-rows.ts';
import type { RowComparison } from '../schema/compare-rows.ts';
import type { SourceStream } from '../streams/stream.ts';
import { createCheckpoints } from './checkpoint.ts';
import type { Checkpoints } from './checkpoint.ts';
import { beginProgress, countBatch } from './progress.ts';
import type { Progress } from './progress.ts';

/** What all streams of one run share. */
export interface RunContext {
  readonly writer: Writer;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** ms between two states of a stream at least, while rows flow. */
  readonly stateEveryMs: number;
  /** Rows of each stream after which it is cut short; null to read to the end. */
  readonly limitRows: number | null;
  /** For people: every stream keeps its own. */
  readonly progress: Progress;
}

export type StreamResult = Awaited<ReturnType<typeof readStream>>;

/** What becomes of one stream's rows on their way out. */
interface Emission extends RunContext {
  readonly checkpoints: Checkpoints;
  readonly comparison: RowComparison;
}

/**
 * Reads one stream from STARTED to COMPLETE, or, if it fails or is told to stop, to its TRACE ERROR, last safe STATE and
 * INCOMPLETE; null, which the config does not have, fails. Other streams are not touched: a failure of stdout alone is thrown.
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
  const tell = (status: StreamStatus): Promise<void> => writer.send(statusMessage(name, status, clock.now()));
  await tell('STARTED');
  /** `cut short`: as asked, and no failure. */
  let outcome: 'complete' | 'cut short' | 'failed' = 'failed';
  try {
    if (stream === null) throw missing ?? new Error(`there is no stream ${name}`);
    outcome = await emitRows(stream, selection, state, { ...run, checkpoints, comparison });
  } catch (error) {
    writer.gone.throwIfAborted();
    // once it is told to stop, whatever fails does so for that reason
    const reason: unknown = signal.aborted ? signal.reason : error;
    await writer.send(errorMessage(reason, name, clock.now()));
  }
  await writeLines(checkpoints.last(), writer);
  await warnOf(comparison.summary(), writer);
  const { rows } = run.progress.get(name) ?? { rows: 0 };
  if (outcome === 'cut short')
    await writer.warn(`${name}: cut short after ${counted(rows, 'row', 'rows')}, as asked`);
  await tell(outcome === 'complete' ? 'COMPLETE' : 'INCOMPLETE');
  return { stream: name, rows, outcome };
}

/** Emits rows, the states that cover them and where a stream stands; after 5 minutes of silence, its last state once more. */
async function emitRows(
  { name, read }: SourceStream,
  { syncMode }: Selection,
  state: StreamState | null,
  { checkpoints, comparison, writer, clock, signal, limitRows, progress }: Emission,
): Promise<'complete' | 'cut short'> {
  const { now, ticks } = clock;
  const shown = beginProgress(progress, name, now());
  const info = (words: string): Promise<void> => writer.info(`${name}: ${words}`);
  const warn = (words: string): Promise<void> => writer.warn(`${name}: ${words}`);
  let isRunning = false;
  const onWait = async ({ reason, waitMs, rateLimited }: Waiting): Promise<void> => {
    shown.waitUntilMs = now() + waitMs;
    const what = rateLimited ? "the API's rate limit is reached; resuming" : 'an attempt failed; retrying';
    await warn(`${what} in ${(waitMs / 1000).toFixed(1)} s (${reason})`);
    if (!rateLimited) return;
    await writer.send(rateLimitedMessage(name, now() + waitMs, now()));
    isRunning = false;
  };
  const heartbeat = startHeartbeat(() => writeLines(checkpoints.signOfLife(), writer), clock.after);
  try {
    for await (const batch of read({ syncMode, state, signal, now, info, warn, onWait })) {
      const { rows, total } = batch;
      if (shown.total === null && total !== undefined) await writer.send(estimateMessage(name, total, now()));
      if (!isRunning) await writer.send(statusMessage(name, 'RUNNING', now()));
      isRunning = true;
      const room = (limitRows ?? Infinity) - shown.rows;
      const isCut = rows.length > room;
      // the state of a batch covers all of its rows
      const taken = isCut ? { rows: rows.slice(0, room), state: null } : batch;
      countBatch(shown, batch, taken.rows.length, now());
      await warnOf(comparison.look(taken.rows), writer);
      const lines = checkpoints.batch(taken, now(), ticks());
      if (lines.length > 0) heartbeat.touch();
      await writeLines(lines, writer);
      signal.throwIfAborted();
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

async function warnOf(words: string | null, writer: Writer): Promise<void> {
  if (words !== null) await writer.warn(words);
}

async function writeLines(lines: Buffer | null, writer: Writer): Promise<void> {
  if (lines !== null && lines.length > 0) await writer.write(lines);
}

/** Calls `beat` after each `SILENCE_MS` without a touch, one at a time; one that fails is not told: who writes next fails too. */
function startHeartbeat(beat: () => Promise<void>, after: Clock['after']) {
  const beatOnce = (): void => void beat().then(touch, touch);
  /** Takes back the next call; null once it is stopped. */
  let cancel: (() => void) | null = after(SILENCE_MS, beatOnce);
  function touch(): void {
    cancel?.();
    cancel &&= after(SILENCE_MS, beatOnce);
  }
  const stop = (): void => {
    cancel?.();
    cancel = null;
  };
  return { touch, stop };
}
