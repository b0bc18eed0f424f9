import type { TimeFormat } from '../instant.ts';
import type { Limit } from '../page-size.ts';
import type { ModelConfig } from './model-reads.fake.ts';
import { DAY as DAY_NS, MINUTE as MINUTE_NS } from '../instant.ts';
import {
  FORMAT,
  UNIT,
  createModelServer,
  type ModelOrder,
  type ModelRow,
  type ModelServer,
  type ModelServerOptions,
} from './model-server.fake.ts';

/** Units for which a cursor is trusted, and for which those of a server live at least, as a response may take 9. */
export const TRUSTED = 24;
const LIFE = TRUSTED + 9;
/** Units in a minute, an hour and a day. */
export const MINUTE = Number(MINUTE_NS / UNIT);
const HOUR = 60 * MINUTE;
export const DAY = Number(DAY_NS / UNIT);

/** What is special about a world; each has a clause in docs/how-it-reads.md or docs/deviations.md. */
export const WORLD_KINDS = [
  'plain',
  'rows appear while they are read',
  'times in minutes',
  'dates',
  'times without a zone',
  'rows without a time',
  'bounds compared as texts',
  'createdSince ignored',
  'created field behind',
  'created field ahead',
  'devices offline',
  'clocks ahead for a while',
  'lagging replicas',
  'few rows in a state',
  'rows that come late',
] as const;
export type WorldKind = (typeof WORLD_KINDS)[number];

export interface World extends Choices {
  readonly kind: WorldKind;
  readonly order: ModelOrder;
  readonly lookback: number;
  readonly span: number;
  readonly server: ModelServer;
  readonly tuning: ModelConfig['tuning'];
  readonly format: TimeFormat; // of the created times
  readonly startFormat: TimeFormat; // in which a start is written
  readonly unit: number; // of the created times; 1 if they are finer
  readonly latest: number; // by which a row may appear after its created time
  readonly pageSize: Limit; // that is asked for
}

type Choices = ReturnType<typeof choicesOf>;

/** Random choices that depend on a seed only. */
export function choicesOf(seed: number) {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0;
  const random = (): number => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (min: number, max: number): number => min + Math.floor(random() * (max - min + 1));
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  return { random, between, pick, chance: (share: number): boolean => random() < share };
}

const ORDERS: readonly ModelOrder[] = [
  ...(['ascending', 'ascending', 'ascending', 'arrival', 'arrival'] as const),
  ...(['descending', 'shuffled', 'older half last'] as const),
];

/** Returns whether the created field runs ahead of the time that `createdSince` refers to. */
export function runsAhead(kind: WorldKind): boolean {
  return kind === 'created field ahead' || kind === 'clocks ahead for a while';
}

/** Returns whether the created field is behind that time. */
export function runsBehind(kind: WorldKind): boolean {
  return kind === 'created field behind' || kind === 'devices offline';
}

function ordersOf(kind: WorldKind): readonly ModelOrder[] {
  if (runsAhead(kind)) return ['ascending'];
  return kind === 'lagging replicas' ? ['ascending', 'arrival'] : ORDERS;
}

/** How times are written: seconds are finer than any unit of the model. */
const FORMATS = {
  ordinary: FORMAT,
  minutes: { ...FORMAT, seconds: false },
  dates: { ...FORMAT, separator: '', seconds: false },
  'without a zone': { ...FORMAT, zone: '' },
  'with a blank': { ...FORMAT, separator: ' ' },
  epochs: { kind: 'epoch', unit: 1_000_000_000n, fractionDigits: 0 },
} as const satisfies Readonly<Record<string, TimeFormat>>;

function formatOf(kind: WorldKind, { pick }: Choices): TimeFormat {
  if (kind === 'times in minutes') return FORMATS.minutes;
  if (kind === 'dates') return FORMATS.dates;
  if (kind === 'times without a zone') return FORMATS['without a zone'];
  return kind === 'bounds compared as texts'
    ? pick([FORMAT, FORMATS['with a blank'], FORMATS.epochs])
    : FORMAT;
}

/** Units of lists that several chains read at the same time, with many rows. */
const LONG_SPANS = [2000, 4000];

/** A list of up to 90 rows, or of several hundred: ties, equal texts, late rows, and now and then rows later than the lookback. */
export function worldOf(seed: number): World {
  const choices = choicesOf(seed);
  const { between, pick, chance } = choices;
  const kind = chance(0.3) ? 'plain' : pick(WORLD_KINDS);
  const order = pick(ordersOf(kind));
  const isInOrder = order === 'ascending' || order === 'arrival';
  const format = formatOf(kind, choices);
  const { unit, spans, lookbacks, mayBeLong } = scaleOf(kind);
  const lookback = pick(lookbacks);
  // local times fall back when daylight saving time ends
  const latest = lookback + (kind === 'times without a zone' ? HOUR : 0);
  const isLarge = isInOrder && mayBeLong && chance(0.1);
  const span = pick(isLarge ? LONG_SPANS : spans);
  const few = between(5, 90);
  const usual = isLive(kind) ? pick([few, span]) : few;
  const count = isLarge ? between(200, 500) : usual;
  const tooLate = kind === 'rows that come late' && order === 'ascending' ? 0.05 : 0;
  const late = runsAhead(kind) ? 0 : pick([0, 0.2, 0.6]);
  const rows = rowsOf(choices, { count, span, latest, late, tooLate }).map((row) =>
    shownIn(row, kind, span, unit),
  );
  const server = createModelServer({ ...behaviorIn(choices, kind, span, format), rows, order });
  const tuning = tuningOf(choices, kind, order);
  const pageSize = pick([null, server.options.pageSize]);
  const startFormat = chance(0.5) ? format : pick(Object.values(FORMATS));
  const times = { format, startFormat, unit, lookback, latest };
  return { ...choices, ...times, kind, order, span, server, tuning, pageSize };
}

function isLive(kind: WorldKind): boolean {
  return kind === 'rows appear while they are read';
}

/** How the server of a world behaves at first. */
function behaviorIn(
  { between, pick, chance }: Choices,
  kind: WorldKind,
  span: number,
  format: TimeFormat,
): Omit<ModelServerOptions, 'rows' | 'order'> {
  return {
    pageSize: between(1, 7),
    bound: pick(['inclusive', 'exclusive', 'truncated', 'rounded', 'later']),
    boundUnit: pick([1, 3, MINUTE]),
    // row numbers shift where rows come and go, which nobody can notice
    cursors: kind === 'lagging replicas' ? 'keys' : pick(['keys', 'keys', 'row numbers', 'page numbers']),
    cursorLife: pick([Infinity, Infinity, LIFE, 3 * LIFE]),
    death: pick(['refused', 'broken', 'empty', 'first page', 'first page of everything']),
    falseEnds: 0,
    refusals: 0,
    shortPages: pick([0, 0, 30]),
    mostRows: chance(0.1) ? between(2, 3) : Infinity,
    outages: pick([0, 0, 0, 0, 20]),
    refusesEmpty: false,
    ignoresBound: kind === 'createdSince ignored',
    comparesTexts: kind === 'bounds compared as texts' ? format : null,
    lag: kind === 'lagging replicas' ? pick([15, 30]) : 0,
    skew: pick([0, 0, 0, -30]),
    steps: isLive(kind) ? pick(GROWTHS) : Array.from({ length: 5 }, () => pick([0, 0, 1, 2, 9])),
    now: between(0, isLive(kind) ? pick([10, span]) : span + 60),
    maxRequests: 60_000,
  };
}

/** Units from request to request of a list that grows all the time, in turn. */
const GROWTHS = [
  [1, 2, 1, 1, 2],
  [4, 5],
];

/** How long a list is, in units, and how late its rows may appear; dates say little of a list that is shorter than some days. */
function scaleOf(kind: WorldKind) {
  const ordinary = { unit: 1, spans: [60, 150, 400, 1500], lookbacks: [0, 5, 20, 40], mayBeLong: true };
  if (isLive(kind)) return { ...ordinary, spans: [60, 150], mayBeLong: false };
  if (kind === 'times in minutes') return { ...ordinary, unit: MINUTE };
  if (kind !== 'dates') return ordinary;
  return {
    unit: DAY,
    spans: [3 * DAY, 10 * DAY, 40 * DAY],
    lookbacks: [0, 40, DAY, 2 * DAY],
    mayBeLong: false,
  };
}

/** Created times that prove ascending order: a list in no order may seem to ascend for a while. */
const ENOUGH: Readonly<Record<ModelOrder, readonly number[]>> = {
  ascending: [1, 3, 16],
  arrival: [1, 3, 16],
  descending: [4, 16],
  nearly: [16],
  shuffled: [16],
  'older half last': [16],
};

function tuningOf({ pick }: Choices, kind: WorldKind, order: ModelOrder): World['tuning'] {
  return {
    enough: pick(ENOUGH[order]),
    jumpOverlaps: BigInt(pick([2, 2, 4])),
    jumpPages: BigInt(pick([1, 2, 4])),
    // created times do not always say which rows the question may return
    lastReceived: runsBehind(kind) ? 100 : pick([0, 20]),
    sweptAfter: pick([0, 10, 40]),
    // as in ordinary reads, most of the room is for rows that the question may return
    ...(kind === 'few rows in a state' ? { maxSeen: 6, lastReceived: 1 } : {}),
  };
}

function rowsOf(
  { between, pick, chance }: Choices,
  {
    count,
    span,
    latest,
    late,
    tooLate,
  }: {
    readonly count: number;
    readonly span: number;
    readonly latest: number;
    readonly late: number;
    readonly tooLate: number;
  },
): readonly ModelRow[] {
  const rows: ModelRow[] = [];
  for (let id = count; id > 0; id--) {
    const copy = rows.length > 0 && chance(0.25) ? pick(rows) : undefined;
    const bounded = copy?.bounded ?? between(0, span);
    const usual = chance(late) ? between(0, latest) : 0;
    const lateness = chance(tooLate) ? latest + between(1, 60) : usual;
    const text = copy !== undefined && chance(0.3) ? copy.text : `${bounded}.${id}`;
    rows.push({
      id,
      text,
      created: bounded,
      bounded,
      visible: bounded + lateness,
      isFar: bounded < span / 3,
    });
  }
  return rows;
}

/** Returns whether a row is one of so many, by its text: equal texts show the same time. */
function isOneOf(count: number, { text }: ModelRow): boolean {
  return Number(text.split('.')[1]) % count === 0;
}

/** How a row shows its created time. */
function shownIn(row: ModelRow, kind: WorldKind, span: number, unit: number): ModelRow {
  if (kind === 'created field behind') return { ...row, created: row.bounded - 40 };
  if (kind === 'created field ahead') return { ...row, created: row.bounded + 40 };
  if (kind === 'clocks ahead for a while') {
    const isFast = row.bounded > span / 4 && row.bounded < span / 2;
    return isFast ? { ...row, created: row.bounded + Math.floor(span / 3) } : row;
  }
  // the row of a device that was offline comes once it is online again
  if (kind === 'devices offline' && isOneOf(5, row)) return { ...row, created: row.bounded - (span >> 1) };
  if (kind === 'rows without a time' && isOneOf(3, row)) return { ...row, created: null };
  return { ...row, created: row.bounded - (((row.bounded % unit) + unit) % unit) };
}

/** Of servers that serve every cursor and every page, while no row appears. */
const AT_REST = { cursorLife: Infinity, outages: 0, mostRows: Infinity, shortPages: 0, steps: [0], lag: 0 };

/** A world in which a bound, and a question made from created times, return what they promise: others cost a request more. */
export function worldAtRest(seed: number): World | null {
  const world = worldOf(seed);
  const { kind } = world;
  if (runsAhead(kind) || runsBehind(kind) || kind === 'createdSince ignored') return null;
  return { ...world, server: createModelServer({ ...world.server.options, ...AT_REST }) };
}
