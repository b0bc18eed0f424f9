import { counted, grouped } from '../protocol/messages.ts';

/** How far a stream has come, and what the progress line shows of it; times are local, in ms since the epoch. */
export interface StreamProgress {
  readonly name: string;
  phase: 'reading' | 'done' | 'failed' | 'stopped';
  /** Rows handed out by this process. */
  rows: number;
  /** Rows of the list that are behind the read, those that earlier processes handed out included. */
  covered: number;
  /** Rows of the whole list, null where nobody says so. */
  total: number | null;
  /** The latest created time seen, ns since the epoch. */
  newest: bigint | null;
  /** How far `rows` had come lately, oldest first. */
  samples: readonly { readonly ms: number; readonly rows: number }[];
  /** End of a wait for the API; null while nothing is waited for. */
  waitUntilMs: number | null;
}

/** A piece of the line; a bar takes as many characters as there is room for. Those of the least worth are dropped first. */
type Part = readonly [worth: number, text: string | ((barSize: number) => string), colour: Colour | null];
type Colour = keyof typeof SGR;

const SGR = { green: 32, yellow: 33, red: 31, cyan: 36 };
const ENDS = { done: 'green', failed: 'red', stopped: 'yellow' } as const;
/** Few sizes, or the bar would grow and shrink with every digit beside it. */
const BAR_SIZES = [30, 20, 10, 5];
/** ms over which a rate is taken, and before which it says nothing. */
const RATE_MS = 10_000;
const RATE_LEAST_MS = 500;
/** Of what is never dropped, only cut. */
const NAME = Infinity;

/**
 * The progress line of the streams: bar and time left where a total is known, else rows, rate and latest created time. It is
 * never wider than `columns`, and ASCII only, so that each character is one column; SGR codes (`colour`) take no room.
 */
export function progressLine(
  streams: readonly StreamProgress[],
  columns: number,
  colour: boolean,
  nowMs: number,
): string {
  const groups = streams.map((stream) => partsOf(stream, nowMs));
  const droppable = groups.flat().filter(([worth]) => worth !== NAME);
  const byWorth = droppable.toSorted(([a], [b]) => a - b);
  for (let dropped = 0; dropped <= byWorth.length; dropped++) {
    const left = groups.map((parts) => parts.filter((each) => !byWorth.slice(0, dropped).includes(each)));
    const bar = BAR_SIZES.find((size) => textOf(left, size, false).length <= columns);
    if (bar !== undefined) return textOf(left, bar, colour);
  }
  // not even the names fit: one stream fewer, best one that has ended; of the last one, as much as fits
  if (streams.length <= 1) return streams.map(({ name }) => name.slice(0, Math.max(0, columns))).join('');
  const ended = streams.findIndex(({ phase }) => phase !== 'reading');
  return progressLine(streams.toSpliced(ended, 1), columns, colour, nowMs);
}

/** Rows per second over the last seconds; null where too little time has passed to say. */
export function rateOf({ rows, samples }: StreamProgress, nowMs: number): number | null {
  const base = samples.findLast(({ ms }) => ms <= nowMs - RATE_MS) ?? samples[0];
  if (base === undefined || nowMs - base.ms < RATE_LEAST_MS) return null;
  return ((rows - base.rows) * 1000) / (nowMs - base.ms);
}

function partsOf(stream: StreamProgress, nowMs: number): Part[] {
  const { name, phase, rows, covered, total, newest, waitUntilMs } = stream;
  const head: Part = [NAME, name, 'cyan'];
  const count: Part = [80, counted(rows, 'row', 'rows'), null];
  if (phase !== 'reading') return [head, count, [90, phase, ENDS[phase]]];
  const isWaiting = waitUntilMs !== null;
  const waiting: Part[] = isWaiting ? [[70, `waits ${clock((waitUntilMs - nowMs) / 1000)}`, 'yellow']] : [];
  if (rows === 0 && total === null) return [head, ...(isWaiting ? waiting : [[60, 'starts', null] as const])];
  // while it waits, a rate says nothing
  const rate = isWaiting ? null : rateOf(stream, nowMs);
  const speed: Part[] = rate === null ? [] : [[total === null ? 38 : 20, `${rateText(rate)}/s`, null]];
  if (total === null) return [head, count, ...speed, ...newestParts(newest), ...waiting];
  const share = total > 0 ? Math.min(1, covered / total) : 1;
  const secondsLeft = rate === null ? 0 : (total - covered) / rate;
  const isEndSeen = secondsLeft > 0 && secondsLeft < Infinity;
  const left: Part[] = isEndSeen ? [[60, `${clock(secondsLeft)} left`, null]] : [];
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

function textOf(groups: readonly Part[][], barSize: number, colour: boolean): string {
  const shown = ([, text, name]: Part): string => {
    const plain = typeof text === 'string' ? text : text(barSize);
    return colour && name !== null ? `\u001B[${SGR[name]}m${plain}\u001B[0m` : plain;
  };
  return groups.map((parts) => parts.map(shown).join(' ')).join(' | ');
}

function rateText(rate: number): string {
  return rate < 9.95 ? Math.max(0, rate).toFixed(1) : grouped(Math.round(rate));
}

/** `m:ss`, from an hour on `h:mm:ss`. */
function clock(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const [mm, ss] = [minutes, rest].map((value) => String(value).padStart(2, '0'));
  return hours > 0 ? `${grouped(hours)}:${mm}:${ss}` : `${minutes}:${ss}`;
}
