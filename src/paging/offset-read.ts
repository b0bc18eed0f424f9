import { createIdentities, createIdentitySet, type Identity } from './identities.ts';
import { KEPT, KEPT_INSERTED, createLedger, locate } from './offset-position.ts';
import type { Ledger, OffsetPosition } from './offset-position.ts';
import { isLimit } from './offset-guard.ts';
import type { FetchOffsetPage, OffsetPage, RequestedPage, ScannedList } from './offset-pages.ts';
import { scanTiedPages, type TiedPage } from './offset-scan.ts';

export interface OffsetRead<R> extends Omit<ScannedList<R>, 'identify'> {
  readonly keyOf: (row: R) => string | Buffer; // identifies a row in every response
  readonly isSame: (one: R, other: R) => boolean; // true if two rows have the same text
  readonly from: OffsetPosition | null; // where an earlier read stopped; null to read from the start
  /** Called if rows may be repeated: the place was lost, or the list does not keep its order. */
  readonly warn: (message: string) => Promise<void>;
}

export interface OffsetBatch<R> {
  /** The scan, the pass for rows inserted since, or another pass over a list that does not keep its order. */
  readonly pass: 'scan' | 'head' | 'more';
  readonly rows: readonly R[];
  readonly total: number | undefined;
  /** Returns where to resume once everything up to here has been written; null if that is where it was before. */
  readonly state: (() => OffsetPosition) | null;
  readonly covered: number; // distinct rows emitted so far, including those of an interrupted read
}

const PLACE_GONE =
  'the rows at which the last read stopped are gone from the list, so rows that it emitted are read again.';
const HEAD_GONE =
  'the rows at which the last read began are gone from the head of the list, so some rows that it emitted may be read again.';
const INSERTED_FORGOTTEN =
  'more rows were inserted during the interrupted read than its state remembers, so some of them may be read again.';
const READ_AGAIN =
  'fewer rows were found than the list states, so it is read again from the start, and rows of the interrupted read are repeated.';

/** Pages held back until it is known whether their rows were emitted before. */
const MAX_HELD = 8;
/** Maximum re-reads of a list whose order is unstable. */
const MAX_MORE_PASSES = 8;

/** What a finished read found, and what the list states. */
export interface OffsetOutcome {
  /** Distinct rows emitted, including those of an interrupted read; at most the rows before the first hidden one, if any. */
  readonly rows: number;
  /** The smallest total of the last head pass: rows deleted during it or inserted since it began are not expected. */
  readonly expected: number;
  readonly maxStated: number; // the largest total of the read; 0 if none was stated
  readonly passes: number; // over the whole list
  readonly limitedAt: number | null; // offset from which the server shows nothing although `expected` is larger
  readonly refusedAt: number | null; // the first offset that the server refused
  readonly hasClash: boolean; // different rows of one page had the same key, so only the first one was emitted
}

/**
 * Reads an offset list once: every row that exists from the start of the read to its end is yielded, exactly once, regardless
 * of rows inserted or deleted in between, as long as the list keeps its relative order. A read that resumes `from` a position
 * yields nothing that was yielded before it, unless it warns.
 *
 * After the scan a pass from offset 0 picks up rows inserted since. If fewer rows were found than `totalCount` then states, the
 * order is not stable: the list is read again until no new rows appear. The caller judges whether the outcome is complete.
 *
 * @throws what `fetchPage` and `scanTiedPages` throw
 */
export async function* readOffsetList<R>(read: OffsetRead<R>): AsyncGenerator<OffsetBatch<R>, OffsetOutcome> {
  const { from, keyOf, warn } = read;
  const identities = createIdentities();
  let maxStated = 0;
  let refusedAt: number | null = null;
  const fetchPage: FetchOffsetPage<R> = async (offset, signal) => {
    const page = await read.fetchPage(offset, signal);
    maxStated = Math.max(maxStated, page.total ?? 0);
    if (page.isRefused === true) refusedAt = Math.min(refusedAt ?? offset, offset);
    return page;
  };
  const list = { ...read, fetchPage, identify: (row: R): Identity => identities.ofText(keyOf(row)) };
  const start = from === null ? null : await locate(from.offset, from.anchors.map(identities.of), list);
  const resumed = start === null ? null : from;
  if (from !== resumed) await warn(PLACE_GONE);
  if (resumed !== null && resumed.inserted.length >= KEPT_INSERTED) await warn(INSERTED_FORGOTTEN);
  const ledger = createLedger(resumed, identities);
  const { hidden, hasClash } = yield* scanAll(list, start, ledger);
  const expected = yield* readHead(list, ledger, !ledger.isResumed);
  const last = yield* readAgain(list, ledger, expected, hidden);
  return { ...last, maxStated, refusedAt, hasClash };
}

/** Rows that the list states after the last one that it shows. */
interface HiddenRows {
  readonly from: number; // offset of the first one
  readonly total: number; // rows of the list, including these
  readonly isFar: boolean; // too many to be explained by a list that changes
}

type List<R> = ScannedList<R> & Pick<OffsetRead<R>, 'isSame' | 'warn'>;

/** Scans the list. Returns the rows that it hides, null if there are none, and whether different rows of a page had the same key. */
async function* scanAll<R>(list: List<R>, start: RequestedPage<R> | null, ledger: Ledger) {
  let last: TiedPage<R> | null = null;
  let hasClash = false;
  let mayLosePlace = ledger.isResumed;
  for await (const page of scanTiedPages(list, start, ledger.emitted)) {
    const { isNew, isDetached, position } = ledger.takeScanned(page);
    if (isDetached && mayLosePlace && page.fresh.includes(true)) {
      mayLosePlace = false;
      await list.warn(PLACE_GONE);
    }
    last = page;
    hasClash ||= hasEqualKeys(page, list.isSame);
    yield { ...batchOf('scan', page, isNew, ledger), state: position };
  }
  return { hidden: await hiddenAfter(list, last, ledger), hasClash };
}

/** Returns true if different rows of a page have the same key. */
function hasEqualKeys<R>({ rows, identities, fresh }: TiedPage<R>, isSame: OffsetRead<R>['isSame']): boolean {
  // at most the first of several rows with the same key is fresh
  if (fresh.lastIndexOf(false) <= 0) return false;
  const firstOf = new Map<Identity, R>();
  return rows.some((row, index) => {
    const identity = identities[index] ?? -1;
    const first = firstOf.get(identity);
    if (first === undefined) firstOf.set(identity, row);
    return first !== undefined && !isSame(first, row);
  });
}

/**
 * Returns the rows that were hidden after the last page of a scan; null if there are none. A page and its total describe the same
 * moment, so rows deleted before it do not matter.
 */
async function hiddenAfter<R>(
  { fetchPage, identify, mayBeShort, signal }: List<R>,
  lastPage: TiedPage<R> | null,
  { emitted }: Ledger,
): Promise<HiddenRows | null> {
  const { offset = 0, identities = [], total = 0, granted = 0 } = lastPage ?? {};
  const from = offset + identities.length;
  const isFar = isLimit(from, total, granted);
  if (total <= from || (mayBeShort && !isFar)) return null;
  // halfway to the total there should be rows, however the list changes
  const middle = from + Math.floor((total - from) / 2);
  const page = await fetchPage(middle, signal);
  const stated = page.total ?? total;
  const endsNew = ({ rows }: OffsetPage<R>): boolean =>
    rows.slice(-1).some((row) => !emitted.has(identify(row)));
  if (stated > middle) return { from, total, isFar: isFar && !endsNew(page) };
  // the total was stale, or rows were deleted and hidden ones have moved into view
  const end = await fetchPage(Math.max(0, stated - 1), signal);
  if (endsNew(page) || endsNew(end)) return { from, total, isFar: false };
  // the last row is alone at its offset, unless the server returns its first page there
  const [first] = page.rows.map(identify);
  const repeatsPage = stated > 1 && end.rows.length > 1 && end.rows.some((row) => identify(row) === first);
  const isHidden = stated > 0 && (end.rows.length === 0 || repeatsPage);
  return isHidden ? { from, total: stated, isFar: false } : null;
}

/**
 * Reads the rows that were inserted since the read began: all rows before the first one that was in the list at the start. The pass is
 * repeated as long as each is shorter than the previous one. Returns the smallest total of the last head pass; 0 if none was stated.
 */
async function* readHead<R>(
  list: List<R>,
  ledger: Ledger,
  knowsHead: boolean,
): AsyncGenerator<OffsetBatch<R>, number> {
  let isKnown = knowsHead;
  for (let pagesBefore = Infinity; ;) {
    const { pages, totals, hasFound } = yield* readHeadOnce(list, ledger, isKnown);
    if (!hasFound || pages >= pagesBefore || ledger.rows() >= (totals.at(-1) ?? 0))
      return totals.length === 0 ? 0 : Math.min(...totals);
    pagesBefore = pages;
    isKnown = true;
  }
}

/** One such pass. Unless `knowsHead`, batches are held back until it is known whether their rows were emitted before. */
async function* readHeadOnce<R>(list: List<R>, ledger: Ledger, knowsHead: boolean) {
  const before = ledger.rows();
  const held: OffsetBatch<R>[] = [];
  const totals: number[] = [];
  let pages = 0;
  let isKnown = knowsHead;
  const release = async (): Promise<OffsetBatch<R>[]> => {
    if (!isKnown && ledger.rows() > before) {
      isKnown = true;
      await list.warn(HEAD_GONE);
    }
    return held.splice(0);
  };
  for await (const page of scanTiedPages({ ...list, concurrency: 1 }, null, createIdentitySet())) {
    pages++;
    if (page.total !== undefined) totals.push(page.total);
    const { batch, isOver, isAtMark } = headBatch(page, ledger);
    held.push(batch);
    isKnown ||= isAtMark;
    if (isOver) break;
    if (isKnown || held.length >= MAX_HELD) yield* await release();
  }
  yield* await release();
  return { pages, totals, hasFound: ledger.rows() > before };
}

/** Returns the new rows on a head-pass page, whether it has a row from the start of the read, and whether it has one of the first. */
function headBatch<R>(page: TiedPage<R>, ledger: Ledger) {
  const { identities, fresh } = page;
  const head = ledger.head();
  const marks = new Set(head.slice(0, KEPT));
  const all = new Set(head);
  const first = identities.findIndex(
    (identity, index) => all.has(identity) || (fresh[index] === true && ledger.wasThere(identity)),
  );
  const isNew = identities.slice(0, first === -1 ? undefined : first).map(ledger.take);
  const isAtMark = identities.some((identity) => marks.has(identity));
  return { batch: batchOf('head', page, isNew, ledger), isOver: first !== -1, isAtMark };
}

/**
 * Reads the whole list again as long as fewer rows were found than it states, and a pass finds rows that an earlier one missed.
 * In a resumed read, only rows found again count, since the others may no longer be in the list.
 */
async function* readAgain<R>(
  list: List<R>,
  ledger: Ledger,
  expectedAtFirst: number,
  hiddenAtFirst: HiddenRows | null,
) {
  const { take, rows } = ledger;
  let expected = expectedAtFirst;
  let hidden = hiddenAtFirst;
  let passes = 1;
  const isShort = (): boolean => rows() < expected || hidden !== null;
  // if the server limits the list, reading it again does not help
  const mayHelp = hidden?.isFar !== true;
  if (ledger.isResumed && mayHelp && isShort()) {
    await list.warn(READ_AGAIN);
    ledger.recount();
  }
  for (let hasMissed = mayHelp; hasMissed && passes <= MAX_MORE_PASSES && isShort(); passes++) {
    hasMissed = false;
    let hasMet = false;
    let last: TiedPage<R> | null = null;
    for await (const page of scanTiedPages(list, null, createIdentitySet())) {
      const isNew = page.identities.map(take);
      // a new row before all emitted ones was inserted since; a new row after an emitted one was missed
      hasMissed ||= hasMet && isNew.includes(true);
      hasMet ||= page.fresh.some((fresh, index) => fresh && isNew[index] === false);
      last = page;
      yield batchOf('more', page, isNew, ledger);
    }
    hidden = await hiddenAfter(list, last, ledger);
    expected = yield* readHead(list, ledger, true);
  }
  if (hidden === null) return { rows: rows(), expected, passes, limitedAt: null };
  const { from, total, isFar } = hidden;
  // rows that were emitted and then deleted do not make up for hidden ones
  return { rows: Math.min(rows(), from), expected: total, passes, limitedAt: isFar ? from : null };
}

function batchOf<R>(pass: OffsetBatch<R>['pass'], page: TiedPage<R>, isNew: boolean[], ledger: Ledger) {
  const rows = page.rows.filter((_, index) => isNew[index]);
  return { pass, rows, total: page.total, state: null, covered: ledger.rows() };
}
