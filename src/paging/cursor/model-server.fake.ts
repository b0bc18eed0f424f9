import type { Instant } from '../instant.ts';
import { MINUTE, MS, readTime, type TimeFormat } from '../instant.ts';
import type { CursorPage, PageRequest } from './list.ts';

/** A row of the model. Its times are in units. */
export interface ModelRow {
  readonly id: number;
  readonly text: string;
  readonly created: number; // as the row shows it
  readonly bounded: number; // the time that `createdSince` and the order refer to; nearly always the same
  readonly visible: number; // from when on the list shows it
  readonly isFar: boolean; // it stands in another place where the order is not strict
}

export type ModelOrder = 'ascending' | 'arrival' | 'descending' | 'shuffled' | 'nearly' | 'older half last';

/** How a server of the model behaves. Times are in units. */
export interface ModelServerOptions {
  readonly rows: readonly ModelRow[];
  readonly order: ModelOrder;
  readonly pageSize: number;
  readonly bound: 'inclusive' | 'exclusive' | 'truncated' | 'rounded' | 'later';
  readonly boundUnit: number; // of the bounds that are not exact
  readonly cursors: 'keys' | 'row numbers' | 'page numbers';
  readonly cursorLife: number;
  readonly death: 'refused' | 'empty' | 'first page' | 'first page of everything';
  readonly falseEnds: number; // percentage of pages
  readonly shortPages: number; // percentage of pages
  readonly refusesEmpty: boolean; // a first request for which there are no rows
  readonly skew: number; // by which the server's clock is ahead
  readonly steps: readonly number[]; // by which time moves on with each request
  readonly now: number;
  readonly maxRequests: number;
}

/** A failure of the model. */
export class ModelError extends Error {}

/** ns in a unit: the bound of a request is a whole minute, and a cursor is trusted for four minutes. */
export const UNIT = 10_000n * MS;
const EPOCH = (readTime('2026-01-01T00:00:00Z')?.instant ?? 0n) / MINUTE;

export const instantAt = (units: number): Instant => EPOCH * MINUTE + BigInt(units) * UNIT;
export const FORMAT: TimeFormat = {
  kind: 'calendar',
  separator: 'T',
  seconds: true,
  fractionDigits: 0,
  zone: 'Z',
};

const PLACES: Readonly<Record<ModelOrder, (row: ModelRow) => readonly [number, number]>> = {
  ascending: ({ bounded, id }) => [bounded, id],
  arrival: ({ visible, id }) => [visible, id],
  descending: ({ bounded, id }) => [-bounded, id],
  shuffled: ({ id }) => [Math.imul(id + 1, 0x9e37_79b1) >>> 0, 0],
  nearly: ({ bounded, id, isFar }) => [isFar ? bounded + 60 : bounded, id],
  'older half last': ({ bounded, isFar }) => [isFar ? 1 : 0, bounded],
};

/** The cursor of a page: what the list has shown before it. */
interface Place {
  readonly issued: number;
  readonly rank: number; // of the last row
  readonly skip: number; // rows
  readonly request: number; // the cursors of empty pages differ
}

export type ModelServer = ReturnType<typeof createModelServer>;

/** A cursor list in memory, whose rows become visible as time passes. Its options may be changed between reads. */
export function createModelServer(initial: ModelServerOptions) {
  const options = { ...initial, requests: 0 };
  const sorted = options.rows.toSorted(inOrder(PLACES[options.order]));
  const ranks = new Map(sorted.map(({ id }, rank) => [id, rank]));
  const rankOf = ({ id }: ModelRow): number => ranks.get(id) ?? 0;
  const happens = (percent: number): boolean => isDrawn(percent, options.requests);
  const answer = (rows: readonly ModelRow[], next: string | null, now: number): CursorPage<ModelRow> =>
    pageAt(rows, next, now, options.skew);
  /** The page from a place on. */
  const pageFrom = (from: Place, shown: readonly ModelRow[], now: number): CursorPage<ModelRow> => {
    const rest =
      options.cursors === 'keys' ? shown.filter((row) => rankOf(row) > from.rank) : shown.slice(from.skip);
    const isShort = options.cursors !== 'page numbers' && happens(options.shortPages);
    const size = isShort ? options.requests % options.pageSize : options.pageSize;
    const rows = rest.slice(0, size);
    const last = rows.at(-1);
    const next: Place = {
      issued: now,
      rank: last === undefined ? from.rank : rankOf(last),
      skip: from.skip + size,
      request: last === undefined ? options.requests : 0,
    };
    const isEnd = rest.length <= size || happens(options.falseEnds);
    return answer(rows, isEnd ? null : JSON.stringify(next), now);
  };
  const fetchPage = ({ after, createdSince, sendByMs }: PageRequest): CursorPage<ModelRow> => {
    options.requests++;
    const { now, death } = options;
    if (options.requests > options.maxRequests) throw new ModelError('endless');
    if (sendByMs !== null && msAt(now) > sendByMs) throw new ModelError('late');
    options.now += options.steps[options.requests % options.steps.length] ?? 0;
    const from = after === null ? FIRST : (JSON.parse(after) as Place);
    const isDead = after !== null && now - from.issued > options.cursorLife;
    if (isDead && death === 'refused') throw new ModelError('refused');
    if (isDead && death === 'empty') return answer([], null, now);
    const isUnbound = createdSince === null || (isDead && death === 'first page of everything');
    const bound = isUnbound ? null : unitsOf(createdSince);
    const shown = sorted.filter((row) => row.visible <= now && isWithin(row.bounded, bound, options));
    if (after === null && bound !== null && options.refusesEmpty && shown.length === 0)
      throw new ModelError('refused');
    return pageFrom(isDead ? FIRST : from, shown, now);
  };
  const visible = (): readonly ModelRow[] => options.rows.filter((row) => row.visible <= options.now);
  return { fetchPage, options, visible };
}

const pageAt = (rows: readonly ModelRow[], next: string | null, now: number, skew: number) => {
  return { rows, next, time: instantAt(now + skew), sentAtMs: msAt(now) };
};

/** True for a percentage of the requests. */
const isDrawn = (percent: number, request: number): boolean =>
  percent > 0 && Math.imul(request * 7919 + 13, 0x9e37_79b1) >>> 0 < (percent / 100) * 2 ** 32;

const FIRST: Place = { issued: 0, rank: -1, skip: 0, request: 0 };

const inOrder =
  (placeOf: (row: ModelRow) => readonly [number, number]) =>
  (one: ModelRow, other: ModelRow): number => {
    const [a, b] = [placeOf(one), placeOf(other)];
    return a[0] - b[0] || a[1] - b[1];
  };

function isWithin(
  time: number,
  bound: number | null,
  { bound: kind, boundUnit: unit }: ModelServerOptions,
): boolean {
  if (bound === null) return true;
  if (kind === 'exclusive') return time > bound;
  if (kind === 'truncated') return time >= Math.floor(bound / unit) * unit;
  if (kind === 'rounded') return time >= Math.round(bound / unit) * unit;
  return kind === 'later' ? Math.floor(time / unit) > Math.floor(bound / unit) : time >= bound;
}

const msAt = (units: number): number => Number(instantAt(units) / MS);

function unitsOf(text: string): number {
  return Number((readTime(text)?.instant ?? 0n) - EPOCH * MINUTE) / Number(UNIT);
}
