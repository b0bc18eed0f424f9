import type { Identity } from '../identities.ts';
import { createCovered, type Covered } from './covered.ts';
import type { NumberedPage } from './pages.ts';

/** Different short pages in a row with the same last row that end a list: some may have been cut after it by chance. */
const SAME_ENDS = 4;
/** Smaller pages may show the first row again because rows were inserted. */
const MIN_FULL = 8;
/** The latest pages that are kept to explain why a list cannot be read. */
const LOGGED = 32;
/** How far before a covered row a row was that is inserted between two covered rows, in places. */
const BETWEEN = 1e-6;

/** What remains of a page once it has been taken. */
export interface PageNote extends Pick<NumberedPage, 'offset' | 'limit' | 'total' | 'isKeyless'> {
  readonly count: number; // of rows
  readonly first: Identity | undefined;
  readonly isTied: boolean;
  readonly isStray: boolean; // in place of the rows at its offset, it shows covered ones
  readonly found: number; // rows after the last covered one
}

/** What a pass knows about the list. Only `step` changes it. */
export interface Pass {
  offset: number; // to request next
  readonly covered: Covered; // the rows of accepted pages
  end: number; // the offset after the last covered row, when it was covered
  granted: number; // rows of the largest accepted page
  overlap: number; // rows that a full page shares with the next one
  back: number; // rows by which the latest request went back; 0 after an accepted page
  strays: number; // pages in a row that show only covered rows, where others should be
  sameEnds: number; // different short pages in a row without a new row, and with the same last row
  wasShort: boolean; // the last accepted page was short
  cutsPages: boolean; // a short page was followed by new rows
  hasSingles: boolean; // a page of one row showed another one than the page before
  head: Identity | undefined; // the first row of the list
  lastOffset: number; // of the last accepted page
  first: Identity | undefined; // its first row
  last: Identity | undefined; // its last row
  lastEnd: number; // the offset after it, when it was last shown
  lastShown: number; // pages taken until then
  takesAny: boolean; // a page with new rows began at an offset that is no multiple of the limit
  isAligned: boolean; // the server takes only multiples of the limit as offsets
  isCounted: boolean; // a page after the first states a total beyond its end
  room: number; // rows to request after the total
  total: number | undefined; // the latest one
  minTotal: number; // the smallest one; Infinity if none was stated
  pages: number; // taken
  idle: number; // pages since the last progress
  found: number; // rows covered at most
  isOrdered: boolean; // no row was inserted among the covered ones
  isReordered: boolean; // covered rows were shown in another order
  isTied: boolean; // the last page was accepted
  isDone: boolean; // the end of the list is proven
  log: readonly PageNote[]; // the latest pages
}

/** Begins a pass, at offset 0, or after rows that an earlier read has covered, which end at `end`. */
export function newPass(offset: number, before: readonly Identity[], end: number, cutsPages: boolean): Pass {
  const covered = createCovered();
  for (const identity of before) covered.append(identity);
  return {
    offset,
    covered,
    end,
    // pages of one row never cover a second one
    granted: before.length > 0 ? 2 : 1,
    overlap: 1,
    back: 0,
    strays: 0,
    sameEnds: 0,
    wasShort: false,
    cutsPages,
    hasSingles: false,
    head: undefined,
    lastOffset: -1,
    first: undefined,
    last: before.at(-1),
    lastEnd: end,
    lastShown: 0,
    takesAny: false,
    isAligned: false,
    isCounted: false,
    room: 1,
    total: undefined,
    minTotal: Infinity,
    pages: 0,
    idle: 0,
    found: 0,
    isOrdered: true,
    isReordered: false,
    isTied: false,
    isDone: false,
    log: [],
  };
}

/**
 * Takes a page. Changes the pass, and returns the indexes of the rows that it covers for the first time, in ascending order. `wide`: rows
 * that pages share at least once two did not meet, because other pages were in flight.
 */
export function step(pass: Pass, page: NumberedPage, wide: number): readonly number[] {
  const sight = look(pass, page);
  if (sight.isStray) pass.strays++;
  else if (sight.isMet && (sight.found > 0 || sight.follows)) pass.strays = 0;
  // many insertions, too, may be the reason for a single one
  const isStray = sight.isStray && pass.strays > 1;
  pass.isTied = sight.isMet && !isStray && !sight.isMisaligned;
  note(pass, page, { ...sight, isStray });
  if (sight.isMisaligned) {
    pass.isAligned = true;
    pass.granted = Math.max(pass.granted, page.identities.length);
  } else if (pass.isTied) return accept(pass, page, sight);
  else goBack(pass, page, isStray ? pass.overlap : Math.max(wide, 2 * pass.overlap));
  return [];
}

interface Sight {
  readonly known: number; // index after the last covered row
  readonly found: number; // rows from there on
  readonly isNewHead: boolean; // offset 0 shows no covered row, so covering begins anew: all were deleted, or pushed down
  readonly isShort: boolean; // fewer rows than the largest page and than requested
  readonly isMisaligned: boolean; // the server refuses an offset that is no multiple of the limit, or rounds it down
  readonly isMet: boolean; // it begins at offset 0 or with a covered row
  readonly follows: boolean; // it shows rows after the last one of the page before it
  readonly isStray: boolean; // it shows only covered rows where others should be, and does not follow the page before it
}

/** Compares a page with the covered rows. */
function look(pass: Pass, page: NumberedPage): Sight {
  const { covered, granted, end } = pass;
  const { offset, identities, limit, total } = page;
  const count = identities.length;
  const known = identities.findLastIndex(covered.has) + 1;
  const isNewHead = offset === 0 && known === 0 && covered.size() > 0;
  const found = isNewHead ? 0 : count - known;
  const isShort = count < Math.min(Math.max(2, granted), limit);
  const isMet = offset === 0 || (count > 0 && covered.has(identities[0] as Identity));
  const mayAlign = !pass.isAligned && !pass.takesAny && offset % limit > 0 && granted > 1;
  const isMisaligned = mayAlign && (page.refusal !== undefined || showsHead(pass, page));
  const isPast = offset + count > end && offset + count >= (total ?? 0);
  const follows = followsLast(pass, identities);
  // a short page at the end is none, unless the page at another offset began with the same row
  const mayStray = !isShort || identities[0] === pass.first;
  const isStray = offset > 0 && isMet && known === count && isPast && !follows && mayStray;
  return { known, found, isNewHead, isShort, isMet, follows, isMisaligned, isStray };
}

/** True if a later page shows the first row of the list, after which a few others may have been inserted. */
function showsHead({ head, granted }: Pass, { identities }: NumberedPage): boolean {
  return head !== undefined && granted >= MIN_FULL && identities.includes(head);
}

/** True if a page shows rows after the last row of the one before it. */
function followsLast({ last }: Pass, identities: readonly Identity[]): boolean {
  return last !== undefined && identities.slice(0, -1).includes(last);
}

/** Counts a page, and notes what it shows. */
function note(pass: Pass, page: NumberedPage, { found, isStray, isMisaligned }: Sight): void {
  const { isTied } = pass;
  const { offset, limit, total, isKeyless, identities } = page;
  const count = identities.length;
  pass.pages++;
  pass.idle++;
  if (total !== undefined) {
    pass.total = total;
    pass.minTotal = Math.min(pass.minTotal, total);
    // a page with rows after the total shows that it is too small
    if (isTied && offset > 0 && count > 0 && total !== offset + count)
      pass.isCounted = total > offset + count;
  }
  if (isMisaligned) return;
  const own = { offset, limit, total, isKeyless, count, first: identities[0], isTied, isStray };
  pass.log = [...pass.log.slice(1 - LOGGED), { ...own, found: isTied ? found : 0 }];
}

/** Rows before the page were deleted, or there are none at its offset: goes back, twice as far each time. */
function goBack(pass: Pass, { offset, identities }: NumberedPage, wide: number): void {
  if (identities.length > 0) pass.overlap = wide;
  if (identities.length === 1 && pass.granted === 1) pass.hasSingles = true;
  pass.back = Math.max(2 * pass.back, 1, pass.granted >> 2);
  pass.offset = Math.max(0, offset - pass.back);
}

/** Covers the rows of a tied page, and decides whether the list ends, and which offset follows. */
function accept(pass: Pass, page: NumberedPage, sight: Sight): readonly number[] {
  const { offset, identities } = page;
  const { found, isNewHead, isShort } = sight;
  const count = identities.length;
  if (offset === 0) [pass.head] = identities;
  if (found > 0 || pass.strays === 0) pass.back = 0;
  if (isNewHead) {
    pass.isOrdered = false;
    pass.covered.clear();
  }
  const rows = cover(pass, identities, isNewHead ? 0 : sight.known);
  pass.takesAny ||= found > 0 && offset % page.limit > 0;
  pass.granted = Math.max(pass.granted, count);
  pass.found = Math.max(pass.found, pass.covered.size());
  if (found > 0) pass.cutsPages ||= pass.wasShort;
  if (found > 0 && isProgress(pass, page, sight)) {
    pass.end = offset + count;
    pass.idle = 0;
  }
  // a page that ends with another row than the one before it may be cut, or the last row was deleted
  const isSameEnd = rows.length === 0 && identities.at(-1) === pass.last;
  // the same page again shows no more than before
  const isOther = count === 1 || offset !== pass.lastOffset || identities[0] !== pass.first;
  if (!isSameEnd || !isShort) pass.sameEnds = 0;
  else if (isOther) pass.sameEnds++;
  pass.wasShort = isShort;
  pass.isDone = isEnd(pass, page);
  // the list grows as fast as requests reach past its end
  if (found === 0) pass.room *= 2;
  const drift = isSameEnd && !sight.isStray ? driftOf(pass, page) : 0;
  pass.offset = offset + count - overlapAfter(pass, identities, found) + drift;
  [pass.first] = identities;
  pass.lastOffset = offset;
  pass.last = identities.at(-1) ?? pass.last;
  pass.lastEnd = offset + count;
  pass.lastShown = pass.pages;
  return rows;
}

/** Returns by how many rows the last row of a page has moved on per request, because others were inserted before it. */
function driftOf({ pages, lastEnd, lastShown }: Pass, { offset, identities }: NumberedPage): number {
  return Math.max(0, Math.floor((offset + identities.length - lastEnd) / (pages - lastShown)));
}

/**
 * True if the rows after the covered ones are new. Rows without a key may only look new: if their text changes, at the end of the list, or
 * on a page that is shown past it.
 */
function isProgress(
  { end, last }: Pass,
  { offset, identities, isKeyless }: NumberedPage,
  { known }: Sight,
): boolean {
  if (!isKeyless || last === undefined) return true;
  return offset + identities.length > end && identities[known - 1] === last;
}

/** Decides whether the list ends with an accepted page. A total alone proves nothing. */
function isEnd(
  { sameEnds, granted, cutsPages, hasSingles }: Pass,
  { offset, identities, total = 0 }: NumberedPage,
) {
  const count = identities.length;
  const end = offset + count;
  if (count === 0) return true;
  // pages may have one row each
  if (hasSingles && granted === 1 && offset === 0) return false;
  if (count === 1 && (total === end || (sameEnds > 0 && total < end))) return true;
  // pages of several rows may be cut after the last covered one
  if (count > 1 && cutsPages) return false;
  return sameEnds >= SAME_ENDS;
}

/** Returns how many rows of an accepted page the next one shows again, at least one. */
function overlapAfter(pass: Pass, identities: readonly Identity[], found: number): number {
  const count = identities.length;
  // a first page of one row: is there a second row?
  if (count <= 1) return pass.granted === 1 ? 0 : count;
  const isFull = found > 0 && count >= pass.granted;
  let overlap = isFull ? stepsBack(pass, count) : 1;
  // lines that repeat the last row are counted on one page
  while (overlap < count - 1 && identities[count - overlap - 1] === identities[count - 1]) overlap++;
  return overlap;
}

/** Returns by how many rows a full page overlaps the next one: at most a quarter of it. */
export function stepsBack({ overlap }: Pick<Pass, 'overlap'>, count: number): number {
  return Math.max(1, Math.min(overlap, count >> 2));
}

/** Covers the rows of a page, of which `known` end with a covered row. Returns the indexes of those that were not covered. */
function cover(pass: Pass, identities: readonly Identity[], known: number): readonly number[] {
  const { covered } = pass;
  const inserted: number[] = [];
  for (let index = known - 1; index >= 0; index--) {
    const identity = identities[index] as Identity;
    if (covered.has(identity)) continue;
    covered.put(identity, covered.placeOf(identities[index + 1] as Identity) - BETWEEN);
    inserted.push(index);
  }
  if (inserted.length > 0) pass.isOrdered = false;
  const rows = inserted.toReversed();
  for (let index = known; index < identities.length; index++)
    if (covered.append(identities[index] as Identity)) rows.push(index);
  let place = 0;
  for (const identity of identities) {
    const next = covered.placeOf(identity);
    // while a list keeps its order, no insertion or deletion turns two covered rows round
    if (next < place) pass.isReordered = true;
    place = next;
  }
  return rows;
}
