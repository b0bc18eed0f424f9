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
 * pass.ts takes a page; run.ts holds what the passes share, and outcome.ts what they have found. window.ts requests pages ahead, place.ts
 * finds a position again, and explain.ts names the cause if a list cannot be read to its end. equal-keys.ts finds rows of one page with
 * the same key, and page-size.ts learns how many rows a page may have.
 */
import { createIdentitySet, type Identity } from '../identities.ts';
import { explain, isSpent } from './explain.ts';
import { isShort, missingIn, outcomeOf, type End, type OffsetOutcome } from './outcome.ts';
import { numbered } from './pages.ts';
import { newPass, step, type Pass } from './pass.ts';
import { extend, type OffsetPosition, type Place } from './place.ts';
import { emit, noteSeen, positionAt, startAtPlace, startOver, startRun, statedBy } from './run.ts';
import type { OffsetRead, Run, TakenPage } from './run.ts';
import { createPageWindow } from './window.ts';

export interface OffsetBatch<R> {
  readonly pass: 'scan' | 'head' | 'again';
  readonly rows: readonly R[];
  readonly total: number | undefined;
  /** Returns where to resume once everything up to here has been written; null if that is where it was before. */
  readonly state: (() => OffsetPosition) | null;
  readonly covered: number; // distinct rows emitted so far in all passes, including those of an interrupted read
}

/** Maximum number of further passes over a list in which rows are missing. */
const MAX_AGAIN = 8;

/**
 * Reads an offset list once: every row that is in the list from the start of the read to its end is yielded, exactly once, with rows
 * inserted at the head and deleted anywhere between two requests, as long as the list keeps its relative order. A read that resumes
 * `from` a position yields nothing that was yielded before it, unless it calls `onRepeats`. Throws what `fetchPage` throws.
 */
export async function* readOffsetList<R>(read: OffsetRead<R>): AsyncGenerator<OffsetBatch<R>, OffsetOutcome> {
  const run = startRun(read);
  const place = await startAtPlace(run);
  const scanned = yield* scan(run, place);
  if (isStopped(run)) return outcomeOf(run, scanned, false);
  const scannedRows = run.rows;
  const head = yield* readHead(run);
  const hasGrown = run.rows > scannedRows;
  let end: End = { ...scanned, minTotal: head.minTotal };
  // further passes share one budget
  run.found = Math.max(run.found, run.rows);
  for (let before = Infinity; run.cause === null && isShort(run, end) && run.passes <= MAX_AGAIN;) {
    const missing = missingIn(run, end);
    // a pass that finds none of the missing rows does not help
    if (missing >= before) break;
    // the rows of an interrupted read are not known to be in the list
    before = run.isResumed ? Infinity : missing;
    if (run.isResumed) await startOver(run);
    run.passes++;
    const again = yield* readAgain(run);
    if (isStopped(run)) {
      // a pass before has reached the end
      run.cause = null;
      break;
    }
    end = again;
  }
  return outcomeOf(run, end, hasGrown);
}

/** Reads the list from the place on, or from offset 0. Yields positions as long as the list keeps its order. */
async function* scan<R>(run: Run<R>, place: Place<TakenPage<R>> | null) {
  const { from, onRepeats } = run.read;
  const pass =
    place === null ? newPass(0, [], 0, false) : newPass(place.offset, run.covering.anchors, place.end, false);
  pass.isAligned = place !== null && from?.aligned !== undefined;
  if (pass.isAligned) pass.granted = Math.max(pass.granted, from?.aligned ?? 0);
  let mayWarn = run.isResumed;
  for await (const { page, rows } of passOver(run, pass, place?.page ?? null, run.read.concurrency)) {
    if (mayWarn && !pass.isOrdered) {
      mayWarn = false;
      await onRepeats('rows were inserted before the place');
    }
    const isNew = emit(run, page, rows);
    extend(
      run.covering,
      rows.map((index) => page.identities[index] as Identity),
    );
    const state = rows.length > 0 && pass.isOrdered ? positionAt(run, pass) : null;
    yield { ...batchOf('scan', run, page, isNew), state };
  }
  return pass;
}

/** Reads the rows that were inserted since the read began: from offset 0 to a row that was emitted before this pass. */
async function* readHead<R>(run: Run<R>): AsyncGenerator<OffsetBatch<R>, Pass> {
  const own = createIdentitySet(); // rows emitted in this pass
  const marks = new Set(run.covering.head);
  const pass = newPass(0, [], 0, run.cutsPages);
  let mayWarn = run.isResumed;
  for await (const { page, rows } of passOver(run, pass, null, 1)) {
    const { identities } = page;
    const isOver =
      pass.isTied && identities.some((identity) => run.emitted.has(identity) && !own.has(identity));
    const mark = identities.findIndex((identity) => marks.has(identity));
    // the interrupted read has emitted what follows the rows with which it began
    const end = run.isResumed && mark !== -1 ? mark : identities.length;
    const isNew = rows.filter((index) => index < end && !run.emitted.has(identities[index] as Identity));
    if (mayWarn && mark === -1 && isNew.length > 0) {
      mayWarn = false;
      await run.read.onRepeats('the head is gone');
    }
    for (const index of isNew) own.add(identities[index] as Identity);
    yield batchOf('head', run, page, emit(run, page, isNew));
    if (isOver) break;
  }
  return pass;
}

/** Reads the whole list again. */
async function* readAgain<R>(run: Run<R>): AsyncGenerator<OffsetBatch<R>, Pass> {
  const pass = newPass(0, [], 0, run.cutsPages);
  for await (const { page, rows } of passOver(run, pass, null, run.read.concurrency))
    yield batchOf('again', run, page, emit(run, page, rows));
  return pass;
}

/** Yields the pages of a pass, each with the rows that the pass had not covered, until it ends; `run.cause` says why if it cannot. */
async function* passOver<R>(
  run: Run<R>,
  pass: Pass,
  place: TakenPage<R> | null,
  concurrency: number,
): AsyncGenerator<{ readonly page: TakenPage<R>; readonly rows: readonly number[] }> {
  const { read, identities } = run;
  const { fetchPage, keyOf, signal } = read;
  const window = createPageWindow(fetchPage, { ...read, concurrency });
  let isFull = false;
  try {
    for (let found = place; ; found = null) {
      const page: TakenPage<R> =
        found ?? (await numbered(await window.next(pass, isFull), identities, keyOf, signal));
      const taken = { ...page, total: statedBy(page) };
      const rows = step(pass, taken, 2 * concurrency);
      await noteSeen(run, pass, taken, rows);
      yield { page: taken, rows };
      if (pass.isDone) return;
      if (isSpent(run, pass)) {
        run.cause = explain(run, pass);
        return;
      }
      isFull = pass.idle === 0 && page.rows.length >= pass.granted && pass.granted > 1;
      window.adapt(pass.idle === 0);
    }
  } finally {
    window.close();
  }
}

function batchOf<R>(pass: OffsetBatch<R>['pass'], run: Run<R>, { total }: TakenPage<R>, rows: readonly R[]) {
  return { pass, rows, total, state: null, covered: run.rows };
}

/** True if the read cannot go on. Where nothing is shown beyond an offset, the rows before it are still read. */
function isStopped<R>({ cause }: Run<R>): boolean {
  return cause !== null && cause !== 'nothing is shown beyond an offset';
}
