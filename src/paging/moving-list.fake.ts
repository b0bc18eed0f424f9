import type { OffsetPage } from './offset-pages.ts';

/** A change of the list, at a place given as a share of its length (0: head, 1: tail). */
export type Change =
  | { readonly kind: 'insert'; readonly at: number; readonly count: number }
  | { readonly kind: 'delete'; readonly at: number; readonly count: number };

/** How `totalCount` behaves. */
export type TotalMode = 'right' | 'absent' | 'zero' | 'small' | 'large' | 'pageLength' | 'reached';

export interface MovingListOptions {
  /** Rows at the start. */
  readonly rows: number;
  /** Changes before each request, in the order of requests; after the last entry the list is quiet. */
  readonly changes: readonly (readonly Change[])[];
  /** After the last entry changes and short pages begin again: the list moves with every request, for ever. */
  readonly isEndless: boolean;
  /** Rows asked for and rows granted at most. */
  readonly limit: number;
  readonly cap: number;
  readonly total: TotalMode;
  /** For each request how many rows a page falls short of what is granted; at least two rows are shown if there are two. */
  readonly shortBy: readonly number[];
  /** For each request how many turns of the event queue it takes to arrive, so that answers overtake one another. */
  readonly delays: readonly number[];
  /** For each request: swap neighbours within groups of `tieSize` rows before answering. */
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
  /** Offsets asked for, in order. */
  readonly offsets: () => readonly number[];
  readonly maxInFlight: () => number;
}

/** An offset list, newest first, that changes between requests as told. */
export function createMovingList(options: MovingListOptions): MovingList {
  let list = Array.from({ length: options.rows }, (_, index) => index);
  const atStart = new Set(list);
  const snapshots: ReadonlySet<number>[] = [];
  const offsets: number[] = [];
  let born = options.rows;
  let requests = 0;
  let inFlight = 0;
  let maxInFlight = 0;

  const entry = <T>(entries: readonly T[], request: number): T | undefined =>
    entries[options.isEndless ? request % Math.max(1, entries.length) : request];
  const change = (one: Change): void => {
    const at = Math.round(one.at * list.length);
    if (one.kind === 'insert') list.splice(at, 0, ...Array.from({ length: one.count }, () => born++));
    else for (const row of list.splice(at, one.count)) atStart.delete(row);
  };
  const totalFor = (offset: number, length: number): number | undefined => {
    const totals: Record<TotalMode, number | undefined> = {
      right: list.length,
      absent: undefined,
      zero: 0,
      small: Math.floor(list.length / 2),
      large: list.length * 2 + 3,
      pageLength: length,
      reached: offset + length,
    };
    return totals[options.total];
  };
  const answer = (offset: number, request: number): OffsetPage<number> => {
    for (const one of entry(options.changes, request) ?? []) change(one);
    if (options.tieSize > 1) list = shuffleTies(list, options.tieSize, request);
    const granted = Math.min(options.limit, options.cap);
    const shown = Math.max(2, granted - (entry(options.shortBy, request) ?? 0));
    const rows = list.slice(offset, offset + Math.min(granted, shown));
    return { rows, total: totalFor(offset, rows.length), bytes: 0 };
  };

  return {
    fetchPage: async (offset, signal) => {
      const request = requests++;
      offsets.push(offset);
      inFlight++;
      maxInFlight = Math.max(maxInFlight, inFlight);
      const delay = options.delays.length === 0 ? 0 : (options.delays[request % options.delays.length] ?? 0);
      const over = (): void => {
        inFlight--;
      };
      signal.addEventListener('abort', over);
      for (let turn = 0; turn < delay; turn++) await Promise.resolve();
      signal.throwIfAborted();
      signal.removeEventListener('abort', over);
      over();
      return answer(offset, request);
    },
    persistent: () => [...atStart],
    present: () => list,
    mark: () => snapshots.push(new Set(list)) - 1,
    aliveSince: (mark) => list.filter((row) => snapshots[mark]?.has(row)),
    requests: () => requests,
    offsets: () => offsets,
    maxInFlight: () => maxInFlight,
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
