import type { TimeFormat } from '../instant.ts';
import type { Limit } from '../page-size.ts';
import type { ModelConfig } from './model-reads.fake.ts';
import {
  FORMAT,
  createModelServer,
  type ModelOrder,
  type ModelRow,
  type ModelServer,
} from './model-server.fake.ts';

/** Units for which a cursor is trusted, and for which those of a server live at least, as a response may take 9. */
export const TRUSTED = 24;
const LIFE = TRUSTED + 9;
/** Units in a minute. */
export const MINUTE = 6;

/** What is special about a world; each has a clause in docs/how-it-reads.md or docs/deviations.md. */
export const WORLD_KINDS = [
  'plain',
  'rows appear while they are read',
  'times in units of a minute and more',
  'createdSince ignored',
  'created field behind',
  'created field ahead',
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
  readonly format: TimeFormat;
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

function ordersOf(kind: WorldKind): readonly ModelOrder[] {
  if (runsAhead(kind)) return ['ascending'];
  return kind === 'lagging replicas' ? ['ascending', 'arrival'] : ORDERS;
}

/** Formats of times by their unit, in units of the model: seconds are finer than any of them. */
const FORMATS = { fine: FORMAT, minutes: { ...FORMAT, seconds: false } };

/** Units of lists that several chains read at the same time, with many rows. */
const LONG_SPANS = [2000, 4000];

/** A list of up to 90 rows, or of several hundred: ties, equal texts, late rows, and now and then rows later than the lookback. */
export function worldOf(seed: number): World {
  const choices = choicesOf(seed);
  const { between, pick, chance } = choices;
  const kind = chance(0.4) ? 'plain' : pick(WORLD_KINDS);
  const order = pick(ordersOf(kind));
  const isInOrder = order === 'ascending' || order === 'arrival';
  const isCoarse = kind === 'times in units of a minute and more';
  const lookback = kind === 'lagging replicas' ? 40 : pick([0, 5, 20, 40]);
  const span = pick(isInOrder && chance(0.1) ? LONG_SPANS : [60, 150, 400, 1500]);
  const tooLate = kind === 'rows that come late' && order === 'ascending' ? 0.05 : 0;
  const tuning = tuningOf(choices, kind, isInOrder);
  const late = runsAhead(kind) ? 0 : pick([0, 0.2, 0.6]);
  const rows = rowsOf(choices, { span, lookback, late, tooLate });
  const isLive = kind === 'rows appear while they are read';
  const server = createModelServer({
    rows: rows.map((row) => shownIn(row, kind, span)),
    order,
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
    lag: kind === 'lagging replicas' ? pick([15, 30]) : 0,
    skew: pick([0, 0, 0, -30]),
    steps: isLive ? [1, 2, 1, 1, 2] : Array.from({ length: 5 }, () => pick([0, 0, 1, 2, 9])),
    now: isLive ? between(0, 10) : between(0, span + 60),
    maxRequests: 60_000,
  });
  const format = isCoarse ? FORMATS.minutes : FORMATS.fine;
  const pageSize = pick([null, server.options.pageSize]);
  return { ...choices, kind, order, lookback, span, server, tuning, format, pageSize };
}

function tuningOf({ pick }: Choices, kind: WorldKind, isInOrder: boolean): World['tuning'] {
  return {
    enough: isInOrder ? pick([1, 3, 16]) : 16,
    jumpOverlaps: BigInt(pick([2, 2, 4])),
    jumpPages: BigInt(pick([1, 2, 4])),
    lastReceived: kind === 'created field behind' ? 100 : 20,
    sweptAfter: pick([0, 10, 40]),
    ...(kind === 'few rows in a state' ? { maxSeen: 6 } : {}),
  };
}

function rowsOf(
  { between, pick, chance }: Choices,
  {
    span,
    lookback,
    late,
    tooLate,
  }: { readonly span: number; readonly lookback: number; readonly late: number; readonly tooLate: number },
): readonly ModelRow[] {
  const rows: ModelRow[] = [];
  for (let id = LONG_SPANS.includes(span) ? between(200, 500) : between(5, 90); id > 0; id--) {
    const copy = rows.length > 0 && chance(0.25) ? pick(rows) : undefined;
    const bounded = copy?.bounded ?? between(0, span);
    const usual = chance(late) ? between(0, lookback) : 0;
    const lateness = chance(tooLate) ? lookback + between(1, 60) : usual;
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

/** How a row shows its created time. */
function shownIn(row: ModelRow, kind: WorldKind, span: number): ModelRow {
  if (kind === 'created field behind') return { ...row, created: row.bounded - 40 };
  if (kind === 'created field ahead') return { ...row, created: row.bounded + 40 };
  if (kind === 'clocks ahead for a while') {
    const isFast = row.bounded > span / 4 && row.bounded < span / 2;
    return isFast ? { ...row, created: row.bounded + Math.floor(span / 3) } : row;
  }
  if (kind !== 'times in units of a minute and more') return row;
  return { ...row, created: row.bounded - (((row.bounded % MINUTE) + MINUTE) % MINUTE) };
}
