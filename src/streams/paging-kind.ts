import { listed, quoted } from '../protocol/messages.ts';
import { OtherShapeError, extraValue, type Extra } from '../rows/page.ts';
import type { ListIdentity } from './stream.ts';

/** The `metadata.pagination` of a page; a server may send anything. */
export type Pagination = Readonly<Record<string, unknown>>;

type PagedList = Pick<ListIdentity, 'name' | 'place' | 'path'>;

/** Members that other kinds of paging have as long as a page follows. */
const LINKS_ON =
  /^(next|has_?(more|next)|continuation|links?$|(is_?)?truncated$|more(_?(available|results|data|pages|items|rows|records))?$)/i;
/** Those of a page or its metadata, where more may be called `next`, such as a time. */
const LINKS_ON_BESIDE =
  /^((@odata\.)?next(_?(page|link|url|uri|href))?(_?(cursor|token|after|key|marker|id))?$|has_?(more|next)|continuation_?token|(is_?)?truncated$|more(_?(available|results|pages))?$)/i;
/** Members that are false as long as a page follows. */
const IS_LAST = /^((is_?)?last(_?page)?|done|(is_?)?end_?of_?(list|data|results))$/i;
/** Members that hold others of these. */
const HOLDER = /^_?(links?|paging|pagination|page_?info|cursors?)$/i;
/** Members with a cursor that may be that of the next page, or of this one. */
const OTHER_CURSOR =
  /^(cursors?|after|(end|last|scroll|start)_?(cursor|id|after|key)|search_?after|(page_?)?token|marker|bookmark)$/i;
const PAGE_NUMBER = /^(current_?page|page(_?(number|no|index))?)$/i;
const PAGE_COUNT = /^((total|num)_?pages|page_?count|pages|last_?page)$/i;

/** Texts that are no cursors, but what is left of a value that is absent. */
const NO_CURSOR = /^\s*(null|undefined|None|)\s*$/;

/** Returns the cursor of the next page; null on the last one, where it is blank, null, false, empty or absent. */
export function nextCursorOf({ nextCursor: next }: Pagination): string | null {
  return typeof next === 'string' && !NO_CURSOR.test(next) ? next : null;
}

/** Returns the members of a pagination object that may be the cursor of the next page, under other names. */
export function otherCursors(pagination: Pagination): readonly string[] {
  return Object.entries(pagination).flatMap(([name, value]) => {
    const cursor = isHolder(value) ? value['after'] : value;
    return OTHER_CURSOR.test(name) && isText(cursor) ? [name] : [];
  });
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
  readonly extras: readonly Extra[];
  readonly rows: number;
  readonly isFirst: boolean; // it was requested without a cursor
}

/**
 * Throws OtherShapeError if the page of a list with `paging: cursor` shows that the list is paged in another way: it has no next cursor,
 * whether blank, null, false, empty or absent, and says in other words that more rows follow.
 */
export function checkCursorPaging(page: CursorPage, list: PagedList): void {
  const { pagination, isFirst } = page;
  const { nextCursor } = pagination;
  // PHP writes an object without members as an array
  const isEmpty = isHolder(nextCursor) && Object.keys(nextCursor).length === 0;
  if (typeof nextCursor !== 'string' && nextCursor !== false && isGiven(nextCursor) && !isEmpty)
    throw new OtherShapeError(
      `metadata.pagination.nextCursor is ${typeof nextCursor === 'object' ? 'an' : 'a'} ${typeof nextCursor}, not a string`,
      null,
      true,
    );
  if (nextCursorOf(pagination) !== null) return;
  const signs = signsOfMore(page);
  if (signs.length === 0) return checkBeside(page);
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

/** Throws OtherShapeError if a member beside the pagination object says that more rows follow. */
function checkBeside({ extras }: CursorPage): void {
  const sign = extras.find((extra) => isSignBeside(extra.name) && leadsOnBeside(extra));
  if (sign === undefined) return;
  const name = sign.level === 'page' ? sign.name : `metadata.${sign.name}`;
  throw new OtherShapeError(
    `the page has ${quoted(name)}, and no "nextCursor" in metadata.pagination, so pages follow that cannot be requested`,
    null,
    true,
  );
}

const isSignBeside = (name: string): boolean =>
  [LINKS_ON_BESIDE, IS_LAST, HOLDER].some((one) => one.test(name));

function leadsOnBeside(extra: Extra): boolean {
  const value = extraValue(extra);
  // others count the rows or pages of something
  if (typeof value === 'number') return value > 0 && /cursor|token|after/i.test(extra.name);
  return isSign(extra.name, value);
}

/** Returns the members that say, in the ways of other APIs, that more rows follow. */
function signsOfMore({ pagination, rows, isFirst }: CursorPage): readonly string[] {
  const { offset, totalCount } = pagination;
  const names = Object.keys(pagination);
  const links = names.filter((name) => isSign(name, pagination[name]));
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
  typeof value === 'string' && !/^\s*(false|null|undefined|none|0|)\s*$/i.test(value);
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

const isHolder = (value: unknown): value is Pagination => typeof value === 'object' && value !== null;

/** True if a member says that a page follows. */
function isSign(name: string, value: unknown): boolean {
  if (IS_LAST.test(name)) return value === false || value === 'false';
  if (HOLDER.test(name) && isHolder(value)) return holdsNext(value);
  return (LINKS_ON.test(name) || LINKS_ON_BESIDE.test(name)) && leadsOn(value);
}

/** True if there is a link to the next page among others, or another sign. */
function holdsNext(holder: Pagination): boolean {
  return Array.isArray(holder)
    ? holder.some((link: unknown) => isHolder(link) && link['rel'] === 'next')
    : Object.entries(holder).some(
        ([name, value]) => LINKS_ON.test(name) && typeof value !== 'number' && leadsOn(value),
      );
}

/** False for what the last page may have: nothing, `false`, a text that stands for that, zero, or an object without a text. */
function leadsOn(value: unknown): boolean {
  if (typeof value === 'number') return value > 0;
  return isHolder(value) ? Object.values(value).some(isText) : value === true || isText(value);
}

/** The kind of paging of an entry of `lists` can be changed; that of a predefined list is fixed. */
function cureFor({ name, place, path }: PagedList, paging: string, field: string, meaning: string): string {
  return place === name
    ? `Remove ${quoted(name)} from the config, and add an entry to "lists" with another "name", "paging": "${paging}", "path": ${quoted(path)} and ` +
        `"${field}": ${meaning}.`
    : `Set ${place}.paging to "${paging}", and ${place}.${field} to ${meaning}.`;
}
