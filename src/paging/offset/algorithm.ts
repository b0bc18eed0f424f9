/*
 * Reads an offset list that changes while it is read. docs/how-it-reads.md explains why no row is lost.
 *
 * - page: a contiguous slice of the list at one moment, requested at an offset
 * - pass: a sequence of pages, from an offset to the end of the list or to a row that was emitted before
 * - covered: a row of a page that this pass has accepted
 * - tied: a page that begins at offset 0 or contains a covered row; only such pages are accepted
 * - scan, head, again: the passes of a read: from where it begins; from offset 0, for rows inserted since; over the whole list, if
 *   rows are missing
 * - position: where a later read can go on: its anchors are the last covered rows, its head the first ones
 *
 * ledger.ts holds the rules of a pass. explain.ts names the cause if a list cannot be read. run.ts numbers rows and finds a place again
 * (position.ts), emission.ts knows what has been emitted, window.ts requests pages ahead, and page-size.ts learns how many rows a page
 * may have.
 */
import { createIdentitySet } from '../identities.ts';
import { emit, extendPosition, findClash, identityAt, positionAt } from './emission.ts';
import { startAgain, startEmission, type Emission } from './emission.ts';
import { errorOf, explain, isCutOff, repeatsFirstPage } from './explain.ts';
import { isSpent, newPass, pageBudget, step, type Ledger, type NumberedPage, type Step } from './ledger.ts';
import { keepsOrder, newOrder } from './order.ts';
import type { OffsetPosition } from './position.ts';
import { countLines, repeatedLines } from './repeated-lines.ts';
import {
  findPlace,
  firstPage,
  numbered,
  startRun,
  type TakenPage,
  type OffsetRead,
  type Run,
} from './run.ts';
import { createPageWindow, type Prefetch, type RequestedPage } from './window.ts';

export interface OffsetBatch<R> {
  readonly pass: 'scan' | 'head' | 'again';
  readonly rows: readonly R[];
  readonly total: number | undefined;
  /** Returns where to resume once everything up to here has been written; null if that is where it was before. */
  readonly state: (() => OffsetPosition) | null;
  readonly covered: number; // distinct rows emitted so far in all passes, including those of an interrupted read
}

/** What a finished read found, and what the list states. */
export interface OffsetOutcome {
  readonly rows: number; // distinct rows emitted, including those of an interrupted read
  readonly expected: number; // the smallest total of the last pass; 0 if none was stated
  readonly maxTotal: number | null; // the largest total of the read; null if none was stated
  readonly isTotalSteady: boolean; // no other total was stated, and the head pass found no new rows
  readonly passes: number; // over the whole list
  readonly limitedAt: number | null; // offset from which the server shows nothing although `expected` is larger
  readonly refusedAt: number | null; // the first offset that the server refused
  readonly refusal: string | null; // the server's words about it
  readonly hasClash: boolean; // different rows of one page had the same key, so only the first one was emitted
  readonly repeatedLines: number; // lines that showed a row again on its page; totals may count them
  readonly reordered: number; // pages on which rows had changed their order
}

const OUT_OF_ORDER =
  'the list has rows before the place at which the last read stopped that were not there, so rows that it emitted may be repeated.';
const HEAD_GONE =
  'the rows at which the last read began are not on the first page any more, so rows that it emitted may be repeated.';
/** Maximum number of further passes over a list in which rows are missing. */
const MAX_AGAIN = 8;

/**
 * Reads an offset list once: every row that is in the list from the start of the read to its end is yielded, exactly once, with rows
 * inserted at the head and deleted anywhere between two requests, as long as the list keeps its relative order. A read that resumes
 * `from` a position yields nothing that was yielded before it, unless it warns.
 *
 * @throws what `fetchPage` throws; config_error PAGES_UNUSABLE or OFFSET_LIMITED, or transient_error LIST_UNSTABLE, if the end of the
 * list cannot be reached
 */
export async function* readOffsetList<R>(read: OffsetRead<R>): AsyncGenerator<OffsetBatch<R>, OffsetOutcome> {
  const run = startRun(read);
  const place = await findPlace(run);
  const emitted = startEmission(run, place);
  const scanned = yield* scan(run, emitted, place);
  const head = yield* readHead(run, emitted);
  let end = { ...scanned, minTotal: head.ledger.minTotal };
  let passes = 1;
  let pages = scanned.pages + head.ledger.pages;
  // a read that resumes has scanned only the rest of the list
  const granted = Math.max(scanned.granted, head.ledger.granted);
  const budget = pageBudget({ size: emitted.rows, granted });
  for (let mayHelp = true; mayHelp && isShort(run, emitted, end) && passes <= MAX_AGAIN; passes++) {
    if (emitted.isResumed) await startAgain(run, emitted);
    const before = { rows: emitted.rows, end };
    end = yield* readAgain(run, emitted);
    pages += end.pages;
    mayHelp = (emitted.rows > before.rows || hasMoved(before.end, end)) && pages <= budget;
  }
  const { maxTotal, minTotal, refusedAt, refusal } = run.stated;
  return {
    ...countsAt(emitted, end),
    maxTotal,
    isTotalSteady: minTotal === maxTotal && !head.hasFound,
    passes,
    refusedAt,
    refusal,
    hasClash: emitted.hasClash,
    repeatedLines: repeatedLines(run.lines),
    reordered: run.reordered,
  };
}

/** Reads the list from the place on, or from offset 0. Yields positions as long as the list keeps its order. */
async function* scan<R>(run: Run<R>, emitted: Emission, place: RequestedPage<R> | null) {
  const { isSame, concurrency, describeClash, warn } = run.read;
  let ledger = newPass(emitted.anchors);
  let mayWarn = emitted.isResumed;
  for await (const taken of passOver(run, ledger, place, concurrency)) {
    const { page, rows } = taken;
    ({ ledger } = taken);
    const clash = emitted.hasClash ? undefined : findClash(page, rows, isSame);
    emitted.hasClash ||= clash !== undefined;
    if (clash !== undefined) await warn(describeClash(clash));
    if (mayWarn && !ledger.isOrdered) {
      mayWarn = false;
      await warn(OUT_OF_ORDER);
    }
    const isNew = emit(emitted, page, rows);
    extendPosition(emitted, page, rows);
    const state = rows.length > 0 && ledger.isOrdered ? positionAt(run, emitted, ledger) : null;
    yield { ...batchOf('scan', emitted, page, isNew), state };
  }
  return ledger;
}

/** Reads the rows that were inserted since the read began: from offset 0 to a row that was emitted before this pass. */
async function* readHead<R>(run: Run<R>, emitted: Emission) {
  const before = emitted.rows;
  const own = createIdentitySet(); // rows emitted in this pass
  const marks = new Set(emitted.head);
  let ledger = newPass([]);
  let mayWarn = emitted.isResumed;
  for await (const taken of passOver(run, ledger, null, 1)) {
    const { page, isTied, rows } = taken;
    const { identities } = page;
    ({ ledger } = taken);
    const isOver = isTied && identities.some((identity) => emitted.set.has(identity) && !own.has(identity));
    const mark = identities.findIndex((identity) => marks.has(identity));
    // the interrupted read has emitted what follows the rows with which it began
    const end = emitted.isResumed && mark !== -1 ? mark : identities.length;
    const isNew = rows.filter((index) => index < end && !emitted.set.has(identityAt(page, index)));
    if (mayWarn && mark === -1 && isNew.length > 0) {
      mayWarn = false;
      await run.read.warn(HEAD_GONE);
    }
    for (const index of isNew) own.add(identityAt(page, index));
    yield batchOf('head', emitted, page, emit(emitted, page, isNew));
    if (isOver) break;
  }
  return { ledger, hasFound: emitted.rows > before };
}

/** Reads the whole list again. */
async function* readAgain<R>(run: Run<R>, emitted: Emission): AsyncGenerator<OffsetBatch<R>, Ledger> {
  let ledger = newPass([]);
  for await (const taken of passOver(run, ledger, null, run.read.concurrency)) {
    ({ ledger } = taken);
    yield batchOf('again', emitted, taken.page, emit(emitted, taken.page, taken.rows));
  }
  return ledger;
}

interface PassedPage<R> extends Step {
  readonly page: TakenPage<R>;
}

/**
 * Yields the pages of a pass, each with the rows that the pass had not covered, until the end of the list is proven.
 *
 * @throws if too many pages yield too few rows
 */
async function* passOver<R>(
  run: Run<R>,
  begin: Ledger,
  place: RequestedPage<R> | null,
  concurrency: number,
): AsyncGenerator<PassedPage<R>> {
  const { fetchPage, maxAheadBytes, signal } = run.read;
  const window = createPageWindow(fetchPage, concurrency, signal);
  const order = newOrder();
  let ledger = begin;
  let maxBytes = 1;
  try {
    let requested = place ?? (await window.take(0));
    let unused: RequestedPage<R> | null = null;
    for (;;) {
      const page = await numbered(run, requested);
      const taken = step(ledger, page, 2 * concurrency);
      ({ ledger } = taken);
      if (page.offset === 0) run.first ??= firstPage(page);
      if (taken.isTied) {
        // a page that is taken again shows the list as it was before the page that filled the gap
        if (requested !== unused && !keepsOrder(order, page.offset, page.identities)) run.reordered++;
        countLines(run.lines, page, run.read.isSame);
      }
      yield { ...taken, page };
      if (ledger.isDone) return;
      if (isSpent(ledger) || repeatsFirstPage(run.first, ledger)) {
        endWithout(run, ledger, page);
        return;
      }
      maxBytes = Math.max(maxBytes, page.bytes);
      const { offset } = ledger;
      if (ledger.idle === 0) {
        const next = prefetchAfter(ledger, page, maxAheadBytes / maxBytes);
        // the page begins with all lines of the last row
        requested = await window.follow(offset, ledger.rank + 2 - ledger.lastRun, next);
      } else if (taken.hasGap && requested !== unused) {
        unused = requested;
        requested = await window.fillGap(offset, requested);
      } else requested = await window.take(offset);
    }
  } finally {
    window.close();
  }
}

/** What to request ahead: the pages that follow a full page with new rows, if the list does not move. */
function prefetchAfter(ledger: Ledger, page: NumberedPage, maxPages: number): Prefetch | null {
  const isFull = page.identities.length >= ledger.granted;
  const stride = ledger.granted - ledger.overlap;
  if (!isFull || stride < 1) return null;
  return { stride, end: page.total ?? Infinity, maxPages };
}

/** Ends a pass whose end cannot be proven: the list is complete or limited as the config allows, or the read fails. */
function endWithout<R>(
  { first, read, stated: { refusal } }: Run<R>,
  ledger: Ledger,
  { rows }: TakenPage<R>,
): void {
  const { list, mayBeShort, describeUnidentifiable } = read;
  const seen = { first, ledger };
  const cause = explain(seen);
  if (cause === 'the page is the whole list') return;
  if (cause === 'nothing is shown beyond an offset' && mayBeShort) return;
  throw errorOf(cause, seen, list, { keyless: describeUnidentifiable(rows), refusal });
}

function batchOf<R>(
  pass: OffsetBatch<R>['pass'],
  emitted: Emission,
  page: TakenPage<R>,
  rows: readonly R[],
): OffsetBatch<R> {
  return { pass, rows, total: page.total, state: null, covered: emitted.rows };
}

/** True if the list states more rows than were found, or at least a page more after the last row. */
function isShort({ lines }: Pick<Run<unknown>, 'lines'>, { rows }: Emission, end: Ledger): boolean {
  return (end.minTotal < Infinity && rows + repeatedLines(lines) < end.minTotal) || isCutOff(end);
}

/** True if a pass ended at another place than the one before it, or states another total: a list that moves may state old totals. */
function hasMoved(before: Ledger, after: Ledger): boolean {
  return before.rank !== after.rank || before.minTotal !== after.minTotal;
}

/** Returns how many rows were found and are expected, and from which offset on the server shows nothing although a page should follow. */
function countsAt({ rows }: Emission, end: Ledger): Pick<OffsetOutcome, 'rows' | 'expected' | 'limitedAt'> {
  const expected = end.minTotal < Infinity ? end.minTotal : 0;
  return { rows, expected, limitedAt: isCutOff(end) ? end.reached : null };
}
