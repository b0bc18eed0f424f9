import { createIdentities, createIdentitySet, type Identity } from '../identities.ts';
import { equalKeys } from './equal-keys.ts';
import type { Cause, FirstPage } from './explain.ts';
import { numbered, type FetchOffsetPage, type NumberedPage, type RequestedPage } from './pages.ts';
import type { Pass } from './pass.ts';
import { findPlace, type OffsetPosition, type Place } from './place.ts';

/** Why rows may be repeated. */
export type Repeats =
  | 'the place is gone' // the list is read from its start
  | 'rows were inserted before the place'
  | 'the head is gone' // the rows with which the interrupted read began are not on the first page
  | 'rows are missing'; // the rows of the interrupted read are read again

export interface OffsetRead<R> {
  readonly fetchPage: FetchOffsetPage<R>;
  readonly limit: number; // rows to request
  readonly keyOf: (row: R) => string | Buffer; // identifies a row in every response; bytes if it is the text of a row without a key
  readonly isSame: (one: R, other: R) => boolean; // true if two rows have the same text
  readonly concurrency: number; // requests in flight, at most
  readonly maxAheadBytes: number; // of pages requested ahead, estimated from the largest page so far
  readonly from: OffsetPosition | null; // where an earlier read stopped; null to read from the start
  /** Called before rows may be repeated. */
  readonly onRepeats: (reason: Repeats) => Promise<void>;
  /** Called once if different rows of a page have the same key, with the second one. */
  readonly onClash: (row: R) => Promise<void>;
  readonly signal: AbortSignal;
}

/** What the server said about an offset that it refused. */
export interface Refusal {
  readonly offset: number;
  readonly words: string;
}

/** What the passes of a read share. */
export interface Run<R> {
  readonly read: OffsetRead<R>;
  readonly identities: ReturnType<typeof createIdentities>;
  emitted: ReturnType<typeof createIdentitySet>; // the rows that are known to be emitted
  rows: number; // distinct rows emitted, including those of an interrupted read
  isResumed: boolean; // not all emitted rows are known
  readonly covering: { head: readonly Identity[]; anchors: readonly Identity[] }; // the first and the last rows of the scan
  readonly copies: Map<Identity, number>; // for each row, how many more times one page has shown it
  hasClash: boolean;
  isReordered: boolean;
  cutsPages: boolean;
  first: FirstPage | null;
  cause: Cause | null;
  refusal: Refusal | null;
  maxTotal: number | null;
  minTotal: number | null;
  passes: number; // over the whole list
  pages: number; // of all passes
  found: number; // the most rows that a pass has covered, before those that look for missing rows
  granted: number; // rows of the largest page
}

export type TakenPage<R> = RequestedPage<R> & NumberedPage;

/** Begins a read that has emitted nothing. */
export function startRun<R>(read: OffsetRead<R>): Run<R> {
  return {
    read,
    identities: createIdentities(),
    emitted: createIdentitySet(),
    rows: 0,
    isResumed: false,
    covering: { head: [], anchors: [] },
    copies: new Map(),
    hasClash: false,
    isReordered: false,
    cutsPages: false,
    first: null,
    cause: null,
    refusal: null,
    maxTotal: null,
    minTotal: null,
    passes: 1,
    pages: 0,
    found: 0,
    granted: 1,
  };
}

/** Returns the page at the place where an earlier read stopped; null to read from the start. */
export async function startAtPlace<R>(run: Run<R>): Promise<Place<TakenPage<R>> | null> {
  const { identities, read } = run;
  const { from, fetchPage, limit, keyOf, onRepeats, signal } = read;
  if (from === null) return null;
  const place = await findPlace(from, limit, identities, async (request) => {
    const page = await fetchPage(request.offset, request.limit, signal);
    return numbered({ ...page, offset: request.offset }, identities, keyOf, signal);
  });
  if (place === null) {
    await onRepeats('the place is gone');
    return null;
  }
  const [head, anchors] = [from.head.map(identities.of), from.anchors.map(identities.of)];
  run.emitted = createIdentitySet([...anchors, ...head]);
  run.covering.head = head;
  run.covering.anchors = anchors;
  run.rows = from.rows;
  run.hasClash = from.clash === true;
  run.isResumed = true;
  return place;
}

/** Forgets the rows of an interrupted read: only those that are found again are still in the list. */
export async function startOver<R>(run: Run<R>): Promise<void> {
  await run.read.onRepeats('rows are missing');
  run.isResumed = false;
  run.emitted = createIdentitySet();
  run.rows = 0;
}

/** Returns the total that a page states. Servers that count along with the rows state 0 on an empty page, whatever the list has. */
export function statedBy({ offset, rows, total }: RequestedPage<unknown>): number | undefined {
  return offset > 0 && rows.length === 0 && total === 0 ? undefined : total;
}

/** Notes what a page shows of the list. */
export async function noteSeen<R>(
  run: Run<R>,
  pass: Pass,
  page: TakenPage<R>,
  rows: readonly number[],
): Promise<void> {
  const { offset, total, refusal, identities, limit, hasCursor = false } = page;
  const count = identities.length;
  if (offset === 0) run.first ??= { first: identities[0], count, limit, hasCursor };
  if (total !== undefined) {
    run.maxTotal = Math.max(run.maxTotal ?? 0, total);
    run.minTotal = Math.min(run.minTotal ?? Infinity, total);
  }
  const isLowest = run.refusal === null || offset < run.refusal.offset;
  if (refusal !== undefined && isLowest && !pass.isAligned) run.refusal = { offset, words: refusal };
  run.pages++;
  if (run.passes === 1) run.found = Math.max(run.found, pass.found);
  run.granted = Math.max(run.granted, pass.granted);
  run.isReordered ||= pass.isReordered;
  run.cutsPages ||= pass.cutsPages;
  // only the first row was covered, and the others are new, so that they have different keys
  const areDifferent = rows.length === count || (rows.length === count - 1 && rows[0] === 1);
  if (pass.isTied && !areDifferent) await noteEqualKeys(run, page);
}

async function noteEqualKeys<R>(run: Run<R>, page: TakenPage<R>): Promise<void> {
  const { read, copies } = run;
  const found = equalKeys(page.rows, page.identities, read.isSame);
  for (const [identity, more] of found.copies)
    copies.set(identity, Math.max(more, copies.get(identity) ?? 0));
  if (found.clash === undefined || run.hasClash) return;
  run.hasClash = true;
  await read.onClash(found.clash);
}

/** Marks rows of a page as emitted. Returns those that were not emitted before. */
export function emit<R>(
  run: Run<R>,
  { rows, identities }: TakenPage<R>,
  indexes: readonly number[],
): readonly R[] {
  const isNew = indexes.filter((index) => run.emitted.add(identities[index] as Identity));
  run.rows += isNew.length;
  return isNew.map((index) => rows[index] as R);
}

/** Returns the position after the rows that the scan has covered, to be written later. */
export function positionAt<R>(
  { identities: { print }, covering: { head, anchors }, rows, hasClash }: Run<R>,
  { end, isAligned, granted }: Pass,
): () => OffsetPosition {
  return () => ({
    offset: end,
    rows,
    anchors: anchors.map(print),
    head: head.map(print),
    ...(isAligned && { aligned: granted }),
    ...(hasClash && { clash: true }),
  });
}
