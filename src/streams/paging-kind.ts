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

/** True if a page says that none follows, in words that other APIs use beside a cursor. */
export function saysNoMore(pagination: Pagination): boolean {
  return ['hasMore', 'hasNext', 'hasNextPage'].some((name) => pagination[name] === false);
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

/** Throws OtherShapeError if the page of a list with `paging: cursor` shows that the list is paged in another way. */
export function checkCursorPaging(pagination: Pagination, list: PagedList): void {
  const { nextCursor, offset, totalCount } = pagination;
  if (typeof nextCursor === 'string' || nextCursor === false) return;
  if (isGiven(nextCursor))
    throw new OtherShapeError(
      `metadata.pagination.nextCursor is ${typeof nextCursor === 'object' ? 'an' : 'a'} ${typeof nextCursor}, not a string`,
      null,
      true,
    );
  if (isGiven(offset) && isGiven(totalCount))
    throw new OtherShapeError(
      'metadata.pagination has "offset" and "totalCount", and no "nextCursor", so this list is paged by offset',
      cureFor(list, 'offset', 'id_field', 'the field that identifies a row'),
      true,
    );
  const others = otherSigns(pagination);
  if (others.length > 0)
    throw new OtherShapeError(
      `metadata.pagination has ${listed(others, quoted)}, and no "nextCursor", so pages follow that cannot be requested`,
      null,
      true,
    );
}

/** Returns the members that say, in the ways of other APIs, that more pages follow. */
function otherSigns(pagination: Pagination): readonly string[] {
  const names = Object.keys(pagination);
  const links = names.filter((name) => LINKS_ON.test(name) && leadsOn(pagination[name]));
  const page = names.find((name) => PAGE_NUMBER.test(name));
  const pages = names.find((name) => PAGE_COUNT.test(name));
  if (page === undefined || pages === undefined) return links;
  return Number(pagination[page]) < Number(pagination[pages]) ? [...links, page, pages] : links;
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** False for what the last page may have: nothing, `false`, an empty text, or links of which none is the next. */
function leadsOn(value: unknown): boolean {
  if (typeof value !== 'object' || value === null)
    return value === true || typeof value === 'number' || isText(value);
  return isText((value as Pagination)['next']);
}

/** The kind of paging of an entry of `lists` can be changed; that of a predefined list is fixed. */
function cureFor({ name, place, path }: PagedList, paging: string, field: string, meaning: string): string {
  return place === name
    ? `Remove ${quoted(name)} from the config, and add an entry to "lists" with another "name", "paging": "${paging}", "path": ${quoted(path)} and ` +
        `"${field}": ${meaning}.`
    : `Set ${place}.paging to "${paging}", and ${place}.${field} to ${meaning}.`;
}
