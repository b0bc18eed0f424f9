import type { Clock } from '../clock.ts';
import type { Waiting } from '../http/request-context.ts';
import { SILENCE_MS } from '../limits.ts';
import type { Log, Writer } from '../protocol/writer.ts';
import {
  errorMessage,
  estimateMessage,
  rateLimitedMessage,
  statusMessage,
  logMessage,
} from '../protocol/messages.ts';
import type { StreamState } from '../protocol/messages.ts';
import type { Selection } from '../protocol/catalog-input.ts';
import type { Redactor } from '../protocol/redactor.ts';
import { compareRows } from '../schema/compare-rows.ts';
import type { SourceStream } from '../streams/stream.ts';
import { createCheckpoints } from './checkpoint.ts';
import { startHeartbeat } from './heartbeat.ts';

/** What all streams of one run share. */
export interface RunContext {
  readonly writer: Writer;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** ms between two states of a stream at least, while rows flow. */
  readonly stateEveryMs: number;
  /** Rows of each stream after which it is cut short; null to read to the end. */
  readonly limitRows: number | null;
}

export interface StreamResult {
  readonly stream: string;
  readonly rows: number;
  readonly complete: boolean;
  /** True if it was cut short as asked: not complete, and no failure. */
  readonly isCutShort: boolean;
}

/**
 * Reads one stream from STARTED to COMPLETE, or, if it fails or is told to stop, to its TRACE ERROR, last safe STATE and
 * INCOMPLETE; other streams are not touched (protocol: STREAM_STATUS). After 5 minutes without a row or a state the last
 * state is written again. A failure of stdout itself is the only thing that is thrown.
 */
export async function readStream(
  stream: SourceStream,
  { syncMode, declared }: Selection,
  state: StreamState | null,
  run: RunContext,
): Promise<StreamResult> {
  const { writer, clock } = run;
  const { now } = clock;
  const { name } = stream;
  const checkpoints = createCheckpoints(name, run.redactor, run.stateEveryMs, now());
  const [key] = stream.catalogEntry.source_defined_primary_key?.[0] ?? [];
  const comparison = compareRows(name, declared, key ?? null);
  let running = false;
  const tellRunning = async (): Promise<void> => {
    if (!running) await writer.send(statusMessage(name, 'RUNNING', now()));
    running = true;
  };
  const onWait = async (waiting: Waiting): Promise<void> => {
    await writer.send(logMessage('WARN', waitingWords(name, waiting)));
    if (!waiting.rateLimited) return;
    await writer.send(rateLimitedMessage(name, now() + waiting.waitMs, now()));
    running = false;
  };

  await writer.send(statusMessage(name, 'STARTED', now()));
  try {
    const isCutShort = await emitAll();
    await writeLast();
    await warn(comparison.summary());
    if (isCutShort) await run.log.warn(`${name}: cut short after ${checkpoints.rows()} rows, as asked`);
    await writer.send(statusMessage(name, isCutShort ? 'INCOMPLETE' : 'COMPLETE', now()));
    return { stream: name, rows: checkpoints.rows(), complete: !isCutShort, isCutShort };
  } catch (error) {
    writer.gone.throwIfAborted();
    // once it is told to stop, whatever fails does so for that reason
    const reason: unknown = run.signal.aborted ? run.signal.reason : error;
    await writer.send(errorMessage(reason, name, now()));
    await writeLast();
    await warn(comparison.summary());
    await writer.send(statusMessage(name, 'INCOMPLETE', now()));
    return { stream: name, rows: checkpoints.rows(), complete: false, isCutShort: false };
  }

  /** True if rows were left, because no more are wanted. */
  async function emitAll(): Promise<boolean> {
    const heartbeat = startHeartbeat(SILENCE_MS, () => writeIfAny(checkpoints.signOfLife()), clock.after);
    let estimated = false;
    try {
      for await (const batch of stream.read({
        syncMode,
        state,
        signal: run.signal,
        now,
        info: run.log.info,
        warn: run.log.warn,
        onWait,
      })) {
        if (!estimated && batch.total !== undefined)
          await writer.send(estimateMessage(name, batch.total, now()));
        estimated ||= batch.total !== undefined;
        await tellRunning();
        const room = (run.limitRows ?? Number.POSITIVE_INFINITY) - checkpoints.rows();
        const isCut = batch.rows.length > room;
        // the state of a batch covers all of its rows
        const taken = isCut ? { ...batch, rows: batch.rows.slice(0, room), state: null } : batch;
        await warn(comparison.look(taken.rows));
        const lines = checkpoints.batch(taken, now());
        if (lines.length > 0) heartbeat.touch();
        await writeIfAny(lines);
        run.signal.throwIfAborted();
        if (isCut) return true;
      }
      return false;
    } finally {
      heartbeat.stop();
    }
  }

  async function writeLast(): Promise<void> {
    await writeIfAny(checkpoints.last());
  }

  async function warn(words: string | null): Promise<void> {
    if (words !== null) await run.log.warn(words);
  }

  async function writeIfAny(lines: Buffer | null): Promise<void> {
    if (lines !== null && lines.length > 0) await writer.write(lines);
  }
}

function waitingWords(stream: string, { reason, waitMs, rateLimited }: Waiting): string {
  const seconds = (waitMs / 1000).toFixed(1);
  return rateLimited
    ? `${stream}: the API's rate limit is reached; going on in ${seconds} s (${reason})`
    : `${stream}: an attempt failed, the next one follows in ${seconds} s (${reason})`;
}
