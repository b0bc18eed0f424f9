/*
 * Reads an offset list that changes while it is read. docs/how-it-reads.md explains why no row is lost.
 *
 * - page: a contiguous slice of the list at one moment, requested at an offset
 * - pass: a sequence of pages, from an offset to the end of the list or to a row that was emitted before
 * - covered: a row of a page that this pass has accepted
 * - tied: a page that begins at offset 0 or with a covered row; only such pages are accepted
 * - scan, head, again: the passes of a read: from where it begins; from offset 0, for rows inserted since; over the whole list, if
 *   rows are missing
 * - position: where a later read can go on: its anchors are the last covered rows, its head the first ones
 * - place: where a position is found in the list as it is now
 *
 * pass.ts takes a page, and decides which one follows. run.ts holds what the passes share. requests.ts turns an offset into a request,
 * window.ts requests pages ahead, and accepted-size.ts learns how many rows the server accepts. place.ts finds a position again, seen.ts tells
 * what the rows of pages show of the list, explain.ts names the cause if its end is not reached, and outcome.ts says what a read found.
 */
import { createIdentitySet, type Identity } from '../identities.ts';
import { explain, repeatsFirstPage } from './explain.ts';
import {
  hasShrunk,
  isStopped,
  lacksRows,
  leavesRowsOut,
  outcomeOf,
  statedRows,
  type OffsetOutcome,
} from './outcome.ts';
import { newPass, step, type FirstPage, type Pass, type Step } from './pass.ts';
import { extendMarks, type OffsetPosition } from './place.ts';
import { adaptRequests, changeAlignment } from './requests.ts';
import {
  emit,
  isFarBelow,
  lookBeyond,
  positionAt,
  requestPage,
  startAgain,
  startAtPlace,
  startRun,
  totalLater,
} from './run.ts';
import type { OffsetRead, Run, TakenPage } from './run.ts';
import { countLines, isMissing, keepsOrder, missingRows, moveOf, newOrder, type Order } from './seen.ts';
import { createPageWindow, type Prefetch } from './window.ts';

export interface OffsetBatch<R> {
  readonly pass: 'scan' | 'head' | 'again';
  readonly rows: readonly R[];
  readonly total: number | undefined;
  /** Returns where to resume once everything up to here has been written; null if that is where it was before. */
  readonly state: (() => OffsetPosition) | null;
  readonly emitted: number; // distinct rows emitted so far in all passes, including those of an interrupted read
}

/** Maximum number of further passes over a list in which rows are missing. */
const MAX_AGAIN = 8;
/** Pages of a pass without progress, and of the whole read: a fixed number, and more for each full page of rows found. */
const BUDGET = { idle: 64, spare: 100, perPage: 16 };

/**
 * Reads an offset list once: every row that is in the list from the start of the read to its end is yielded, exactly once, with rows
 * inserted at the head and deleted anywhere between two requests, as long as the list keeps its relative order. A read that resumes
 * `from` a position yields nothing that was yielded before it, unless it gives notice. Throws what `fetchPage` throws.
 */
export async function* readOffsetList<R>(
  read: OffsetRead<R>,
): AsyncGenerator<OffsetBatch<R>, OffsetOutcome<R>> {
  const run = startRun(read);
  const place = await startAtPlace(run);
  const scanned = yield* scan(run, place);
  if (isStopped(run)) return outcomeOf(run, scanned, false);
  const scannedRows = run.rows;
  const head = yield* readHead(run);
  const hasGrown = run.rows > scannedRows;
  // an interrupted read has found the rows before the place
  run.reached = Math.max(run.reached, run.rows);
  let end = yield* readMissing(run, { ...scanned, minTotal: head.minTotal });
  // what a service shows while it has lost sight of rows looks like a whole list
  if (run.stop === null && !lacksRows(run, end) && hasShrunk(run)) {
    const minTotal = await totalLater(run);
    if (isFarBelow(statedRows(end), minTotal)) end = yield* readMissing(run, { ...end, minTotal });
  }
  if (run.stop === null) await lookBeyond(run);
  return outcomeOf(run, end, hasGrown);
}

/** Reads the list again as long as rows are missing after a pass, and that may help. Returns the last pass. */
async function* readMissing<R>(run: Run<R>, after: Pass): AsyncGenerator<OffsetBatch<R>, Pass> {
  let end = after;
  for (let mayHelp = run.stop === null; mayHelp && lacksRows(run, end) && run.passes <= MAX_AGAIN;) {
    if (run.isResumed) await startAgain(run);
    const rowsBefore = run.rows;
    run.passes++;
    const again = yield* readAgain(run);
    mayHelp = run.stop === null && (run.rows > rowsBefore || hasMoved(end, again));
    // a pass before has reached the end, but not with the rows that were inserted since
    end = run.stop === null ? again : { ...end, minTotal: again.minTotal };
    run.stop = null;
  }
  return end;
}

/** Reads the list from the place on, or from offset 0. Yields positions as long as the list keeps its order. */
async function* scan<R>(run: Run<R>, place: TakenPage<R> | null): AsyncGenerator<OffsetBatch<R>, Pass> {
  const { concurrency, notify } = run.read;
  const pass = newPass(run.marks.anchors);
  // of a list that ends here, no page would show how many rows a whole one has
  pass.granted = Math.max(pass.granted, run.requests.aligned ?? 0);
  let mayWarn = run.isResumed;
  for await (const { page, rows } of passOver(run, pass, place, concurrency)) {
    if (mayWarn && !pass.isAppended) {
      mayWarn = false;
      await notify({ kind: 'rows were inserted before the place' });
    }
    const isNew = emit(run, page, rows);
    extendMarks(run.marks, page, rows);
    const state = rows.length > 0 && pass.isAppended ? positionAt(run, pass) : null;
    yield { ...batchOf('scan', run, page, isNew), state };
  }
  return pass;
}

/** Reads the rows that were inserted since the read began: from offset 0 to a row that was emitted before this pass. */
async function* readHead<R>(run: Run<R>): AsyncGenerator<OffsetBatch<R>, Pass> {
  const own = createIdentitySet(); // rows emitted in this pass
  const marks = new Set(run.marks.head);
  const pass = newPass([]);
  let mayWarn = run.isResumed;
  for await (const { page, rows, isAccepted } of passOver(run, pass, null, 1)) {
    const { identities } = page;
    const isKnown = (identity: Identity): boolean => run.emitted.has(identity) && !own.has(identity);
    // rows may be inserted, or moved, between known ones too
    const isOver = isAccepted && (run.isResumed ? identities : identities.slice(-1)).some(isKnown);
    const mark = identities.findLastIndex((identity) => marks.has(identity));
    // the interrupted read has emitted what follows the rows with which it began
    const end = run.isResumed && mark !== -1 ? mark : identities.length;
    const isNew = rows.filter((index) => index < end && !run.emitted.has(identities[index] as Identity));
    if (mayWarn && mark === -1 && isNew.length > 0) {
      mayWarn = false;
      await run.read.notify({ kind: 'the head is gone' });
    }
    for (const index of isNew) own.add(identities[index] as Identity);
    yield batchOf('head', run, page, emit(run, page, isNew));
    if (isOver) break;
  }
  return pass;
}

/** Reads the whole list again. */
async function* readAgain<R>(run: Run<R>): AsyncGenerator<OffsetBatch<R>, Pass> {
  const pass = newPass([]);
  for await (const { page, rows } of passOver(run, pass, null, run.read.concurrency))
    yield batchOf('again', run, page, emit(run, page, rows));
  return pass;
}

interface PassedPage<R> extends Step {
  readonly page: TakenPage<R>;
}

/**
 * Yields the pages of a pass, each with the rows that the pass had not covered, until the end of the list is proven; if it is not,
 * `run.stop` says why, or is null if the count of rows must judge.
 */
async function* passOver<R>(
  run: Run<R>,
  pass: Pass,
  place: TakenPage<R> | null,
  concurrency: number,
): AsyncGenerator<PassedPage<R>> {
  const request = (offset: number, dropped: AbortSignal) => requestPage(run, offset, dropped);
  const window = createPageWindow(request, concurrency, run.read.signal);
  const order = newOrder();
  try {
    let page: TakenPage<R> = place ?? (await window.take(0));
    let unused: TakenPage<R> | null = null;
    for (;;) {
      if (adaptRequests(run.requests, page, pass)) page = await window.take(pass.offset);
      // a page that is taken again after a gap is one request older
      const taken = step(pass, page, 2 * concurrency + 1);
      note(run, pass, page);
      if (taken.isAccepted) await compareRows(run, order, page);
      yield { ...taken, page };
      if (pass.isDone) await lookForMissing(run, order);
      if (pass.isDone || mustStop(run, pass, page)) return;
      // the next page must begin with all lines of the last row
      if (pass.idle === 0)
        page = await window.follow(pass.offset, coveredTo(pass), prefetchAfter(run, pass, page));
      else if (taken.hasGap && page !== unused) {
        unused = page;
        page = await window.fillGap(pass.offset, page);
      } else page = await window.take(pass.offset);
    }
  } finally {
    window.close();
  }
}

/** Returns the offset before which the page must begin that shows all lines of the last row again. */
function coveredTo({ last }: Pass): number {
  return last === null ? 0 : last.offset + 2 - last.lines;
}

/**
 * What to request ahead of a full page with new rows: the pages that would follow if the list did not move. The second page shows whether the
 * server takes any offset.
 */
function prefetchAfter<R>(
  { requests, read, maxBytes }: Run<R>,
  { granted, overlap, pages }: Pass,
  page: TakenPage<R>,
): Prefetch | null {
  const isFull = page.identities.length >= granted;
  const stride = granted - overlap;
  if (!isFull || stride < 1 || pages < 2 || requests.aligned !== null) return null;
  return { stride, end: page.total ?? Infinity, maxPages: read.maxAheadBytes / maxBytes };
}

/** Notes what a page adds to what is known of the list. */
function note<R>(run: Run<R>, pass: Pass, page: TakenPage<R>): void {
  const { stated, requests } = run;
  if (page.offset === 0) run.first ??= firstPage(page);
  if (page.isRefused === true) {
    stated.refusedAt = Math.min(stated.refusedAt ?? page.offset, page.offset);
    stated.refusal ??= page.refusal ?? null;
  }
  changeAlignment(requests, pass);
  run.maxBytes = Math.max(run.maxBytes, page.bytes);
  run.pages++;
  run.retries += page.retries ?? 0;
  run.granted = Math.max(run.granted, pass.granted);
  // further passes get no more requests, whatever they find
  if (run.passes === 1) run.reached = Math.max(run.reached, pass.reached);
}

/** Compares the rows of an accepted page with each other, and their order with that of the pages before. */
async function compareRows<R>(run: Run<R>, order: Order, page: TakenPage<R>): Promise<void> {
  const { isSame, notify } = run.read;
  const clash = countLines(run.lines, page, isSame);
  if (clash !== undefined && !run.hasClash) {
    run.hasClash = true;
    await notify({ kind: 'clash', row: clash });
  }
  if (!keepsOrder(order, page)) run.reordered++;
  run.moves.push(...moveOf(order, page));
}

/**
 * Where no total tells, requests two pages again: the one that showed rows, and the later one that lacks them. If they still differ, or most
 * rows of the later one are unknown, the rows were neither deleted nor inserted: the order of the list depends on the offset.
 */
async function lookForMissing<R>(run: Run<R>, order: Order): Promise<void> {
  const missing = run.stated.maxTotal === null ? missingRows(order) : null;
  if (missing === null) return;
  const { identities } = await requestPage(run, missing.offset, run.read.signal);
  const found = missing.identities.filter((identity) => identities.includes(identity));
  if (found.length === 0) return;
  const later = await requestPage(run, missing.laterOffset, run.read.signal);
  // hardly ever are most rows of a page inserted between two requests
  const unknown = later.identities.filter((identity) => !run.emitted.has(identity));
  if (isMissing(order, found, later.identities) || 2 * unknown.length > later.identities.length)
    run.reordered++;
}

function firstPage({ identities, limit, hasCursor = false }: TakenPage<unknown>): FirstPage {
  return { first: identities[0], count: identities.length, limit, hasCursor };
}

/** Ends a pass whose end cannot be proven, and notes why, unless the page that the server always returns is the whole list. */
function mustStop<R>(run: Run<R>, pass: Pass, page: TakenPage<R>): boolean {
  if (!isSpent(run, pass) && !repeatsFirstPage(run.first, pass)) return false;
  const cutsPages = pass.cutsPages || leavesRowsOut(run);
  const stop = explain(run.first, run.requests.multiples, { ...pass, cutsPages });
  run.stop = stop && { ...stop, lastPage: page.rows };
  return true;
}

/** True if a read has taken too many pages for the rows that it has found. */
function isSpent<R>({ pages, reached, granted, retries }: Run<R>, { idle }: Pass): boolean {
  const filled = Math.ceil(reached / Math.max(1, granted - 1));
  return idle + retries > BUDGET.idle || pages > BUDGET.spare + BUDGET.perPage * filled;
}

function batchOf<R>(pass: OffsetBatch<R>['pass'], run: Run<R>, { total }: TakenPage<R>, rows: readonly R[]) {
  return { pass, rows, total, state: null, emitted: run.rows };
}

/** True if a pass ended at another place than the one before it, or states another total: a list that moves may state old totals. */
function hasMoved(before: Pass, after: Pass): boolean {
  return before.last?.offset !== after.last?.offset || before.minTotal !== after.minTotal;
}
