import { listed, quoted } from '../protocol/messages.ts';
import { OtherShapeError } from '../rows/page.ts';
import type { ListIdentity } from './stream.ts';

/** The `metadata.pagination` of a page; a server may send anything. */
export type Pagination = Readonly<Record<string, unknown>>;

type PagedList = Pick<ListIdentity, 'name' | 'place' | 'path'>;

/** Members that other kinds of paging have as long as a page follows. */
const LINKS_ON = /^(next|has_?(more|next)|continuation|links?$)/i;
const PAGE_NUMBER = /^(current_?page|page(_?(number|no|index))?)$/i;
const PAGE_COUNT = /^((total|num)_?pages|page_?count|pages|last_?page)$/i;

/** Returns the cursor of the next page; null on the last one, where it is blank, null, false or absent. */
export function nextCursorOf({ nextCursor: next }: Pagination): string | null {
  return typeof next === 'string' && next.trim() !== '' ? next : null;
}

const MORE = ['hasMore', 'hasNext', 'hasNextPage'];

/** True if a page says that none follows, in words that other APIs use beside a cursor. */
export function saysNoMore(pagination: Pagination): boolean {
  return MORE.some((name) => pagination[name] === false);
}

/** True if a page of a list by offset says that another one follows. */
export function saysMore(pagination: Pagination): boolean {
  const { currentPage, pageCount } = pagination;
  return MORE.some((name) => pagination[name] === true) || Number(currentPage) < Number(pageCount);
}

/** Throws OtherShapeError if the page of a list with `paging: offset` shows that the list is paged by cursor. */
export function checkOffsetPaging(pagination: Pagination, list: PagedList): void {
  const { offset, totalCount } = pagination;
  if (nextCursorOf(pagination) === null || isGiven(offset) || isGiven(totalCount)) return;
  throw new OtherShapeError(
    'metadata.pagination has "nextCursor", and neither "offset" nor "totalCount", so this list is paged by cursor',
    cureFor(list, 'cursor', 'created_field', 'the field with the created time'),
    true,
  );
}

/** A page of a list with `paging: cursor`. */
interface CursorPage {
  readonly pagination: Pagination;
  readonly rows: number;
  readonly isFirst: boolean; // it was requested without a cursor
}

/**
 * Throws OtherShapeError if the page of a list with `paging: cursor` shows that the list is paged in another way: it has no next cursor,
 * whether blank, null, false or absent, and says in other words that more rows follow.
 */
export function checkCursorPaging(page: CursorPage, list: PagedList): void {
  const { pagination, isFirst } = page;
  const { nextCursor } = pagination;
  if (typeof nextCursor !== 'string' && nextCursor !== false && isGiven(nextCursor))
    throw new OtherShapeError(
      `metadata.pagination.nextCursor is ${typeof nextCursor === 'object' ? 'an' : 'a'} ${typeof nextCursor}, not a string`,
      null,
      true,
    );
  if (nextCursorOf(pagination) !== null) return;
  const signs = signsOfMore(page);
  if (signs.length === 0) return;
  if (isFirst && signs.includes('totalCount'))
    throw new OtherShapeError(
      'metadata.pagination has "offset" and "totalCount", and no "nextCursor", so this list is paged by offset',
      cureFor(list, 'offset', 'id_field', 'the field that identifies a row'),
      true,
    );
  throw new OtherShapeError(
    `metadata.pagination has ${listed(signs, quoted)}, and no "nextCursor", so pages follow that cannot be requested`,
    null,
    true,
  );
}

/** Returns the members that say, in the ways of other APIs, that more rows follow. */
function signsOfMore({ pagination, rows, isFirst }: CursorPage): readonly string[] {
  const { offset, totalCount } = pagination;
  const names = Object.keys(pagination);
  const links = names.filter((name) => LINKS_ON.test(name) && leadsOn(pagination[name]));
  const page = names.find((name) => PAGE_NUMBER.test(name));
  const pages = names.find((name) => PAGE_COUNT.test(name));
  // a service may write the counts of its other lists on each page: they count this one only if they move on with the cursor
  const isCounted = isFirst || Number(offset) > 0 || (page !== undefined && Number(pagination[page]) > 1);
  const hasTotal = isGiven(offset) && isGiven(totalCount);
  // where no page has the member, the list has no cursors, however short it is
  const hasCursors = !isFirst || 'nextCursor' in pagination;
  const isWhole = hasTotal && hasCursors && Number(offset) + rows >= Number(totalCount);
  if (!isCounted || isWhole) return links.filter((name) => typeof pagination[name] !== 'number');
  const isBefore =
    page !== undefined && pages !== undefined && Number(pagination[page]) < Number(pagination[pages]);
  return [...links, ...(isBefore ? [page, pages] : []), ...(hasTotal ? ['offset', 'totalCount'] : [])];
}

/** False for a text that stands for nothing. */
const isText = (value: unknown): boolean =>
  typeof value === 'string' && !/^\s*(false|null|0|)\s*$/i.test(value);
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** False for what the last page may have: nothing, `false`, a text that stands for that, zero, or links of which none is the next. */
function leadsOn(value: unknown): boolean {
  if (typeof value === 'number') return value > 0;
  if (typeof value !== 'object' || value === null) return value === true || isText(value);
  return isText((value as Pagination)['next']);
}

/** The kind of paging of an entry of `lists` can be changed; that of a predefined list is fixed. */
function cureFor({ name, place, path }: PagedList, paging: string, field: string, meaning: string): string {
  return place === name
    ? `Remove ${quoted(name)} from the config, and add an entry to "lists" with another "name", "paging": "${paging}", "path": ${quoted(path)} and ` +
        `"${field}": ${meaning}.`
    : `Set ${place}.paging to "${paging}", and ${place}.${field} to ${meaning}.`;
}
