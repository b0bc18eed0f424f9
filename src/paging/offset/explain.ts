import { configError, transientError } from '../../errors.ts';
import { counted } from '../../protocol/messages.ts';
import type { Ledger, PageNote } from './ledger.ts';

/** Minimum number of missing rows for a limit: smaller gaps occur while a list changes. */
const MIN_GAP = 10;
/** Pages that must agree, and pages that are enough before a pass is spent. */
const MIN_PAGES = 3;
const MAX_REPEATS = 8;

/** The first page of a read. */
export interface FirstPage extends Pick<PageNote, 'first' | 'count'> {
  readonly limit: number | undefined; // rows that were requested
  readonly hasCursor: boolean; // it has a `nextCursor`
}

/** What was seen of a list that cannot be read to its end. */
export interface Seen {
  readonly first: FirstPage | null;
  readonly ledger: Pick<Ledger, 'notes' | 'granted' | 'pages' | 'size'>;
}

export type Cause =
  | 'the page is the whole list'
  | 'the offset is ignored'
  | 'rows cannot be recognized'
  | 'one row per page'
  | 'nothing is shown beyond an offset'
  | 'the list changes too fast';

/** Returns why a list cannot be read to its end. */
export function explain({ first, ledger: { notes, granted } }: Seen): Cause {
  const late = notes.filter(({ offset }) => offset > 0);
  if (late.some(({ isKeyless }) => isKeyless) && looksNew(late)) return 'rows cannot be recognized';
  if (first !== null && areFirst(late, first) && late.length >= MIN_PAGES) {
    const isWhole = first.count !== first.limit && notes.every(({ total }) => total === first.count);
    return isWhole ? 'the page is the whole list' : 'the offset is ignored';
  }
  const heads = new Set(notes.filter(({ offset }) => offset === 0).map((page) => page.first));
  if (granted === 1 && heads.size <= 1) return 'one row per page';
  return hiddenFrom(notes, granted) === null
    ? 'the list changes too fast'
    : 'nothing is shown beyond an offset';
}

/**
 * True if the server has returned its first page often enough at other offsets. A pass does not spend its budget on that: the page may
 * be a whole list, however long.
 */
export function repeatsFirstPage(first: FirstPage | null, { notes, idle }: Ledger): boolean {
  if (first === null || first.count < 2 || idle < MAX_REPEATS) return false;
  const late = notes.filter(({ offset }) => offset > 0);
  return late.length >= MAX_REPEATS && areFirst(late, first);
}

function areFirst(pages: readonly PageNote[], { first, count }: FirstPage): boolean {
  return pages.every((page) => page.first === first && page.count === count);
}

/** True if pages have no covered row, or rows that were covered look new. */
function looksNew(late: readonly PageNote[]): boolean {
  const tied = late.filter(({ isTied, count }) => isTied && count > 1);
  return tied.length === 0 || tied.filter(({ found }) => found > 0).length >= MIN_PAGES;
}

/** Returns the first offset below the total at which the server shows nothing, or always the same rows; null if there is none. */
function hiddenFrom(notes: readonly PageNote[], granted: number): number | null {
  const totals = new Set(notes.flatMap(({ total }) => (total === undefined ? [] : [total])));
  const stated = Math.max(0, ...totals);
  const gap = Math.max(MIN_GAP, granted);
  // a list whose total stays does not move
  const emptyGap = totals.size === 1 ? 1 : gap;
  const hidden = notes.filter(({ offset, count, isRepeated, total = stated }) => {
    if (offset === 0) return false;
    if (count === 0) return offset + emptyGap <= total;
    // in a list that moves, pages of two are repeated too
    return isRepeated && granted > 2 && offset + gap <= total;
  });
  const from = Math.min(...hidden.map(({ offset }) => offset));
  const isAlways = new Set(hidden.map(({ first }) => first)).size === 1;
  const showsMore = notes.some(({ found, offset }) => found > 0 && offset >= from);
  return hidden.length > MIN_PAGES && isAlways && !showsMore ? from : null;
}

/**
 * True if a whole page is missing after the last row of a pass that was longer than a page: rows that were emitted and then deleted do not
 * make up for it.
 */
export function isCutOff({ reached, minTotal, granted }: Ledger): boolean {
  const isStated = minTotal < Infinity;
  return isStated && reached > granted && minTotal - reached >= Math.max(granted, MIN_GAP);
}

/** The list in messages, and its place in the config, such as `lists[1]`. */
export interface NamedList {
  readonly name: string;
  readonly place: string;
}

/** Returns the error for a cause. `keyless`: why rows cannot be recognized; `refusal`: the server's words about an offset. */
export function errorOf(
  cause: Cause,
  seen: Seen,
  list: NamedList,
  { keyless, refusal }: { readonly keyless: string | null; readonly refusal: string | null },
): Error {
  const { name, place } = list;
  const what = `${name}: ${sightOf(seen)}.`;
  const byCursor =
    seen.first?.hasCursor === true
      ? ' The pages have a nextCursor: if the list is paged by cursor, describe it in lists with paging "cursor".'
      : '';
  const unusable = (problem: string): Error => configError('PAGES_UNUSABLE', `${what} ${problem}${byCursor}`);
  if (cause === 'rows cannot be recognized' && keyless !== null) return unusable(keyless);
  if (cause === 'the offset is ignored')
    return unusable(
      'The server returns the first page at all of these offsets, so pages cannot overlap: it ignores the offset, or allows only ' +
        `multiples of the limit. Check ${place}.base_url and any proxy on the way (it may drop the query); otherwise the API's ` +
        'provider must fix it.',
    );
  if (cause === 'one row per page')
    return unusable(
      'The server returns only one row per page, and such pages cannot overlap. Raise ' +
        `${place}.page_size, or ask the API's provider to allow larger pages.`,
    );
  if (cause === 'nothing is shown beyond an offset') return limitError(seen, list, refusal);
  const noKey = keyless === null ? '' : ` ${keyless}`;
  return transientError(
    'LIST_UNSTABLE',
    `${what} The list changes faster than it can be read. Try again when there is less activity, or with a larger ` +
      `${place}.page_size.${noKey}`,
    null,
  );
}

function limitError(
  { ledger: { notes, granted } }: Seen,
  { name, place }: NamedList,
  refusal: string | null,
): Error {
  const total = Math.max(0, ...notes.map((page) => page.total ?? 0));
  return configError(
    'OFFSET_LIMITED',
    `${name}: ${limitMessage(hiddenFrom(notes, granted) ?? 0, total, place, refusal)}`,
  );
}

/** Returns the message about a list that the server returns only up to an offset. */
export function limitMessage(offset: number, total: number, place: string, refusal: string | null): string {
  const said = refusal === null ? '' : ` The server said: ${refusal}`;
  return (
    `the server returns no rows from offset ${offset} on, or none but earlier ones, although it states ${counted(total, 'row', 'rows')}: it limits how far ` +
    "the list can be read. Ask the API's provider to lift this limit. If totalCount counts something other than the rows of this " +
    `list, set ${place}.missing_rows to "warn".${said}`
  );
}

/** What was seen: how many pages, at which offsets, and the totals. */
function sightOf({ ledger: { pages, notes, size } }: Seen): string {
  const offsets = notes.map(({ offset }) => offset);
  const totals = notes.flatMap(({ total }) => (total === undefined ? [] : [total]));
  const stated =
    totals.length === 0
      ? 'no total is stated'
      : `the list states ${counted(totals.at(-1) ?? 0, 'row', 'rows')}`;
  return (
    `${counted(pages, 'page', 'pages')} did not reach the end of the list (${counted(size, 'row', 'rows')} found, ` +
    `${stated}, the latest offsets are from ${Math.min(...offsets)} to ${Math.max(...offsets)})`
  );
}
