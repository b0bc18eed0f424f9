import type { OffsetRead } from './run.ts';
import type { FetchOffsetPage, OffsetPage } from './window.ts';
import type { OffsetPosition } from './position.ts';
import { readOffsetList } from './algorithm.ts';

/** A change of the list, at a place given as a share of its length (0: head, 1: tail). */
export type Change =
  | { readonly kind: 'insert'; readonly at: number; readonly count: number }
  | { readonly kind: 'delete'; readonly at: number; readonly count: number };

/** How `totalCount` behaves. */
export type TotalMode = 'right' | 'absent' | 'zero' | 'small' | 'large' | 'pageLength' | 'reached';

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
  /** Before each answer, neighbors within groups of `tieSize` rows change places. */
  readonly tieSize: number;
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

/** Reads a list from a position, or from its start. */
export const readMovingList = (
  { fetchPage }: MovingList,
  concurrency: number,
  from: OffsetPosition | null,
  warn: (message: string) => Promise<void>,
) => readOffsetList<number>({ ...readOf(fetchPage), mayBeShort: true, concurrency, from, warn });

/** A read of a list of numbers, one page at a time, from its start. */
export const readOf = (fetchPage: FetchOffsetPage<number>): OffsetRead<number> => ({
  list: { name: 'assets', place: 'assets' },
  fetchPage,
  keyOf: String,
  isSame: (one, other) => one === other,
  describeUnidentifiable: () => null,
  mayBeShort: false,
  concurrency: 1,
  maxAheadBytes: Infinity,
  from: null,
  warn: async () => undefined,
  signal: new AbortController().signal,
});

/** An offset list, newest first, that changes between requests as configured. */
export function createMovingList(options: MovingListOptions): MovingList {
  const { delays } = options;
  const { rows, change, answer } = createChangingRows(options);
  const snapshots: ReadonlySet<number>[] = [];
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
    persistent: () => [...rows().persistent],
    present: () => rows().list,
    mark: () => snapshots.push(new Set(rows().list)) - 1,
    aliveSince: (mark) => rows().list.filter((row) => snapshots[mark]?.has(row)),
    requests: () => offsets.length,
    offsets: () => offsets,
    maxInFlight: () => maxInFlight,
  };
}

/** The rows of the list, and its pages. */
function createChangingRows({
  rows: count,
  changes,
  isEndless,
  limit,
  cap,
  total,
  shortBy,
  tieSize,
}: MovingListOptions) {
  let list = Array.from({ length: count }, (_, index) => index);
  const persistent = new Set(list);
  let born = count;
  const entry = <T>(entries: readonly T[], request: number): T | undefined =>
    entries[isEndless ? request % Math.max(1, entries.length) : request];
  const apply = (one: Change): void => {
    const at = Math.round(one.at * list.length);
    if (one.kind === 'delete') {
      for (const row of list.splice(at, one.count)) persistent.delete(row);
      return;
    }
    list.splice(at, 0, ...Array.from({ length: one.count }, (_, index) => born + index));
    born += one.count;
  };
  return {
    rows: () => ({ list, persistent }),
    change: (request: number): void => {
      for (const one of entry(changes, request) ?? []) apply(one);
      if (tieSize > 1) list = shuffleTies(list, tieSize, request);
    },
    answer: (offset: number, request: number): OffsetPage<number> => {
      const granted = Math.min(limit, cap);
      const shown = Math.max(2, granted - (entry(shortBy, request) ?? 0));
      const rows = list.slice(offset, offset + Math.min(granted, shown));
      return { rows, total: totalsOf(list.length, offset, rows.length)[total], bytes: 0, limit };
    },
  };
}

function totalsOf(count: number, offset: number, length: number): Record<TotalMode, number | undefined> {
  return {
    right: count,
    absent: undefined,
    zero: 0,
    small: Math.floor(count / 2),
    large: count * 2 + 3,
    pageLength: length,
    reached: offset + length,
  };
}

/** Rows of one group of equal created values change places from request to request. */
function shuffleTies(list: readonly number[], size: number, request: number): number[] {
  const groups: number[][] = [];
  for (let at = 0; at < list.length; at += size) groups.push(list.slice(at, at + size));
  return groups.flatMap((group) => {
    const turn = request % group.length;
    return [...group.slice(turn), ...group.slice(0, turn)];
  });
}
