import type { Clock } from '../clock.ts';
import { counted, grouped } from '../protocol/messages.ts';
import type { Writer } from '../protocol/writer.ts';
import type { StandardError } from '../standard-streams.ts';
import type { Batch } from '../streams/stream.ts';

/** Progress of one stream; times are local, in ms since the epoch. */
export interface StreamProgress {
  readonly name: string;
  readonly startMs: number;
  phase: 'reading' | 'done' | 'failed' | 'stopped';
  rows: number; // emitted by this process
  covered: number; // rows of the list read so far, by earlier processes too
  total: number | null; // rows of the whole list; null if unknown
  newest: bigint | null; // latest created time seen, ns since the epoch
  waitUntilMs: number | null; // end of a wait for the API; null while there is none
}

/** The streams of a run in the order in which they are shown; null for one that has not begun. */
export type Progress = Map<string, StreamProgress | null>;

const BAR_SIZE = 10; // characters
const MIN_RATE_MS = 500; // before which a rate is not meaningful
const DRAW_MS = 100; // between two drawings

/** Starts the progress of a stream. */
export function beginProgress(progress: Progress, name: string, startMs: number): StreamProgress {
  const nothing = { rows: 0, covered: 0, total: null, newest: null, waitUntilMs: null };
  const begun: StreamProgress = { name, startMs, phase: 'reading', ...nothing };
  progress.set(name, begun);
  return begun;
}

/** Counts a batch that is being emitted. */
export function countBatch(progress: StreamProgress, batch: Batch): void {
  progress.rows += batch.rows.length;
  progress.covered = batch.covered ?? progress.covered + batch.rows.length;
  progress.total = batch.total ?? progress.total;
  progress.newest = batch.newest ?? progress.newest;
  progress.waitUntilMs = null;
}

/**
 * Draws the progress of a run on one line, at most ten times a second and only if it has changed. When `signal` is aborted or the
 * returned function is called, the line is drawn for the last time, with a line feed. The timer does not keep the process alive. If
 * stdout is the same terminal, the line is erased before each write. Typed characters move the cursor, so each drawing begins with a
 * carriage return.
 */
export function drawProgress(
  screen: StandardError,
  progress: Progress,
  { writer, clock, signal }: { readonly writer: Writer; readonly clock: Clock; readonly signal: AbortSignal },
): () => void {
  const begun = (): StreamProgress[] => [...progress.values()].filter((stream) => stream !== null);
  let shown = '';
  const draw = (end: '\r' | '\n'): void => {
    // a character in the last column would make some terminals wrap
    const columns = screen.columns() - 1;
    const text = progressLine(begun(), columns, clock.now());
    if (text === '' || (text === shown && end === '\r')) return;
    screen.write(`\r${text.padEnd(Math.min(shown.length, columns))}${end}`);
    shown = text;
  };
  const erase = (): void => {
    if (shown !== '') screen.write(`\r${' '.repeat(shown.length)}\r`);
    shown = '';
  };
  const timer = setInterval(draw, DRAW_MS, '\r').unref();
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    for (const stream of begun()) if (stream.phase === 'reading') stream.phase = 'stopped';
    draw('\n');
    shown = '';
  };
  signal.addEventListener('abort', end);
  if (screen.isSharedWithStdout) writer.beforeEach(erase);
  return end;
}

/**
 * Returns the progress line: for each stream a bar and the time left if a total is known, otherwise rows, rate and newest created
 * time. Details are omitted if it would exceed `columns`. It is ASCII only, so that each character takes one column.
 */
export function progressLine(streams: readonly StreamProgress[], columns: number, nowMs: number): string {
  const [full = '', short = ''] = [true, false].map((hasDetails) =>
    streams.map((stream) => describe(stream, nowMs, hasDetails)).join(' | '),
  );
  return full.length <= columns ? full : short.slice(0, columns);
}

function describe(stream: StreamProgress, nowMs: number, hasDetails: boolean): string {
  const { name, startMs, phase, rows, covered, total, newest, waitUntilMs } = stream;
  const count = counted(rows, 'row', 'rows');
  if (phase !== 'reading') return `${name} ${count} ${phase}`;
  const waiting = waitUntilMs === null ? null : `waiting ${clockTime((waitUntilMs - nowMs) / 1000)}`;
  if (rows === 0 && total === null) return `${name} ${waiting ?? 'starting'}`;
  // a rate means nothing during a wait
  const ms = waiting === null ? nowMs - startMs : 0;
  const rate = ms < MIN_RATE_MS ? null : (rows * 1000) / ms;
  const speed = rate !== null && hasDetails ? `${grouped(Number(rate.toFixed(rate < 10 ? 1 : 0)))}/s` : null;
  const parts =
    total === null
      ? [count, speed, newestText(newest, hasDetails)]
      : [
          barText(total > 0 ? Math.min(1, covered / total) : 1),
          hasDetails ? `${grouped(covered)} of ${grouped(total)}` : null,
          speed,
          timeLeft(total - covered, rate),
        ];
  return [name, ...parts, waiting].filter((part) => part !== null).join(' ');
}

function barText(share: number): string {
  return `[${'#'.repeat(Math.floor(share * BAR_SIZE)).padEnd(BAR_SIZE, '-')}] ${Math.floor(share * 100)}%`;
}

function timeLeft(rows: number, rate: number | null): string | null {
  const seconds = rate === null ? 0 : rows / rate;
  return seconds > 0 && seconds < Infinity ? `${clockTime(seconds)} left` : null;
}

/** For example `to 2026-01-31 10:00`; null if there is no such date. */
function newestText(newest: bigint | null, hasTime: boolean): string | null {
  const date = new Date(newest === null ? NaN : Number(newest / 1_000_000n));
  if (Number.isNaN(date.getTime())) return null;
  const [day, time = ''] = date.toISOString().split('T');
  return hasTime ? `to ${day} ${time.slice(0, 5)}` : `to ${day}`;
}

/** Returns `m:ss`, or `h:mm:ss` from one hour on. */
function clockTime(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const [mm, ss] = [minutes, rest].map((value) => String(value).padStart(2, '0'));
  return hours > 0 ? `${grouped(hours)}:${mm}:${ss}` : `${minutes}:${ss}`;
}
