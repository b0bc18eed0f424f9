import { grouped } from '../protocol/messages.ts';

/** How far the rows of a stream had come at a time. */
export interface Sample {
  /** Local time, ms since the epoch. */
  readonly ms: number;
  readonly rows: number;
}

/** What the progress line shows of one stream. */
export interface StreamProgress {
  readonly name: string;
  readonly phase: 'reading' | 'done' | 'failed' | 'stopped';
  /** Rows handed out by this process. */
  readonly rows: number;
  /** Rows of the list that are behind the read, those that earlier processes handed out included. */
  readonly covered: number;
  /** Rows of the whole list, null where nobody says so. */
  readonly total: number | null;
  /** The latest created time seen, ns since the epoch. */
  readonly newest: bigint | null;
  /** The latest samples of `rows`, oldest first. */
  readonly samples: readonly Sample[];
  /** End of a wait for the API, ms since the epoch; null while nothing is waited for. */
  readonly waitUntilMs: number | null;
}

/** A piece of the line. Where there is no room for all, those that are least worth keeping go first. */
interface Part {
  readonly text: string;
  readonly worth: number;
  readonly colour: keyof typeof SGR | null;
  /** 0 to 1: the text is a bar that is so full, and may grow. */
  readonly bar: number | null;
}

const SGR = { green: 32, yellow: 33, red: 31, cyan: 36 };
const BETWEEN = ' | ';
/** Few sizes, or the bar would grow and shrink with every digit beside it. */
const BAR_SIZES = [30, 20, 10, 5];
const BAR_LEAST = 5;
/** ms over which a rate is taken. */
const RATE_MS = 10_000;
/** ms before which a rate says nothing. */
const RATE_LEAST_MS = 500;
/** Of what is never dropped, only cut. */
const NAME = Infinity;

/**
 * The progress line of the streams: bar and time left where a total is known, else rows, rate and latest created time. It is
 * never wider than `columns`, whatever they are, and holds ASCII only, so that each character is one column everywhere;
 * with `colour` there are SGR codes around some, which take no room.
 */
export function progressLine(
  streams: readonly StreamProgress[],
  columns: number,
  colour: boolean,
  nowMs: number,
): string {
  const groups = streams.map((stream) => partsOf(stream, nowMs));
  const byWorth = groups
    .flat()
    .filter(({ worth }) => worth !== NAME)
    .toSorted((a, b) => a.worth - b.worth);
  const dropped = new Set<Part>();
  const left = (): Part[][] => groups.map((parts) => parts.filter((each) => !dropped.has(each)));
  while (textOf(left(), false).length > columns) {
    const next = byWorth.shift();
    if (next === undefined) return narrowLine(streams, columns, colour, nowMs);
    dropped.add(next);
  }
  return textOf(withGrownBars(left(), columns), colour);
}

/** Where not even the names fit: one stream fewer, best one that has ended; of the last one, as much as fits. */
function narrowLine(
  streams: readonly StreamProgress[],
  columns: number,
  colour: boolean,
  nowMs: number,
): string {
  if (streams.length <= 1) return streams.map(({ name }) => name.slice(0, Math.max(0, columns))).join('');
  const ended = streams.findIndex(({ phase }) => phase !== 'reading');
  const fewer = streams.filter((_, index) => index !== (ended === -1 ? streams.length - 1 : ended));
  return progressLine(fewer, columns, colour, nowMs);
}

/** Rows per second over the last seconds; null where too little time has passed to say. */
export function rateOf({ rows, samples }: StreamProgress, nowMs: number): number | null {
  const base = samples.findLast(({ ms }) => ms <= nowMs - RATE_MS) ?? samples[0];
  if (base === undefined || nowMs - base.ms < RATE_LEAST_MS) return null;
  return ((rows - base.rows) * 1000) / (nowMs - base.ms);
}

function partsOf(stream: StreamProgress, nowMs: number): Part[] {
  const { name, phase, rows, total, waitUntilMs } = stream;
  const head = part(name, NAME, 'cyan');
  const count = part(`${grouped(rows)} ${rows === 1 ? 'row' : 'rows'}`, 80, null);
  if (phase === 'done') return [head, count, part('done', 90, 'green')];
  if (phase !== 'reading') return [head, count, part(phase, 90, phase === 'failed' ? 'red' : 'yellow')];
  const waiting =
    waitUntilMs === null ? [] : [part(`waits ${clock((waitUntilMs - nowMs) / 1000)}`, 70, 'yellow')];
  if (rows === 0 && total === null)
    return [head, ...(waiting.length > 0 ? waiting : [part('starts', 60, null)])];
  const rate = rateOf(stream, nowMs);
  const hasSpeed = rate !== null && waiting.length === 0;
  const speed = hasSpeed ? [part(`${rateText(rate)}/s`, total === null ? 38 : 20, null)] : [];
  if (total === null) return [head, count, ...speed, ...newestParts(stream), ...waiting];
  const left = total - stream.covered;
  const isTimeKnown = rate !== null && rate > 0 && left > 0 && waiting.length === 0;
  const timeLeft = isTimeKnown ? [part(`${clock(left / rate)} left`, 60, null)] : [];
  return [head, ...shareParts(stream.covered, total), ...speed, ...timeLeft, ...waiting];
}

function shareParts(covered: number, total: number): Part[] {
  const share = total > 0 ? Math.min(1, covered / total) : 1;
  return [
    { ...part(barOf(share, BAR_LEAST), 40, 'green'), bar: share },
    part(`${Math.floor(share * 100)}%`, 90, null),
    part(`${grouped(covered)} of ${grouped(total)}`, 30, null),
  ];
}

function newestParts({ newest }: StreamProgress): Part[] {
  const date = new Date(newest === null ? NaN : Number(newest / 1_000_000n));
  if (Number.isNaN(date.getTime())) return [];
  const [day, time] = date.toISOString().split('T');
  return [part(`to ${day}`, 50, null), part(`${time?.slice(0, 5)}`, 35, null)];
}

function part(text: string, worth: number, colour: Part['colour']): Part {
  return { text, worth, colour, bar: null };
}

function barOf(share: number, width: number): string {
  const full = Math.floor(share * width);
  return `[${'#'.repeat(full)}${'-'.repeat(width - full)}]`;
}

/** Bars take what room is left, all of them as much. */
function withGrownBars(groups: readonly Part[][], columns: number): Part[][] {
  const bars = groups.flat().filter(({ bar }) => bar !== null).length;
  const room = columns - textOf(groups, false).length;
  const size = BAR_SIZES.find((wanted) => (wanted - BAR_LEAST) * bars <= room) ?? BAR_LEAST;
  return groups.map((parts) =>
    parts.map((each) => (each.bar === null ? each : { ...each, text: barOf(each.bar, size) })),
  );
}

function textOf(groups: readonly Part[][], colour: boolean): string {
  const painted = ({ text, colour: name }: Part): string =>
    colour && name !== null ? `\u001B[${SGR[name]}m${text}\u001B[0m` : text;
  return groups.map((parts) => parts.map(painted).join(' ')).join(BETWEEN);
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
