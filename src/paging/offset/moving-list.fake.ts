import { isRefusal, wholePage, type Refusal } from '../../../acceptance-tests/model/answer.ts';
import {
  insertRowAt,
  isListedFrom,
  removeRow,
  type ChangingRows,
  type Lifetime,
} from '../../../acceptance-tests/model/changing-rows.ts';
import {
  ORDINARY_OFFSETS,
  offsetAnswer,
  type OffsetPage as AnsweredPage,
  type OffsetParameters,
  type OffsetVariation,
  type RowsInOrder,
} from '../../../acceptance-tests/model/offset-answer.ts';
import type { OffsetRead } from './run.ts';
import type { FetchOffsetPage, OffsetPage } from './window.ts';
import type { OffsetPosition } from './place.ts';
import { readOffsetList } from './read.ts';

/** A change of the list, at a place given as a share of its length (0: head, 1: tail). */
export type Change =
  | { readonly kind: 'insert'; readonly at: number; readonly count: number }
  | { readonly kind: 'delete'; readonly at: number; readonly count: number };

/** How `totalCount` is stated, by the rules of the model; `large` is more than twice the right value. */
export type TotalMode =
  'right' | 'absent' | 'zero' | 'too small' | 'large' | 'length of the page' | 'what was shown';

export interface MovingListOptions {
  /** Number of rows at the start. */
  readonly rows: number;
  /** Changes before each request, in the order of requests; after the last entry the list is quiet. */
  readonly changes: readonly (readonly Change[])[];
  /** After the last entry changes and short pages start again, so that the list moves with every request. */
  readonly isEndless: boolean;
  /** Page size requested, and maximum page size of the server. */
  readonly limit: number;
  readonly cap: number;
  readonly total: TotalMode;
  /** For each request how many rows its page is short; at least two rows are shown if there are two. */
  readonly shortBy: readonly number[];
  /** For each request how many turns of the event queue its answer takes, so that answers overtake each other. */
  readonly delays: readonly number[];
  /** Groups of so many rows have the same created value; before each answer, they change places. */
  readonly tieSize: number;
  readonly pastEnd: OffsetParameters['pastEnd'];
}

export interface MovingList {
  readonly fetchPage: (offset: number, signal: AbortSignal) => Promise<OffsetPage<number>>;
  /** Rows that have existed from the first request until now. */
  readonly persistent: () => readonly number[];
  /** Rows that exist now. */
  readonly present: () => readonly number[];
  /** A mark for `aliveSince`. */
  readonly mark: () => number;
  /** Rows that existed at the mark and still do. */
  readonly aliveSince: (mark: number) => readonly number[];
  readonly requests: () => number;
  /** Requested offsets, in order. */
  readonly offsets: () => readonly number[];
  readonly maxInFlight: () => number;
}

/** A list that does not change, with a right total and whole pages that arrive in order. */
export const STILL: Omit<MovingListOptions, 'rows' | 'limit'> = {
  cap: 1000,
  changes: [],
  total: 'right',
  shortBy: [],
  delays: [],
  tieSize: 1,
  pastEnd: 'empty page',
  isEndless: false,
};

/** Reads a list from a position, or from its start. */
export const readMovingList = (
  { fetchPage }: MovingList,
  concurrency: number,
  from: OffsetPosition | null,
  notify: OffsetRead<number>['notify'],
) => readOffsetList<number>({ ...readOf(fetchPage), concurrency, from, notify });

/** A read of a list whose rows are their keys, one page at a time, from its start. */
export const readOf = <Row>(fetchPage: FetchOffsetPage<Row>): OffsetRead<Row> => ({
  fetchPage,
  keyOf: String,
  isSame: (one, other) => one === other,
  concurrency: 1,
  maxAheadBytes: Infinity,
  from: null,
  notify: async () => undefined,
  signal: new AbortController().signal,
});

/** An offset list, newest first, that changes between requests as configured. */
export function createMovingList(options: MovingListOptions): MovingList {
  const { delays } = options;
  const { rows, list, moment, change, answer } = createChangingRows(options);
  const aliveSince = (mark: number): number[] =>
    numbersOf(rows.filter((row) => isListedFrom(row, mark, moment())));
  const offsets: number[] = [];
  let inFlight = 0;
  let maxInFlight = 0;

  return {
    fetchPage: async (offset, signal) => {
      const request = offsets.length;
      offsets.push(offset);
      inFlight++;
      maxInFlight = Math.max(maxInFlight, inFlight);
      const delay = delays.length === 0 ? 0 : (delays[request % delays.length] ?? 0);
      const over = (): void => {
        inFlight--;
      };
      signal.addEventListener('abort', over);
      for (let turn = 0; turn < delay; turn++) await Promise.resolve();
      signal.throwIfAborted();
      signal.removeEventListener('abort', over);
      over();
      change(request);
      return answer(offset, request);
    },
    persistent: () => aliveSince(0),
    present: () => numbersOf(list),
    mark: moment,
    aliveSince,
    requests: () => offsets.length,
    offsets: () => offsets,
    maxInFlight: () => maxInFlight,
  };
}

interface ListRow extends Lifetime {
  readonly number: number;
  /** Rows with the same value change places. */
  readonly created: number;
}

const numbersOf = (rows: readonly ListRow[]): number[] => rows.map(({ number }) => number);

/** The rows of the list, and its pages. A moment is a number of answers. */
function createChangingRows(options: MovingListOptions) {
  const { changes, isEndless, shortBy, tieSize } = options;
  const changing: ChangingRows<ListRow> = { rows: [], list: [] };
  const { rows, list } = changing;
  let moment = 0;
  let turn = 0;
  const insert = (at: number, created: number): void => {
    const row = { number: rows.length, created, from: moment, until: Infinity };
    insertRowAt(changing, row, at);
  };
  for (let row = 0; row < options.rows; row++) insert(row, -Math.floor(row / tieSize));
  const entry = <T>(entries: readonly T[], request: number): T | undefined =>
    entries[isEndless ? request % Math.max(1, entries.length) : request];
  const apply = ({ kind, at, count }: Change): void => {
    const index = Math.round(at * list.length);
    const { created } = list[index] ?? list.at(-1) ?? { created: 0 };
    for (let done = 0; done < count; done++)
      if (kind === 'insert') insert(index + done, created);
      else removeRow(changing, index, moment);
  };
  return {
    rows,
    list,
    moment: (): number => moment,
    change: (request: number): void => {
      moment++;
      turn += request;
      for (const one of entry(changes, request) ?? []) apply(one);
    },
    answer: (offset: number, request: number): OffsetPage<number> => {
      const short = entry(shortBy, request) ?? 0;
      return pageOf(options, list, offset, {
        size: (granted) => Math.min(granted, Math.max(2, granted - short)),
        staleTotal: list.length,
        ties: tieSize > 1 ? { timeOf: ({ created }) => created, turn } : null,
      });
    },
  };
}

/** The page at an offset, as the model of lists answers. */
function pageOf(
  { limit, cap, pastEnd, total }: MovingListOptions,
  list: readonly ListRow[],
  offset: number,
  variation: OffsetVariation<ListRow>,
): OffsetPage<number> {
  const totalCount = total === 'large' ? { plus: list.length + 3 } : total;
  const parameters = { ...ORDINARY_OFFSETS, maxPerPage: cap, pastEnd, members: { totalCount } };
  const answer = offsetAnswer(list, { limit, offset }, parameters, variation);
  return received(isRefusal(answer) ? answer : { ...answer, rows: numbersOf(answer.rows) }, limit);
}

/** The pages of a list at rest, as the model of lists answers. */
export const pagesOf =
  <Row>(list: RowsInOrder<Row>, limit: number, parameters: Partial<OffsetParameters>) =>
  (offset: number): OffsetPage<Row> => {
    const all = { ...ORDINARY_OFFSETS, ...parameters };
    const atRest = { size: wholePage, staleTotal: list.length, ties: null };
    return received(offsetAnswer(list, { limit, offset }, all, atRest), limit);
  };

/** An answer of the model as the connector receives it. */
export function received<Row>(answer: AnsweredPage<Row> | Refusal, limit: number): OffsetPage<Row> {
  if (isRefusal(answer))
    return { rows: [], total: undefined, bytes: 0, isRefused: true, refusal: answer.error };
  const { rows, pagination } = answer;
  const { totalCount, offset } = pagination;
  return { rows, total: totalCount ?? undefined, statedOffset: offset ?? undefined, bytes: 0, limit };
}
