import type { Clock } from '../clock.ts';
import { counted, grouped } from '../protocol/messages.ts';
import type { Writer } from '../protocol/writer.ts';
import type { StandardError } from '../standard-streams.ts';
import type { Batch } from '../streams/stream.ts';

/** Progress of one stream; times are local, in ms since the epoch. */
export interface StreamProgress {
  readonly name: string;
  phase: 'reading' | 'done' | 'failed' | 'stopped';
  rows: number; // emitted by this process
  covered: number; // rows of the list read so far, by earlier processes too
  total: number | null; // rows of the whole list; null if unknown
  newest: bigint | null; // latest created time seen, ns since the epoch
  samples: readonly { readonly ms: number; readonly rows: number }[]; // of `rows` over time, oldest first
  waitUntilMs: number | null; // end of a wait for the API; null while there is none
}

/** The streams of a run in the order in which they are shown; null for one that has not begun. */
export type Progress = Map<string, StreamProgress | null>;

/** A part of the line. The size of a bar depends on the width; parts with the lowest priority are dropped first. */
type Part = readonly [priority: number, text: string | ((barSize: number) => string), color: Color | null];
type Color = keyof typeof SGR;

const SGR = { green: 32, yellow: 33, red: 31, cyan: 36 };
const END_COLORS = { done: 'green', failed: 'red', stopped: 'yellow' } as const;
const BAR_SIZES = [30, 20, 10, 5]; // only a few, so that the bar does not resize with every digit next to it
const ALWAYS = Infinity; // priority of a part that is never dropped, only truncated
const RATE_MS = 10_000; // over which a rate is measured
const MIN_RATE_MS = 500; // before which it is not meaningful
const DRAW_MS = 100; // between two drawings
const SAMPLE_MS = 500; // minimum between two samples
const MAX_SAMPLES = 30; // more than a rate needs
const ERASE_LINE = '\u001B[K';
const ERASE_BELOW = '\u001B[J';

/** Starts the progress of a stream. */
export function beginProgress(progress: Progress, name: string, ms: number): StreamProgress {
  const nothing = { rows: 0, covered: 0, total: null, newest: null, waitUntilMs: null };
  const begun: StreamProgress = { name, phase: 'reading', ...nothing, samples: [{ ms, rows: 0 }] };
  progress.set(name, begun);
  return begun;
}

/** Counts a batch that is being emitted. */
export function countBatch(progress: StreamProgress, batch: Batch, ms: number): void {
  progress.rows += batch.rows.length;
  progress.covered = batch.covered ?? progress.covered + batch.rows.length;
  progress.total = batch.total ?? progress.total;
  progress.newest = batch.newest ?? progress.newest;
  progress.waitUntilMs = null;
  const isDue = ms - (progress.samples.at(-1)?.ms ?? -Infinity) >= SAMPLE_MS;
  if (isDue) progress.samples = [...progress.samples, { ms, rows: progress.rows }].slice(-MAX_SAMPLES);
}

/**
 * Draws the progress of a run on one line, at most ten times a second and only if it has changed. When `signal` is aborted or the
 * returned function is called, the line is drawn for the last time, with a line feed. The timer does not keep the process alive. If
 * stdout is the same terminal, the line is erased before each write.
 *
 * The cursor stays at the start of the line: if the terminal gets narrower and wraps the line, the whole old text is after the
 * cursor and can be erased. Typed characters move the cursor, so each drawing begins with a carriage return.
 */
export function drawProgress(
  screen: StandardError,
  progress: Progress,
  { writer, clock, signal }: { readonly writer: Writer; readonly clock: Clock; readonly signal: AbortSignal },
): () => void {
  const begun = (): StreamProgress[] => [...progress.values()].filter((stream) => stream !== null);
  let shown = { text: '', columns: 0 };
  const draw = (end: '\r' | '\n'): void => {
    const columns = screen.columns();
    const isResized = columns !== shown.columns;
    // a character in the last column would make some terminals wrap
    const text = progressLine(begun(), Math.max(1, columns - 1), screen.colors, clock.now());
    if (text === '' || (text === shown.text && !isResized && end === '\r')) return;
    const erased = `${isResized ? ERASE_BELOW : ERASE_LINE}${text}`;
    const line = screen.erases ? erased : text.padEnd(Math.min(shown.text.length, columns - 1));
    screen.write(`\r${line}${end}`);
    shown = { text, columns };
  };
  const erase = (): void => {
    const { text } = shown;
    if (text !== '') screen.write(screen.erases ? `\r${ERASE_BELOW}` : `\r${' '.repeat(text.length)}\r`);
    shown.text = '';
  };
  const timer = setInterval(draw, DRAW_MS, '\r').unref();
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(timer);
    for (const stream of begun()) if (stream.phase === 'reading') stream.phase = 'stopped';
    draw('\n');
    shown.text = '';
  };
  signal.addEventListener('abort', end);
  if (screen.isSharedWithStdout) writer.beforeEach(erase);
  return end;
}

/**
 * Returns the progress line: for each stream a bar and the time left if a total is known, otherwise rows, rate and newest created
 * time. It is at most `columns` wide and ASCII only, so that each character takes one column; color codes take none.
 */
export function progressLine(
  streams: readonly StreamProgress[],
  columns: number,
  color: boolean,
  nowMs: number,
): string {
  const groups = streams.map((stream) => partsOf(stream, nowMs));
  const droppable = groups.flat().filter(([priority]) => priority !== ALWAYS);
  const ascending = droppable.toSorted(([a], [b]) => a - b);
  for (let dropped = 0; dropped <= ascending.length; dropped++) {
    const kept = groups.map((parts) => parts.filter((each) => !ascending.slice(0, dropped).includes(each)));
    const bar = BAR_SIZES.find((size) => textOf(kept, size, false).length <= columns);
    if (bar !== undefined) return textOf(kept, bar, color);
  }
  // not even the names fit: drop a stream, preferably one that has ended, and truncate the name of the last one
  if (streams.length <= 1) return streams.map(({ name }) => name.slice(0, Math.max(0, columns))).join('');
  const ended = streams.findIndex(({ phase }) => phase !== 'reading');
  return progressLine(streams.toSpliced(ended, 1), columns, color, nowMs);
}

/** Returns the current rows per second; null until enough time has passed. */
export function rateOf({ rows, samples }: StreamProgress, nowMs: number): number | null {
  const base = samples.findLast(({ ms }) => ms <= nowMs - RATE_MS) ?? samples[0];
  if (base === undefined || nowMs - base.ms < MIN_RATE_MS) return null;
  return ((rows - base.rows) * 1000) / (nowMs - base.ms);
}

function partsOf(stream: StreamProgress, nowMs: number): Part[] {
  const { name, phase, rows, covered, total, newest, waitUntilMs } = stream;
  const head: Part = [ALWAYS, name, 'cyan'];
  const count: Part = [80, counted(rows, 'row', 'rows'), null];
  if (phase !== 'reading') return [head, count, [90, phase, END_COLORS[phase]]];
  const isWaiting = waitUntilMs !== null;
  const waiting: Part[] = isWaiting
    ? [[70, `waiting ${clockTime((waitUntilMs - nowMs) / 1000)}`, 'yellow']]
    : [];
  if (rows === 0 && total === null)
    return [head, ...(isWaiting ? waiting : [[60, 'starting', null] as const])];
  // a rate means nothing during a wait
  const rate = isWaiting ? null : rateOf(stream, nowMs);
  const speed: Part[] = rate === null ? [] : [[total === null ? 38 : 20, `${rateText(rate)}/s`, null]];
  if (total === null) return [head, count, ...speed, ...newestParts(newest), ...waiting];
  const share = total > 0 ? Math.min(1, covered / total) : 1;
  const secondsLeft = rate === null ? 0 : (total - covered) / rate;
  const isEndKnown = secondsLeft > 0 && secondsLeft < Infinity;
  const left: Part[] = isEndKnown ? [[60, `${clockTime(secondsLeft)} left`, null]] : [];
  return [
    head,
    [40, (size) => `[${'#'.repeat(Math.floor(share * size)).padEnd(size, '-')}]`, 'green'],
    [90, `${Math.floor(share * 100)}%`, null],
    [30, `${grouped(covered)} of ${grouped(total)}`, null],
    ...speed,
    ...left,
    ...waiting,
  ];
}

function newestParts(newest: bigint | null): Part[] {
  const date = new Date(newest === null ? NaN : Number(newest / 1_000_000n));
  if (Number.isNaN(date.getTime())) return [];
  const [day, time = ''] = date.toISOString().split('T');
  return [
    [50, `to ${day}`, null],
    [35, time.slice(0, 5), null],
  ];
}

function textOf(groups: readonly Part[][], barSize: number, color: boolean): string {
  const shown = ([, text, name]: Part): string => {
    const plain = typeof text === 'string' ? text : text(barSize);
    return color && name !== null ? `\u001B[${SGR[name]}m${plain}\u001B[0m` : plain;
  };
  return groups.map((parts) => parts.map(shown).join(' ')).join(' | ');
}

function rateText(rate: number): string {
  return rate < 9.95 ? Math.max(0, rate).toFixed(1) : grouped(Math.round(rate));
}

/** Returns `m:ss`, or `h:mm:ss` from one hour on. */
function clockTime(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const [mm, ss] = [minutes, rest].map((value) => String(value).padStart(2, '0'));
  return hours > 0 ? `${grouped(hours)}:${mm}:${ss}` : `${minutes}:${ss}`;
}
