import { createIdentitySet } from './identities.ts';
import type { Fingerprint, Identities, Identity } from './identities.ts';
import type { ScannedList, TiedPage } from './offset-scan.ts';

/** Where an unfinished read of an offset list stands. */
export type OffsetPosition = {
  /** Offset behind the last covered row when it was read. */
  readonly offset: number;
  /** The last covered rows, in the list's order, so that the place can be found again after the list has moved. */
  readonly anchors: readonly Fingerprint[];
  /** The first rows when the read began: all before them came since. Then one at each doubling, if these are deleted. */
  readonly head: readonly Fingerprint[];
  /** Rows emitted though they stood ahead of the frontier: inserted since the read began; the latest ones. */
  readonly inserted: readonly Fingerprint[];
  /** Rows emitted so far. */
  readonly rows: number;
};

/** Pages looked at on each side of the place where the anchors were. */
const REACH = 8;

/** Looks for a page with one of the anchors around where they ended: rows came in and went since. Null if there is none. */
export async function locate<R>(end: number, anchors: readonly Identity[], list: ScannedList<R>) {
  const wanted = new Set(anchors);
  const around = Math.max(0, end - anchors.length);
  let span = anchors.length;
  for (let turn = 0; turn <= 2 * REACH; turn++) {
    // 0, 1 on, 1 back, 2 on, 2 back, …
    const offset = around + Math.ceil(turn / 2) * (turn % 2 === 0 ? -span : span);
    if (offset < 0) continue;
    const page = await list.fetchPage(offset, list.signal);
    if (page.rows.some((row) => wanted.has(list.identify(row)))) return { ...page, offset, request: 0 };
    // pages overlap by one row, so that none of the anchors slips between two
    span = Math.max(span, page.rows.length - 1);
  }
  return null;
}

/** Rows kept at each place: the place is lost only if all of them are deleted. */
export const KEPT = 32;
/** Inserted rows that a state remembers; of more than these some may be repeated after a resume. */
export const KEPT_INSERTED = 2048;

export type Ledger = ReturnType<typeof createLedger>;

/**
 * Which rows have been emitted, and the frontier of a scan: the last row up to which all is covered. Rows come in at the
 * head, so fresh rows behind a covered one move the frontier on; fresh rows ahead of one were inserted since. A page without
 * a covered row shows neither (its rows were inserted, or every covered one is deleted): its rows are remembered one by one,
 * and the place stays.
 */
export function createLedger(from: OffsetPosition | null, { of, print }: Identities) {
  let anchors = from?.anchors.map(of) ?? [];
  let head: readonly Identity[] = from?.head.map(of) ?? [];
  const inserted = new Set(from?.inserted.map(of));
  /** Rows emitted, and those known to be by the read before this one. */
  const emitted = createIdentitySet();
  for (const known of [...anchors, ...inserted]) emitted.add(known);
  const forgotten = (from?.rows ?? 0) - emitted.size();
  /** Rows ahead of the anchors: emitted before, or inserted since, which only the head pass can tell. */
  const skipped = new Set<Identity>();
  const rows = (): number => forgotten + emitted.size() - skipped.size;
  return {
    isResumed: from !== null,
    emitted,
    /** Different rows emitted so far, those of the interrupted read included. */
    rows,
    head: (): readonly Identity[] => head,
    /** True for a row that was covered, not inserted since. */
    wasThere: (identity: Identity): boolean =>
      emitted.has(identity) && !inserted.has(identity) && !skipped.has(identity),
    /** Marks a row as emitted; true if it has to be. */
    take: (identity: Identity): boolean => emitted.add(identity) || skipped.delete(identity),
    /** Which rows of a page of the scan are new, whether it has no covered one, and the position if the frontier moves. */
    scanned: ({ offset, identities, fresh }: TiedPage<unknown>) => {
      const frontier = identities.findLastIndex((one, index) => fresh[index] === false && !inserted.has(one));
      const isAstray = anchors.length > 0 && frontier === -1;
      const border = isAstray ? identities.length : frontier + 1;
      const ahead = isAstray || from === null ? inserted : skipped;
      const isNew = fresh.map((isFresh, index) => isFresh && (index >= border || ahead === inserted));
      for (const [index, identity] of identities.slice(0, border).entries())
        if (fresh[index] === true) ahead.add(identity);
      // only rows behind the frontier: what stands ahead of it may never have been emitted
      const behind = identities.slice(border);
      if (behind.length === 0) return { isNew, isAstray, position: null };
      for (const identity of behind) inserted.delete(identity);
      if (head.length < KEPT) head = [...head, ...behind].slice(0, KEPT);
      const isDoubled = Math.clz32(rows()) < Math.clz32(Math.max(KEPT, rows() - behind.length));
      if (isDoubled) head = [...head, ...behind.slice(-1)];
      anchors = [...anchors, ...behind].slice(-KEPT);
      // settled now: what follows changes nothing of it
      const settled = { offset: offset + identities.length, rows: rows() };
      const [last, first, late] = [anchors, head, [...inserted].slice(-KEPT_INSERTED)];
      const position = (): OffsetPosition => {
        return { ...settled, anchors: last.map(print), head: first.map(print), inserted: late.map(print) };
      };
      return { isNew, isAstray, position };
    },
  };
}
