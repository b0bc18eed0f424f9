import { isRefusal, type PageSize } from '../../../acceptance-tests/model/answer.ts';
import { BOUNDS } from '../../../acceptance-tests/model/bounds.ts';
import {
  ORDINARY_CURSORS,
  cursorAnswer,
  type Cursor,
  type CursorParameters,
  type OrderedRows,
} from '../../../acceptance-tests/model/cursor-answer.ts';
import { MAX_INSTANT, MINUTE, MS, isOtherForm, readTime, type Instant, type TimeFormat } from '../instant.ts';
import type { Limit } from '../page-size.ts';
import type { CursorPage, PageRequest } from './list.ts';

/** A row of the model. Its times are in units. */
export interface ModelRow {
  readonly id: number;
  readonly text: string;
  readonly created: number | null; // as the row shows it, if it does
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
  readonly death: 'refused' | 'broken' | 'empty' | 'first page' | 'first page of everything';
  readonly falseEnds: number; // percentage of pages
  readonly refusals: number; // percentage of cursors that a server of several does not know
  readonly shortPages: number; // percentage of pages
  readonly mostRows: number; // a request for a larger page fails
  readonly outages: number; // percentage of requests that fail, several in a row
  readonly refusesEmpty: boolean; // a first request for which there are no rows
  readonly ignoresBound: boolean; // of every request
  readonly comparesTexts: TimeFormat | null; // of times in this form; a bound in another one is later than all of them
  readonly lag: number; // by which some replicas show the list later than others
  readonly skew: number; // by which the server's clock is ahead
  readonly steps: readonly number[]; // by which time moves on with each request
  readonly now: number;
  readonly maxRequests: number;
}

/** A server that does nothing unusual. */
export const ORDINARY_SERVER = {
  bound: 'inclusive',
  boundUnit: 1,
  cursorLife: Infinity,
  death: 'refused',
  falseEnds: 0,
  refusals: 0,
  shortPages: 0,
  mostRows: Infinity,
  outages: 0,
  refusesEmpty: false,
  ignoresBound: false,
  comparesTexts: null,
  lag: 0,
  skew: 0,
  maxRequests: 60_000,
} as const;

/** Rows of these times, in units. */
export function rowsAt(times: readonly number[]): readonly ModelRow[] {
  return times.map((time, id) => {
    return { id, text: `${id}`, created: time, bounded: time, visible: time, isFar: false };
  });
}

/** Rows in the order of their times, one every so many units. */
export function evenRows(count: number, units: number): readonly ModelRow[] {
  return rowsAt(Array.from({ length: count }, (_, row) => row * units));
}

/** A failure of the model. */
export class ModelError extends Error {}

/** ns in a unit: the bound of a request is a whole minute, and a cursor is trusted for four minutes. */
export const UNIT = 10_000n * MS;
const EPOCH = (readTime('2026-01-01T00:00:00Z')?.instant ?? 0n) / MINUTE;

export const instantAt = (units: number): Instant => EPOCH * MINUTE + BigInt(units) * UNIT;
export const FORMAT = {
  kind: 'calendar',
  separator: 'T',
  seconds: true,
  fractionDigits: 0,
  zone: 'Z',
} as const satisfies TimeFormat;

const PLACES: Readonly<Record<ModelOrder, (row: ModelRow) => readonly [number, number]>> = {
  ascending: ({ bounded, id }) => [bounded, id],
  arrival: ({ visible, id }) => [visible, id],
  descending: ({ bounded, id }) => [-bounded, id],
  shuffled: ({ id }) => [Math.imul(id + 1, 0x9e37_79b1) >>> 0, 0],
  nearly: ({ bounded, id, isFar }) => [isFar ? bounded + 60 : bounded, id],
  'older half last': ({ bounded, isFar }) => [isFar ? 1 : 0, bounded],
};

/** Answers a request; tests look at the signal. */
type FetchModelPage = (request: PageRequest, signal?: AbortSignal) => CursorPage<ModelRow>;

export type ModelServer = ReturnType<typeof createModelServer>;

/** The rows in their order, at any time. */
function listOf({ rows, order }: ModelServerOptions) {
  const sorted = rows.toSorted(inOrder(PLACES[order]));
  const ranks = new Map(sorted.map(({ id }, rank) => [id, rank]));
  const times = new Map(sorted.map(({ id, bounded }) => [id, instantAt(bounded)]));
  const rankOf = ({ id }: ModelRow): number => ranks.get(id) ?? 0;
  const complete = sorted.reduce((latest, { visible }) => Math.max(latest, visible), -Infinity);
  const listAt = (now: number): OrderedRows<ModelRow> => ({
    rows: complete <= now ? sorted : sorted.filter((row) => row.visible <= now),
    isBefore: (one, other) => rankOf(one) < rankOf(other),
    timeOf: ({ id }) => times.get(id) ?? null,
    isAscending: order === 'ascending',
  });
  return { rankOf, listAt };
}

/** A cursor list in memory, whose rows become visible as time passes. Its options may be changed between reads. */
export function createModelServer(initial: ModelServerOptions) {
  const options = { ...initial, requests: 0 };
  const { rankOf, listAt } = listOf(options);
  const cursors = new Map<string, Cursor<ModelRow>>();
  const issue = (cursor: Cursor<ModelRow>): string => {
    const { issuedMs, after, index, emptyPages } = cursor;
    const rank = after === null ? -1 : rankOf(after);
    const text = [issuedMs, rank, index, emptyPages === 0 ? 0 : options.requests].join(' '); // those of empty pages differ
    cursors.set(text, cursor);
    return text;
  };
  const happens = (percent: number): boolean => isDrawn(percent, options.requests);
  const size: PageSize = (granted) =>
    options.cursors !== 'page numbers' && happens(options.shortPages) ? options.requests % granted : granted;
  /** Returns null if the attempt fails in a way that fewer rows may avoid. */
  const answerTo = (
    { after, createdSince, sendByMs, serverErrorMs, mayBeRefused }: PageRequest,
    most: Limit,
  ): CursorPage<ModelRow> | null => {
    options.requests++;
    const { now, skew } = options;
    const shown = now - (happens(options.lag > 0 ? 30 : 0) ? options.lag : 0);
    if (options.requests > options.maxRequests) throw new ModelError('endless');
    if (sendByMs !== null && msAt(now) > sendByMs) throw new ModelError('late');
    options.now += options.steps[options.requests % options.steps.length] ?? 0;
    const since = options.ignoresBound ? null : boundOf(createdSince, options.comparesTexts);
    const cursor = after === null ? null : cursors.get(after);
    const limit = Math.min(most ?? Infinity, options.pageSize);
    const request = { limit, since, after, cursor };
    if (limit > options.mostRows || isDrawn(options.outages, Math.floor(options.requests / OUTAGE) + SALT))
      return null;
    if (after !== null && happens(options.refusals)) throw new ModelError('refused');
    const page = cursorAnswer(listAt(shown), request, parametersOf(options), { ms: now, read: 0 }, size);
    // where a cursor may be the reason, smaller pages are not tried
    if (isRefusal(page) && page.status === 500 && serverErrorMs === null) return null;
    if (isRefusal(page) && page.status === 500) throw new ModelError('broke');
    if (isRefusal(page)) throw new ModelError(mayBeRefused ? 'refused' : 'refused, which is not expected');
    const next = page.next === null || happens(options.falseEnds) ? null : issue(page.next);
    const ms = msAt(now);
    return { rows: page.rows, next, time: instantAt(shown + skew), sentAtMs: ms, receivedAtMs: ms };
  };
  const fetchPage: FetchModelPage = (request) => attempted(request, answerTo);
  const visible = (): readonly ModelRow[] => listAt(options.now).rows;
  return { fetchPage, options, visible };
}

const KINDS = {
  keys: 'a place between rows',
  'row numbers': 'a row number',
  'page numbers': 'a page number',
} as const;
const EXPIRED = {
  refused: 400,
  broken: 500,
  empty: 'empty last page',
  'first page': 'first page',
  'first page of everything': 'first page of everything',
} as const;
const ROUNDS = { truncated: 'down', rounded: 'to the nearest', later: 'to the next' } as const;

/** The parameters of the model of lists that options stand for; cursors count units as if they were ms. */
function parametersOf({
  bound,
  boundUnit,
  cursorLife,
  cursors,
  death,
  refusesEmpty,
}: ModelServerOptions): CursorParameters {
  const isExact = bound === 'inclusive' || bound === 'exclusive';
  const unit = BigInt(boundUnit) * UNIT;
  return {
    ...ORDINARY_CURSORS,
    kind: KINDS[cursors],
    life: { lifeMs: cursorLife, dieBetweenReads: false, expired: EXPIRED[death] },
    bound: isExact ? BOUNDS[bound] : { unit, rounds: ROUNDS[bound], isExclusive: false },
    noRowsStatus: refusesEmpty ? 400 : null,
  };
}

/** The bound as the server understands it; null for none. */
function boundOf(text: string | null, compared: TimeFormat | null): Instant | null {
  const time = readTime(text ?? '');
  if (time === undefined) return null;
  return compared !== null && isOtherForm(time.format, compared) ? MAX_INSTANT : time.instant;
}

/** True for a percentage of the requests. */
const isDrawn = (percent: number, request: number): boolean =>
  percent > 0 && Math.imul(request * 7919 + 13, 0x9e37_79b1) >>> 0 < (percent / 100) * 2 ** 32;

const inOrder =
  (placeOf: (row: ModelRow) => readonly [number, number]) =>
  (one: ModelRow, other: ModelRow): number => {
    const [a, b] = [placeOf(one), placeOf(other)];
    return a[0] - b[0] || a[1] - b[1];
  };

/** For a page; no outage takes so many. */
const ATTEMPTS = 15;

/** Makes further attempts as the client does. */
function attempted(
  request: PageRequest,
  answerTo: (request: PageRequest, most: Limit) => CursorPage<ModelRow> | null,
): CursorPage<ModelRow> {
  for (let failures = 0; failures < ATTEMPTS; failures++) {
    const limit = request.limitAfter(failures);
    if (limit === 'ask again') throw new ModelError('large');
    const page = answerTo(request, limit);
    if (page !== null) return { ...page, failures };
  }
  throw new ModelError('broke');
}

/** Outages come at other requests than what else is drawn by their number, and take so many. */
const SALT = 5;
const OUTAGE = 3;

const msAt = (units: number): number => Number(instantAt(units) / MS);
