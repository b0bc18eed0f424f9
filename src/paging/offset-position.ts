import { createIdentitySet } from './identities.ts';
import type { Fingerprint, Identities, Identity } from './identities.ts';
import type { ScannedList } from './offset-pages.ts';
import type { TiedPage } from './offset-scan.ts';

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
 * head, so fresh rows after a covered one move the frontier on; fresh rows ahead of one were inserted since. A page without
 * a covered row shows neither (its rows were inserted, or every covered one is deleted): its rows are remembered one by one,
 * and the place stays.
 */
export function createLedger(from: OffsetPosition | null, identities: Identities) {
  const { of } = identities;
  const place = createPlace(from, identities);
  const inserted = new Set(from?.inserted.map(of));
  /** Rows emitted, and those known to be by the read before this one. */
  const emitted = createIdentitySet();
  for (const known of [...place.anchors(), ...inserted]) emitted.add(known);
  const forgotten = (from?.rows ?? 0) - emitted.size();
  /** Rows ahead of the anchors: emitted before, or inserted since, which only the head pass can tell. */
  const skipped = new Set<Identity>();
  /** Rows met since the count began again; null if it did not. */
  let recounted: ReturnType<typeof createIdentitySet> | null = null;
  const rows = (): number => recounted?.size() ?? forgotten + emitted.size() - skipped.size;
  return {
    isResumed: from !== null,
    emitted,
    /** Different rows emitted so far, those of the interrupted read included. */
    rows,
    head: place.head,
    /** True for a row that was covered, not inserted since. */
    wasThere: (identity: Identity): boolean =>
      emitted.has(identity) && !inserted.has(identity) && !skipped.has(identity),
    /** Marks a row as emitted; true if it has to be. */
    take: (identity: Identity): boolean => {
      recounted?.add(identity);
      return emitted.add(identity) || skipped.delete(identity);
    },
    /** Counts from 0 again: of the rows that the interrupted read emitted, only those that are taken from now on count. */
    recount: (): void => {
      recounted = createIdentitySet();
    },
    /** Which rows of a page of the scan are new, whether it has no covered one, and the position if the frontier moves. */
    scanned: ({ offset, identities: shown, fresh }: TiedPage<unknown>) => {
      const frontier = shown.findLastIndex((one, index) => fresh[index] === false && !inserted.has(one));
      const isAstray = place.anchors().length > 0 && frontier === -1;
      const border = isAstray ? shown.length : frontier + 1;
      const isSkipped = from !== null && !isAstray;
      const isNew = fresh.map((isFresh, index) => isFresh && (index >= border || !isSkipped));
      const ahead = shown.slice(0, border).filter((_, index) => fresh[index] === true);
      // only rows after the frontier: what stands ahead of it may never have been emitted
      const behind = shown.slice(border);
      for (const identity of ahead) (isSkipped ? skipped : inserted).add(identity);
      for (const identity of behind) inserted.delete(identity);
      if (behind.length === 0) return { isNew, isAstray, position: null };
      place.advance(behind, rows());
      return { isNew, isAstray, position: place.settled(offset + shown.length, rows(), inserted) };
    },
  };
}

/** The frontier, known by its last rows, and where the read began, known by its first ones. */
function createPlace(from: OffsetPosition | null, { of, print }: Identities) {
  let anchors = from?.anchors.map(of) ?? [];
  let head: readonly Identity[] = from?.head.map(of) ?? [];
  return {
    anchors: (): readonly Identity[] => anchors,
    head: (): readonly Identity[] => head,
    /** Moves the frontier past the rows behind it, with which `rows` are emitted. */
    advance: (behind: readonly Identity[], rows: number): void => {
      if (head.length < KEPT) head = [...head, ...behind].slice(0, KEPT);
      if (crossesPowerOfTwo(Math.max(KEPT, rows - behind.length), rows))
        head = [...head, ...behind.slice(-1)];
      anchors = [...anchors, ...behind].slice(-KEPT);
    },
    /** The position, settled now: what follows changes nothing of it. */
    settled: (offset: number, rows: number, inserted: ReadonlySet<Identity>) => {
      const [last, first, late] = [anchors, head, [...inserted].slice(-KEPT_INSERTED)];
      return (): OffsetPosition => {
        return { offset, rows, anchors: last.map(print), head: first.map(print), inserted: late.map(print) };
      };
    },
  };
}

/** True if a power of two lies above `before` and not above `after`: their binary forms differ in length. */
function crossesPowerOfTwo(before: number, after: number): boolean {
  return Math.clz32(after) < Math.clz32(before);
}
