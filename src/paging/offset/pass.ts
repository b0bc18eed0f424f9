import { createIdentitySet, type Identity, type IdentitySet } from '../identities.ts';

/** Short pages in a row that end with the same row, which prove the end of a list that changes with every request. */
const SAME_ENDS = 4;
/** The latest pages that are kept to explain why a list cannot be read. */
const LOGGED = 32;

/** A page whose rows are numbered: rows with the same key have the same number. */
export interface NumberedPage {
  readonly offset: number;
  readonly limit: number; // rows that were requested
  readonly isAligned: boolean; // only multiples of the limit are requested
  readonly identities: readonly Identity[];
  readonly total: number | undefined;
  readonly isKeyless: boolean; // some of its rows have no key, so that one whose text changes looks like another row
  readonly isRefused?: true; // instead of shown empty
}

/** What remains of a page once it has been taken. */
export interface PageNote extends Pick<NumberedPage, 'offset' | 'limit' | 'total' | 'isKeyless'> {
  readonly isRefused: boolean;
  readonly count: number; // of rows
  readonly first: Identity | undefined;
  readonly isTied: boolean;
  readonly isRepeated: boolean; // it shows the same rows as a page of another offset
  readonly found: number; // rows after the last covered one
  readonly isEnd: boolean; // it is short, and ends where the total does
}

/** The first page of a read. */
export interface FirstPage extends Pick<PageNote, 'first' | 'count' | 'limit'> {
  readonly hasCursor: boolean; // it has a `nextCursor`
}

/** The last row of the last accepted page. */
interface LastRow {
  readonly identity: Identity;
  readonly lines: number; // of the end of that page that have its key
  readonly offset: number; // its index in the list, from 0
  readonly index: number; // on that page
  readonly page: number; // the number of that page in the pass
}

/** What a pass knows about the list; changed by `step`, once `scan` has begun it. */
export interface Pass {
  offset: number; // to request next
  covered: IdentitySet; // rows of accepted pages
  last: LastRow | null;
  granted: number; // rows of the largest accepted page
  overlap: number; // rows that a full page shares with the next one
  back: number; // rows by which the latest request went back; 0 after an accepted page
  stale: Identity | null; // the first row of the last page, if it was without progress; null if all its rows have one key
  staleFor: number; // accepted pages in a row, at other offsets, that began with it
  staleAt: number; // the offset of that page
  sameEnds: number; // short pages in a row that ended with the same row
  wasShort: boolean; // the last accepted page was short
  cutsPages: boolean; // a short page was followed by more rows
  alone: Identity | null; // the last row that was the only one of its page
  isPast: boolean; // the next page is requested after a row that was alone, and so may be the last one
  pages: number; // pages taken
  idle: number; // pages since the last progress
  mostCovered: number; // rows covered at most
  reached: number; // the offset after the latest page that showed new rows
  hidden: number; // rows that this page states after its last one
  minTotal: number; // the smallest total; Infinity if none was stated
  isAppended: boolean; // so far, each page had covered rows first, and then new ones
  isDone: boolean; // the end of the list is proven
  notes: readonly PageNote[]; // of the latest pages
}

/** What a page has shown. */
export interface Step {
  readonly isAccepted: boolean; // or nothing is shown after the end
  readonly hasGap: boolean; // rows between the covered ones and those of the page may be missing
  readonly rows: readonly number[]; // indexes on the page of the rows that the pass covers for the first time, in ascending order
}

/** Begins a pass; `covered`: the rows before its place, if it does not begin at offset 0. */
export function newPass(covered: readonly Identity[]): Pass {
  return {
    offset: 0,
    covered: createIdentitySet(covered),
    last: null,
    // pages of one row never cover a second one
    granted: Math.min(2, covered.length),
    overlap: 1,
    back: 0,
    stale: null,
    staleFor: 0,
    staleAt: 0,
    sameEnds: 0,
    wasShort: false,
    cutsPages: false,
    alone: null,
    isPast: false,
    pages: 0,
    idle: 0,
    mostCovered: 0,
    reached: 0,
    minTotal: Infinity,
    hidden: 0,
    isAppended: true,
    isDone: false,
    notes: [],
  };
}

/** Takes a page, and changes the pass. `lead`: the rows that pages overlap once one was not tied, at most a quarter of a page. */
export function step(pass: Pass, page: NumberedPage, lead: number): Step {
  const sight = look(pass, page);
  const { verdict } = sight;
  note(pass, page, sight);
  if (verdict === 'tied') return { isAccepted: true, hasGap: false, rows: accept(pass, page, sight) };
  pass.isDone = verdict === 'nothing past the end';
  const hasGap = verdict === 'not tied' && page.identities.length > 0;
  if (hasGap) pass.overlap = Math.max(1, Math.min(lead, pass.granted >> 2));
  goBack(pass, page, verdict === 'repeated');
  return { isAccepted: false, hasGap, rows: [] };
}

interface Sight {
  readonly verdict: 'tied' | 'not tied' | 'repeated' | 'nothing past the end';
  readonly coveredEnd: number; // index after the last covered row
  readonly found: number; // rows from there on
  readonly isShort: boolean; // fewer rows than the largest page and than requested
  readonly isNewHead: boolean; // offset 0 shows no covered row, so covering begins anew: all were deleted, or pushed down
}

/** Compares a page with the covered rows. */
function look(pass: Pass, page: NumberedPage): Sight {
  const { offset, identities } = page;
  const { covered, granted, isPast } = pass;
  const coveredEnd = identities.findLastIndex((identity) => covered.has(identity)) + 1;
  const isNewHead = offset === 0 && coveredEnd === 0 && covered.size() > 0;
  const found = isNewHead ? 0 : identities.length - coveredEnd;
  const isShort = identities.length < Math.min(granted, page.limit);
  const sight = { coveredEnd, found, isShort, isNewHead };
  if (isPast && found === 0 && !isNewHead) return { ...sight, verdict: 'nothing past the end' };
  if (offset === 0) return { ...sight, verdict: 'tied' };
  // one inserted row, too, makes a page of two show the same rows again
  const isRepeated = showsStale(pass, page) && pass.staleFor >= (granted > 2 ? 1 : 2);
  if (isRepeated && found === 0) return { ...sight, verdict: 'repeated' };
  // if covered rows only follow others, the order may have changed: what is before the page is not certain
  const isTied = identities.length > 0 && covered.has(identities[0] as Identity);
  return { ...sight, verdict: isTied ? 'tied' : 'not tied' };
}

/** True if a page ends where its total does: if rows are added there as fast as they are read, that is as far as a read can come. */
function endsByTotal({ offset, identities, total }: NumberedPage): boolean {
  return identities.length > 0 && total === offset + identities.length;
}

/** Counts a page, and notes what it shows. */
function note(pass: Pass, page: NumberedPage, { verdict, found, isShort }: Sight): void {
  const { offset, limit, identities, total, isKeyless, isRefused = false } = page;
  const isTied = verdict === 'tied';
  const own = { offset, limit, total, isKeyless, isRefused, count: identities.length, first: identities[0] };
  const isEnd = isShort && endsByTotal(page);
  const noted = { ...own, isTied, isRepeated: verdict === 'repeated', found: isTied ? found : 0, isEnd };
  pass.notes = [...pass.notes.slice(1 - LOGGED), noted];
  pass.pages++;
  pass.idle++;
  pass.isPast = false;
  pass.minTotal = Math.min(pass.minTotal, total ?? Infinity);
}

/**
 * Rows before the page were deleted, or there are none at its offset: goes back, twice as far each time. Past the end, some servers show
 * their first or last page: then at most to where the last rows are by a total that counts more than the page.
 */
function goBack(pass: Pass, { offset, total = 0, identities }: NumberedPage, isRepeated: boolean): void {
  pass.back = Math.max(2 * pass.back, 1, pass.granted >> 2);
  const last = isRepeated && total > identities.length ? total - 2 : Infinity;
  pass.offset = Math.min(Math.max(0, offset - pass.back), last);
}

/** Covers the rows of a tied page, and decides which offset follows. Returns the indexes of the rows that were not covered. */
function accept(pass: Pass, page: NumberedPage, sight: Sight): readonly number[] {
  const { identities, offset, total = 0 } = page;
  const { found, isShort } = sight;
  const count = identities.length;
  const before = { last: pass.last };
  const rows = cover(pass, identities, sight);
  const at = indexOfLast(before.last, identities);
  pass.cutsPages ||= pass.wasShort && at !== -1 && at < count - 1;
  pass.wasShort = isShort;
  pass.granted = Math.max(pass.granted, count);
  pass.back = 0;
  pass.last = lastOf(pass, page);
  // the lines of the last row may go on
  const isMore = pass.last?.identity === before.last?.identity && linesOf(pass) > linesOf(before);
  if (found > 0 || sight.isNewHead || before.last === null || isMore) {
    pass.reached = offset + count;
    pass.hidden = Math.max(0, total - pass.reached);
    // a total may lag
  } else if (endsByTotal(page) && at === count - 1) pass.hidden = 0;
  if (count <= 1) {
    afterSingleRow(pass, page);
    return rows;
  }
  // several such pages: one may end with a covered row by chance
  const isSameEnd = found === 0 && isShort && at === count - 1 && total <= offset + count;
  pass.sameEnds = isSameEnd ? pass.sameEnds + 1 : 0;
  if (pass.sameEnds >= sameEndsFor(pass, page) && !pass.cutsPages) pass.isDone = true;
  else if (found > 0)
    afterProgress(pass, page, isNews(before.last, page, sight) && !(isShort && endsByTotal(page)));
  else afterCoveredRows(pass, page, driftOf(pass, before.last, offset + at, at));
  return rows;
}

/**
 * Multiples of the limit may never show the last row alone, so its page shows that nothing follows if the total says so, too. A total that
 * has grown may only count what was shown.
 */
function sameEndsFor({ minTotal }: Pass, page: NumberedPage): number {
  return page.isAligned && endsByTotal(page) && page.total === minTotal ? 1 : SAME_ENDS;
}

/** Covers rows. Returns the indexes of those that were not covered. */
function cover(pass: Pass, identities: readonly Identity[], { isNewHead, coveredEnd }: Sight) {
  if (isNewHead) {
    pass.covered = createIdentitySet();
    pass.isAppended = false;
  }
  const rows: number[] = [];
  for (let index = 0; index < identities.length; index++) {
    const isNew = pass.covered.add(identities[index] as Identity);
    if (isNew) rows.push(index);
    // otherwise a new row before a covered one, or a row twice on this page
    pass.isAppended &&= isNew === index >= coveredEnd;
  }
  pass.mostCovered = Math.max(pass.mostCovered, pass.covered.size());
  return rows;
}

const linesOf = ({ last }: Pick<Pass, 'last'>): number => last?.lines ?? 0;

function lastOf({ last, pages }: Pass, { identities, offset }: NumberedPage): LastRow | null {
  const identity = identities.at(-1);
  if (identity === undefined) return last;
  const count = identities.length;
  const lines = count - 1 - identities.findLastIndex((one) => one !== identity);
  return { identity, lines, offset: offset + count - 1, index: count - 1, page: pages };
}

/** Returns the index on a page of the last row of the page before it, or -1. Other rows may have the same key. */
function indexOfLast(last: LastRow | null, identities: readonly Identity[]): number {
  if (last === null) return -1;
  const first = identities.indexOf(last.identity);
  let at = first;
  while (at - first < last.lines - 1 && identities[at + 1] === last.identity) at++;
  return at;
}

/** Returns how many places each request has moved the last row down, because rows were inserted before it; 0 if a page does not show it. */
function driftOf({ pages }: Pass, last: LastRow | null, rank: number, at: number): number {
  return last === null || at === -1 ? 0 : Math.floor((rank - last.offset) / (pages - last.page));
}

/** Servers return two rows if there are two, so a row that is alone is the last one, unless more follow. */
function afterSingleRow(pass: Pass, { offset, identities, total }: NumberedPage): void {
  const [only = null] = identities;
  const end = offset + identities.length;
  pass.isDone = only === null || total === end || (only === pass.alone && pass.granted > 1);
  pass.alone = only;
  pass.isPast = true;
  pass.offset = end;
}

function afterProgress(pass: Pass, { offset, identities }: NumberedPage, isProgress: boolean): void {
  const count = identities.length;
  const overlap = count >= pass.granted ? pass.overlap : 1;
  if (isProgress) pass.idle = 0;
  pass.stale = null;
  pass.offset = offset + count - Math.min(Math.max(overlap, linesOf(pass)), count - 1);
}

/**
 * True if the rows after the covered ones are new. Rows without a key may only look new: they are if they follow the last row, but not if
 * it is at the same index as before, because the server may have returned the same page at another offset.
 */
function isNews(last: LastRow | null, { identities, isKeyless }: NumberedPage, { coveredEnd }: Sight) {
  if (!isKeyless || last === null) return true;
  return identities[coveredEnd - 1] === last.identity && coveredEnd - 1 !== last.index;
}

function afterCoveredRows(pass: Pass, page: NumberedPage, drift: number): void {
  const { offset, identities } = page;
  const first = identities[0] as Identity;
  pass.staleFor = showsStale(pass, page) ? pass.staleFor + 1 : 1;
  pass.stale = identities.some((identity) => identity !== first) ? first : null;
  pass.staleAt = offset;
  pass.offset = Math.max(0, offset + identities.length - 1 + drift);
}

/** True if a page begins like the last one without progress. Of pages at multiples of a limit, the one at the end may be shown again. */
function showsStale({ stale, staleAt }: Pass, { offset, isAligned, identities }: NumberedPage): boolean {
  return stale === identities[0] && !(isAligned && offset === staleAt);
}
