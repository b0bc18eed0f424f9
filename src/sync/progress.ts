import { duration, type Clock } from '../clock.ts';
import type { FailureType } from '../generated/protocol.generated.ts';
import { writeTime, type Instant } from '../paging/instant.ts';
import { counted, grouped } from '../protocol/messages.ts';
import type { StandardError } from '../standard-streams.ts';
import type { Batch } from '../streams/stream.ts';

/** Progress of one stream; times are local, in ms since the epoch. */
export interface StreamProgress {
  readonly name: string;
  readonly startMs: number;
  phase: 'reading' | 'done' | 'cut short' | 'stopped' | 'failed'; // cut short by `limitRows`, or stopped by a signal
  rows: number; // emitted by this process
  uncovered: number; // emitted after the last state, so that a read from it repeats them
  emitted: number; // distinct rows of the list so far, by earlier processes too
  total: number | null; // rows of the whole list; null if unknown
  newest: Instant | null; // latest created time seen
  remark: string | null; // what the last line of the read says about the stream
  late: Exclude<Batch['late'], undefined> | null; // rows that appeared late; null if there are none
  failure: FailureType | null; // of a stream that has failed or was stopped
  waitUntilMs: number | null; // end of a wait for the API; null while there is none
}

const BAR_SIZE = 10; // characters
const MIN_RATE_MS = 500; // before which a rate is not meaningful
const DRAW_MS = 100; // between two drawings

export function beginProgress(name: string, startMs: number): StreamProgress {
  const nothing = {
    rows: 0,
    uncovered: 0,
    emitted: 0,
    total: null,
    newest: null,
    remark: null,
    late: null,
    failure: null,
    waitUntilMs: null,
  };
  return { name, startMs, phase: 'reading', ...nothing };
}

/** Counts a batch that is being emitted. */
export function countBatch(progress: StreamProgress, batch: Batch): void {
  progress.rows += batch.rows.length;
  progress.uncovered = batch.state === null ? progress.uncovered + batch.rows.length : 0;
  progress.emitted = batch.emitted ?? progress.emitted + batch.rows.length;
  progress.total = batch.total ?? progress.total;
  progress.newest = batch.newest ?? progress.newest;
  progress.remark = batch.remark ?? progress.remark;
  progress.late = batch.late ?? progress.late;
  progress.waitUntilMs = null;
}

/**
 * Draws the progress of a run on one line, at most ten times a second and only if it has changed, until the returned function draws
 * it for the last time. The timer does not keep the process alive. Typed characters move the cursor, so each drawing begins with a
 * carriage return.
 */
export function drawProgress(
  screen: StandardError,
  streams: readonly StreamProgress[],
  { clock }: { readonly clock: Clock },
): () => void {
  let shown = '';
  const draw = (end: '\r' | '\n'): void => {
    // a character in the last column would make some terminals wrap
    const columns = screen.columns() - 1;
    const text = progressLine(streams, columns, clock.now());
    if (text === '' || (text === shown && end === '\r')) return;
    screen.write(`\r${text.padEnd(Math.min(shown.length, columns))}${end}`);
    shown = text;
  };
  const timer = setInterval(draw, DRAW_MS, '\r').unref();
  return () => {
    clearInterval(timer);
    draw('\n');
  };
}

/** Returns the progress line, truncated to `columns`. It is ASCII only, so that each character takes one column. */
export function progressLine(streams: readonly StreamProgress[], columns: number, nowMs: number): string {
  const texts = streams.map((stream) => describe(stream, nowMs));
  return texts.join(' | ').slice(0, columns);
}

/** Returns a bar and the time left if the total is known, otherwise rows, rate and newest created time. */
function describe(stream: StreamProgress, nowMs: number): string {
  const { name, startMs, phase, rows, emitted, total, newest, waitUntilMs } = stream;
  const count = `${name} ${counted(rows, 'row', 'rows')}`;
  if (phase !== 'reading') return `${count} ${phase}`;
  const ms = nowMs - startMs;
  // a rate means nothing during a wait
  const hasRate = rows > 0 && ms >= MIN_RATE_MS && waitUntilMs === null;
  const waiting = waitUntilMs === null ? '' : ` waiting ${wholeSeconds(waitUntilMs - nowMs)}`;
  if (total !== null) {
    const left = hasRate && emitted < total ? ` ${wholeSeconds(((total - emitted) * ms) / rows)} left` : '';
    return `${name} ${barText(emitted, total)}${left}${waiting}`;
  }
  const rate = hasRate ? ` ${grouped(Math.round((rows * 1000) / ms))}/s` : '';
  const to = newest === null ? '' : ` to ${writeTime(newest, null).slice(0, 16)}`;
  return `${count}${rate}${to}${waiting}`;
}

function barText(emitted: number, total: number): string {
  const share = emitted < total ? emitted / total : 1;
  const bar = '#'.repeat(Math.floor(share * BAR_SIZE)).padEnd(BAR_SIZE, '-');
  return `[${bar}] ${Math.floor(share * 100)}%`;
}

/** Tenths of a second would flicker. */
const wholeSeconds = (ms: number): string => duration(Math.ceil(ms / 1000) * 1000);
