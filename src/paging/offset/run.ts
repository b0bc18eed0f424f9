import { createIdentities, createIdentitySet, type Identities, type IdentitySet } from '../identities.ts';
import type { Stop } from './explain.ts';
import type { FirstPage, NumberedPage, Pass } from './pass.ts';
import { findPlace, marksOf, written, type Marks, type OffsetPosition } from './place.ts';
import { learn, newRequests, requestAt, type Requests } from './requests.ts';
import { rowsLeftOut, type Move, type RepeatedLines } from './seen.ts';
import type { FetchOffsetPage, OffsetPage } from './window.ts';

export interface OffsetRead<R> {
  readonly fetchPage: FetchOffsetPage<R>;
  readonly keyOf: (row: R) => string | Buffer; // identifies a row in every response; bytes if it is the text of a row without a key
  readonly isSame: (one: R, other: R) => boolean; // true if two rows have the same text
  readonly concurrency: number;
  readonly maxAheadBytes: number; // of pages requested ahead, estimated from the largest page so far
  readonly from: OffsetPosition | null; // where an earlier read stopped; null to read from the start
  readonly notify: (notice: Notice<R>) => Promise<void>;
  readonly pause: (found: { readonly rows: number; readonly stated: number }) => Promise<void>; // as long as a service may hide rows
  readonly signal: AbortSignal;
}

/** What a user should know at once. Rows are repeated after each notice but a clash, which comes once. */
export type Notice<R> =
  | { readonly kind: 'clash'; readonly row: R } // different rows of a page have its key
  | { readonly kind: 'the place is gone' }
  | { readonly kind: 'the head is gone' }
  | { readonly kind: 'rows were inserted before the place' }
  | { readonly kind: 'read again' }; // rows are missing after an interrupted read

/** A page whose rows are numbered. */
export type TakenPage<R> = OffsetPage<R> & NumberedPage;

/** What the passes of a read share. */
export interface Run<R> {
  readonly read: OffsetRead<R>;
  readonly identities: Identities;
  readonly requests: Requests;
  readonly stated: {
    maxTotal: number | null;
    minTotal: number | null;
    latest: number; // total; 0 if there is none
    hasFallen: boolean; // a total was far below the one before
    later: { readonly min: number; readonly max: number } | null; // totals of pages with rows above offset 0
    atLeast: number | null; // rows, as the counts of pages tell
    refusedAt: number | null; // the first offset that the server refused
    refusal: string | null; // the server's words
  };
  readonly farthest: { page: TakenPage<R> | null; said: number }; // the last page that has rows, and an offset at which some are said to follow
  readonly lines: RepeatedLines;
  readonly moves: Move[]; // of the list, between two pages
  reordered: number; // pages on which rows had changed their order
  first: FirstPage | null;
  readonly marks: Marks;
  emitted: IdentitySet; // the rows that are known to be emitted
  rows: number; // distinct rows emitted, including those of an interrupted read
  isResumed: boolean; // not all emitted rows are known
  hasClash: boolean; // a page had two different rows with one key
  passes: number; // over the whole list
  pages: number; // of all passes
  retries: number; // requests with another limit
  maxBytes: number; // of a page
  reached: number; // rows of the list that were reached, on which the budget of requests depends
  granted: number; // rows of the largest page
  beyond: number | null; // an offset at which rows follow that no pass has reached
  stop: (Stop & { readonly lastPage: readonly R[] }) | null; // why the end of the list is not reached
}

/** Begins a read from the start of the list. */
export function startRun<R>(read: OffsetRead<R>): Run<R> {
  return {
    read,
    identities: createIdentities(),
    requests: newRequests(read.from?.aligned ?? null),
    stated: {
      maxTotal: null,
      minTotal: null,
      latest: 0,
      hasFallen: false,
      later: null,
      atLeast: null,
      refusedAt: null,
      refusal: null,
    },
    farthest: { page: null, said: 0 },
    lines: new Map(),
    moves: [],
    reordered: 0,
    first: null,
    marks: { head: [], anchors: [] },
    emitted: createIdentitySet(),
    rows: 0,
    isResumed: false,
    hasClash: false,
    passes: 1,
    pages: 0,
    retries: 0,
    maxBytes: 1,
    reached: 0,
    granted: 0,
    beyond: null,
    stop: null,
  };
}

/** Looks for the place at which an interrupted read stopped. Returns the page there; null to read from the start. */
export async function startAtPlace<R>(run: Run<R>): Promise<TakenPage<R> | null> {
  const { read, identities, marks } = run;
  const { from, notify, signal } = read;
  if (from === null) return null;
  const place = await findPlace(from, identities, (offset) => requestPage(run, offset, signal));
  if (place === null) {
    await notify({ kind: 'the place is gone' });
    return null;
  }
  Object.assign(marks, marksOf(from, identities));
  run.emitted = createIdentitySet([...marks.anchors, ...marks.head]);
  run.rows = from.rows;
  run.isResumed = true;
  run.hasClash = from.clash ?? false;
  return place;
}

/** Forgets the rows of an interrupted read: only those that are found again are still in the list. */
export async function startAgain<R>(run: Run<R>): Promise<void> {
  await run.read.notify({ kind: 'read again' });
  run.isResumed = false;
  run.emitted = createIdentitySet();
  run.rows = 0;
}

/** Requests the page with the row at an offset, and numbers its rows by their keys. */
export async function requestPage<R>(
  run: Run<R>,
  wanted: number,
  signal: AbortSignal,
): Promise<TakenPage<R>> {
  const { read, requests, stated, identities } = run;
  const request = requestAt(requests, wanted);
  const { offset, atMost } = request;
  const page = withoutEmptyTotal(await read.fetchPage(offset, signal, atMost), offset);
  learn(requests, request, page);
  if (page.total !== undefined) {
    stated.maxTotal = Math.max(stated.maxTotal ?? 0, page.total);
    stated.minTotal = Math.min(stated.minTotal ?? Infinity, page.total);
    stated.hasFallen ||= isFarBelow(page.total, stated.latest);
    stated.latest = page.total;
  }
  if (offset > 0) noteLater(stated, page);
  const keys = page.rows.map(read.keyOf);
  const taken: TakenPage<R> = {
    ...page,
    offset,
    limit: page.limit ?? Infinity,
    isAligned: requests.aligned !== null,
    identities: keys.map(identities.ofText),
    isKeyless: keys.some((key) => typeof key !== 'string'),
  };
  noteFarthest(run, taken);
  return taken;
}

/** True if a total is below another one by a tenth, and ten rows at least: fewer are deleted or inserted between two requests. */
export function isFarBelow(total: number, other: number): boolean {
  return other - total >= Math.max(10, other / 10);
}

/** Notes what a page above offset 0 states: the first page may come from a cache. */
function noteLater(stated: Run<unknown>['stated'], { rows, total, atLeast }: OffsetPage<unknown>): void {
  if (total !== undefined && rows.length > 0) {
    const { min, max } = stated.later ?? { min: total, max: total };
    stated.later = { min: Math.min(min, total), max: Math.max(max, total) };
  }
  if (atLeast !== undefined) stated.atLeast = Math.min(stated.atLeast ?? Infinity, atLeast);
}

/** Returns what pages show of rows that may be missing, beside the totals of the last pass. */
export function evidenceOf({
  stated,
  moves,
  granted,
  beyond,
}: Pick<Run<unknown>, 'stated' | 'moves' | 'granted' | 'beyond'>) {
  const { later, atLeast } = stated;
  const steady = later !== null && later.min === later.max ? later.max : 0;
  return { statedLater: Math.max(steady, atLeast ?? 0), leftOut: rowsLeftOut(moves, granted), beyond };
}

/** Notes how far a page shows rows, or says that some follow. */
function noteFarthest<R>({ farthest, granted }: Pick<Run<R>, 'farthest' | 'granted'>, page: TakenPage<R>) {
  const { rows, offset, moreAt = 0, saysMore } = page;
  if (rows.length > 0 && offset >= (farthest.page?.offset ?? 0)) farthest.page = page;
  const next = saysMore === true ? offset + Math.max(rows.length, granted) : 0;
  farthest.said = Math.max(farthest.said, moreAt, next);
}

/**
 * Looks for rows that no pass has reached, where pages have shown rows, or said that some follow. Only where no total tells: an empty page
 * may stand in the middle of a list whose rows are left out after the cut.
 */
export async function lookBeyond<R>(run: Run<R>): Promise<void> {
  const { stated, farthest, reached, read, isResumed } = run;
  // many services state a next offset at the end, too; of an interrupted read, most rows look unknown
  if (stated.maxTotal !== null || isResumed) return;
  const seenAt = farthest.page !== null && isUnknown(run, farthest.page) ? farthest.page.offset : 0;
  for (const offset of new Set([farthest.said, seenAt])) {
    // every pass begins at offset 0
    if (offset === 0 || offset < reached || run.beyond !== null) continue;
    const page = await requestPage(run, offset, read.signal);
    if (!isUnknown(run, page)) continue;
    // past the end, some servers show their first page, to which rows may have been added, as to the end of the list
    const first = await requestPage(run, 0, read.signal);
    const last = await requestPage(run, Math.max(0, reached - 1), read.signal);
    const known = new Set([...first.identities, ...last.identities]);
    if (!page.identities.some((identity) => known.has(identity))) run.beyond = offset;
  }
}

/** Returns the total that the list states after a pause; 0 if it states none. */
export async function totalLater<R>(run: Run<R>): Promise<number> {
  const { read, rows, stated } = run;
  await read.pause({ rows, stated: stated.maxTotal ?? 0 });
  const { total = 0 } = await requestPage(run, 0, read.signal);
  return total;
}

/** True if a page has rows, and none of them was emitted. */
function isUnknown<R>({ emitted }: Run<R>, { identities }: TakenPage<R>): boolean {
  return identities.length > 0 && !identities.some((identity) => emitted.has(identity));
}

/** Drops a total of zero from an empty page after the first: servers that count along with the rows state it there, whatever the list has. */
function withoutEmptyTotal<
  P extends { readonly rows: readonly unknown[]; readonly total: number | undefined },
>(page: P, offset: number): P {
  const isEmpty = offset > 0 && page.rows.length === 0;
  return isEmpty && page.total === 0 ? { ...page, total: undefined } : page;
}

/** Marks rows of a page as emitted. Returns those that were not emitted before. */
export function emit<R>(run: Run<R>, page: TakenPage<R>, indexes: readonly number[]): readonly R[] {
  const rows = indexes
    .filter((index) => run.emitted.add(page.identities[index] as number))
    .map((index) => page.rows[index] as R);
  run.rows += rows.length;
  return rows;
}

/** Returns the position after the rows that the scan has covered, to be written later. */
export function positionAt<R>(run: Run<R>, pass: Pass): () => OffsetPosition {
  const { identities, rows, hasClash, requests } = run;
  const marks = { ...run.marks };
  const offset = (pass.last?.offset ?? -1) + 1;
  const clash = hasClash ? { clash: true as const } : {};
  const aligned = requests.aligned === null ? {} : { aligned: requests.aligned };
  return () => ({ offset, rows, ...written(marks, identities), ...aligned, ...clash });
}
