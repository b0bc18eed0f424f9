import { createIdentitySet, type Identity, type IdentitySet } from '../identities.ts';

/** Pages without progress, and all pages: a fixed number, and more for each full page of rows found. */
const BUDGET = { idle: 64, spare: 100, perPage: 16 };
/** Short pages in a row that end with the same row, which prove the end of a list that changes with every request. */
const SAME_ENDS = 4;
/** The latest pages that are kept to explain why a list cannot be read. */
const LOGGED = 32;

/** A page whose rows are numbered: rows with the same key have the same number. */
export interface NumberedPage {
  readonly offset: number;
  readonly identities: readonly Identity[];
  readonly total: number | undefined;
  readonly isKeyless: boolean; // some of its rows have no key, so that one whose text changes looks like another row
}

/** What remains of a page once it has been taken. */
export interface PageNote extends Pick<NumberedPage, 'offset' | 'total' | 'isKeyless'> {
  readonly count: number; // of rows
  readonly first: Identity | undefined;
  readonly isTied: boolean;
  readonly isRepeated: boolean; // it shows the same rows as a page of another offset
  readonly found: number; // rows after the last covered one
}

/** What a pass knows about the list. */
export interface Ledger {
  readonly offset: number; // to request next
  readonly covered: IdentitySet; // rows of accepted pages; changed in place, so only the latest ledger may be used
  readonly last: Identity | null; // the last row of the last accepted page
  readonly lastRun: number; // rows at the end of that page with the key of the last one
  readonly rank: number; // the place of that row in the list, from 0
  readonly seenAt: number; // the number of that page
  readonly granted: number; // rows of the largest accepted page
  readonly overlap: number; // rows that a full page shares with the next one
  readonly back: number; // rows by which the latest request went back; 0 after an accepted page
  readonly stale: readonly Identity[]; // the head of the last page without progress; empty after progress
  readonly staleFor: number; // accepted pages in a row that began with them
  readonly sameEnds: number; // short pages in a row that ended with the same row
  readonly wasShort: boolean; // the last accepted page was short
  readonly cutsPages: boolean; // a short page was followed by more rows
  readonly alone: Identity | null; // the last row that was the only one of its page
  readonly isPast: boolean; // the next page is requested after a possible end
  readonly pages: number; // pages taken
  readonly idle: number; // pages since the last progress
  readonly size: number; // rows covered at most
  readonly reached: number; // the largest offset after an accepted page
  readonly minTotal: number; // the smallest total; Infinity if none was stated
  readonly notes: readonly PageNote[]; // of the latest pages
  readonly isOrdered: boolean; // so far, each page had covered rows first, and then new ones
  readonly isDone: boolean; // the end of the list is proven
}

/** A step of a pass. */
export interface Step {
  readonly ledger: Ledger;
  readonly isTied: boolean; // or nothing is shown after the end
  readonly hasGap: boolean; // rows between the covered ones and those of the page may be missing
  readonly rows: readonly number[]; // indexes on the page of the rows that the pass covers for the first time, in ascending order
}

/** Returns the ledger of a pass that has not begun; `covered`: the rows before its place, if it does not begin at offset 0. */
export function newPass(covered: readonly Identity[]): Ledger {
  return {
    offset: 0,
    covered: createIdentitySet(covered),
    last: null,
    lastRun: 0,
    rank: 0,
    seenAt: 0,
    // pages of one row never cover a second one
    granted: Math.min(2, covered.length),
    overlap: 1,
    back: 0,
    stale: [],
    staleFor: 0,
    sameEnds: 0,
    wasShort: false,
    cutsPages: false,
    alone: null,
    isPast: false,
    pages: 0,
    idle: 0,
    size: 0,
    reached: 0,
    minTotal: Infinity,
    notes: [],
    isOrdered: true,
    isDone: false,
  };
}

/** Takes a page. `lead`: the least rows that pages overlap once one was not tied. */
export function step(before: Ledger, page: NumberedPage, lead: number): Step {
  const sight = look(before, page);
  const ledger = noted(before, page, sight);
  if (sight.verdict === 'tied') return { ...accept(ledger, page, sight), isTied: true, hasGap: false };
  if (sight.verdict === 'nothing past the end')
    return { ledger: { ...ledger, isDone: true }, isTied: true, hasGap: false, rows: [] };
  const hasGap = sight.verdict === 'not tied' && page.identities.length > 0;
  const earlier = goBack(ledger, page, lead, hasGap);
  const offset = sight.verdict === 'repeated' ? Math.min(earlier.offset, lastRows(page)) : earlier.offset;
  return { ledger: { ...earlier, offset }, isTied: false, hasGap, rows: [] };
}

interface Sight {
  readonly verdict: 'tied' | 'not tied' | 'repeated' | 'nothing past the end';
  readonly coveredEnd: number; // index after the last covered row
  readonly found: number; // rows from there on
  readonly isNewHead: boolean; // offset 0 shows no covered row, so covering begins anew: all were deleted, or pushed down
}

/** Compares a page with the covered rows. */
function look(
  { covered, granted, isPast, stale, staleFor }: Ledger,
  { offset, identities }: NumberedPage,
): Sight {
  const count = identities.length;
  const coveredEnd = identities.findLastIndex((identity) => covered.has(identity)) + 1;
  const isNewHead = offset === 0 && coveredEnd === 0 && covered.size() > 0;
  const found = isNewHead ? 0 : count - coveredEnd;
  const sight = { coveredEnd, found, isNewHead };
  if (isPast && found === 0 && !isNewHead) return { ...sight, verdict: 'nothing past the end' };
  if (offset === 0) return { ...sight, verdict: 'tied' };
  const isStale = beginsWith(identities, stale);
  // one inserted row, too, makes a page of two show the same rows again
  const isRepeated = isStale && staleFor >= (granted > 2 ? 1 : 2);
  if (isRepeated && found === 0) return { ...sight, verdict: 'repeated' };
  return { ...sight, verdict: coveredEnd > 0 ? 'tied' : 'not tied' };
}

/** Counts a page, and notes what it shows. */
function noted(ledger: Ledger, { offset, identities, total, isKeyless }: NumberedPage, sight: Sight): Ledger {
  const isTied = sight.verdict === 'tied';
  const note: PageNote = {
    offset,
    total,
    isKeyless,
    count: identities.length,
    first: identities[0],
    isTied,
    isRepeated: sight.verdict === 'repeated',
    found: isTied ? sight.found : 0,
  };
  return {
    ...ledger,
    isPast: false,
    pages: ledger.pages + 1,
    minTotal: Math.min(ledger.minTotal, total ?? Infinity),
    notes: [...ledger.notes.slice(1 - LOGGED), note],
  };
}

/** Rows before the page were deleted, or there are none at its offset: goes back, twice as far each time. */
function goBack(ledger: Ledger, page: NumberedPage, lead: number, hasGap: boolean): Ledger {
  const { granted, overlap } = ledger;
  const back = Math.max(2 * ledger.back, 1, granted >> 2);
  return {
    ...ledger,
    idle: ledger.idle + 1,
    sameEnds: hasGap ? 0 : ledger.sameEnds,
    overlap: hasGap ? Math.max(1, Math.min(lead, granted >> 2)) : overlap,
    back,
    offset: Math.max(0, page.offset - back),
  };
}

/** Past the end, some servers show their first or last page. Returns where the last rows are by a total that counts more than the page. */
function lastRows({ total = 0, identities }: NumberedPage): number {
  return total > identities.length ? total - 2 : Infinity;
}

/** Covers the rows of a tied page, and decides which offset follows. */
function accept(before: Ledger, page: NumberedPage, sight: Sight): Pick<Step, 'ledger' | 'rows'> {
  const { identities, offset, total } = page;
  const count = identities.length;
  const covered = sight.isNewHead ? createIdentitySet() : before.covered;
  const { rows, isOrdered } = cover(covered, identities, sight.coveredEnd);
  const at = indexOfLast(before, identities);
  const isShort = count < before.granted;
  const accepted: Ledger = {
    ...before,
    covered,
    last: identities.at(-1) ?? before.last,
    lastRun: count - 1 - identities.findLastIndex((identity) => identity !== identities.at(-1)),
    rank: offset + count - 1,
    seenAt: before.pages,
    granted: Math.max(before.granted, count),
    back: 0,
    wasShort: isShort,
    cutsPages: before.cutsPages || (before.wasShort && at !== -1 && at < count - 1),
    size: Math.max(before.size, covered.size()),
    reached: Math.max(before.reached, offset + count),
    isOrdered: before.isOrdered && isOrdered && !sight.isNewHead,
  };
  if (count <= 1) return { ledger: afterSingleRow(accepted, page), rows };
  // several such pages: one may end with a covered row by chance
  const isSameEnd = sight.found === 0 && isShort && at === count - 1 && (total ?? 0) <= offset + count;
  const sameEnds = isSameEnd ? before.sameEnds + 1 : 0;
  const ledger = { ...accepted, sameEnds };
  if (sameEnds >= SAME_ENDS && !ledger.cutsPages) return { ledger: { ...ledger, isDone: true }, rows };
  if (sight.found > 0) return { ledger: afterProgress(ledger, before, page, sight), rows };
  // how far each request moves the last row
  const drift = at === -1 ? 0 : Math.floor((offset + at - before.rank) / (before.pages - before.seenAt));
  return { ledger: afterCoveredRows(ledger, page, drift), rows };
}

/** Returns the index on a page of the last row of the page before it, or -1. Other rows may have the same key. */
function indexOfLast({ last, lastRun }: Ledger, identities: readonly Identity[]): number {
  const first = last === null ? -1 : identities.indexOf(last);
  let at = first;
  while (at - first < lastRun - 1 && identities[at + 1] === last) at++;
  return at;
}

/** Covers rows. Returns the indexes of those that were not covered, and whether they all come after those that were. */
function cover(covered: IdentitySet, identities: readonly Identity[], coveredEnd: number) {
  const rows: number[] = [];
  let isOrdered = true;
  for (let index = 0; index < identities.length; index++) {
    const isNew = covered.add(identities[index] as Identity);
    if (isNew) rows.push(index);
    // otherwise a new row before a covered one, or a row twice on this page
    isOrdered &&= isNew === index >= coveredEnd;
  }
  return { rows, isOrdered };
}

/** Servers return two rows if there are two, so a row that is alone is the last one, unless more follow. */
function afterSingleRow(ledger: Ledger, { offset, identities, total }: NumberedPage): Ledger {
  const [only = null] = identities;
  const end = offset + identities.length;
  const isAgain = only === ledger.alone && ledger.granted > 1;
  if (only === null || total === end || isAgain) return { ...ledger, isDone: true };
  return { ...ledger, alone: only, isPast: true, idle: ledger.idle + 1, offset: end };
}

function afterProgress(ledger: Ledger, before: Ledger, page: NumberedPage, { coveredEnd }: Sight): Ledger {
  const { offset, identities, isKeyless } = page;
  const end = offset + identities.length;
  const isFull = identities.length >= ledger.granted;
  const isProgress = !isKeyless || (end > before.reached && followsLast(before, page, coveredEnd));
  return {
    ...ledger,
    idle: isProgress ? 0 : ledger.idle + 1,
    stale: [],
    staleFor: 0,
    offset: end - Math.min(Math.max(isFull ? ledger.overlap : 1, ledger.lastRun), identities.length - 1),
  };
}

/**
 * True if the rows after the covered ones follow the last row. Rows without a key may only look new, also if the last row is at the
 * same index as before, because the server may have returned the same page at another offset.
 */
function followsLast({ last, notes }: Ledger, { identities }: NumberedPage, coveredEnd: number): boolean {
  if (last === null) return true;
  const before = notes.slice(0, -1).findLast(({ isTied }) => isTied);
  return identities[coveredEnd - 1] === last && before?.count !== coveredEnd;
}

function afterCoveredRows(ledger: Ledger, { offset, identities }: NumberedPage, drift: number): Ledger {
  return {
    ...ledger,
    idle: ledger.idle + 1,
    stale: headOf(identities),
    staleFor: beginsWith(identities, ledger.stale) ? ledger.staleFor + 1 : 1,
    offset: Math.max(0, offset + identities.length - 1 + drift),
  };
}

/** Returns the rows of a page up to the first with another key than the rows before it, which tell it apart; none if all have one key. */
function headOf(identities: readonly Identity[]): readonly Identity[] {
  return identities.slice(0, identities.findIndex((identity) => identity !== identities[0]) + 1);
}

function beginsWith(identities: readonly Identity[], head: readonly Identity[]): boolean {
  return head.length > 0 && head.every((identity, index) => identity === identities[index]);
}

/** True if a pass has taken too many pages for the rows that it has found. */
export function isSpent(ledger: Ledger): boolean {
  return ledger.idle > BUDGET.idle || ledger.pages > pageBudget(ledger);
}

/** Returns how many pages may be taken to find rows. */
export function pageBudget({ size, granted }: Pick<Ledger, 'size' | 'granted'>): number {
  const filled = Math.ceil(size / Math.max(1, granted - 1));
  return BUDGET.spare + BUDGET.perPage * filled;
}
