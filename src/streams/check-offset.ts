import { configError } from '../errors.ts';
import type { OffsetListConfig } from '../generated/config.generated.ts';
import { firstAccepted } from '../paging/offset/page-size.ts';
import { counted, quoted } from '../protocol/messages.ts';
import { haveSameText, type Row } from '../rows/row.ts';
import { checkKey, keyNotes } from './key-field.ts';
import type { Pagination } from './paging-kind.ts';
import { isRefusal, withNotes, type ListIdentity } from './stream.ts';

type List = Pick<ListIdentity, 'name' | 'place' | 'path'>;

/** A page as a check sees it. */
export interface CheckedPage {
  readonly rows: readonly Row[];
  readonly total: number | undefined;
  readonly pagination: Pagination;
}

export type FetchAt = (offset: number, limit: number) => Promise<CheckedPage>;

/** Rows to request, most first: a server may refuse a larger limit. */
const CHECKED_ROWS = [100, 25, 2];
const MAX_REQUESTS = 3;
/** A page of fewer rows may be shown again because rows were inserted. */
const MIN_ROWS = 4;

/**
 * Checks what a read of a list by offset relies on, in at most three requests. Returns a message such as "ok (12,345 rows)", with notes;
 * throws FIELD_UNUSABLE, with better fields, if the key cannot be used, PAGES_UNUSABLE if pages cannot overlap, and what `fetch` throws.
 */
export async function checkOffsetList(
  list: List,
  { id_field: key, page_size: pageSize }: Pick<OffsetListConfig, 'id_field' | 'page_size'>,
  fetch: FetchAt,
): Promise<string> {
  const sizes = [
    Math.min(pageSize, CHECKED_ROWS[0] ?? pageSize),
    ...CHECKED_ROWS.filter((size) => size < pageSize),
  ];
  const { page, limit, requests } = await firstAccepted([...new Set(sizes)], async (size, refusals) => {
    return { page: await fetch(0, size), limit: size, requests: refusals + 1 };
  });
  const { total } = page;
  // some servers ignore the limit
  const rows = page.rows.slice(0, CHECKED_ROWS[0]);
  const result = total === undefined ? 'ok' : `ok (${counted(total, 'row', 'rows')})`;
  if (rows.length === 0) return withNotes(result, [`the list is empty, so ${quoted(key)} was not checked`]);
  await checkOverlap(list, page, limit, { left: MAX_REQUESTS - requests, fetch });
  const lacking = checkKey(list, key, list.place === list.name ? 'fixed' : 'required', rows);
  const keyless =
    `${lacking} of ${counted(rows.length, 'row', 'rows')} checked have no string or number in ${quoted(key)}. Such rows are identified by ` +
    'their text, and destinations cannot merge them';
  return withNotes(result, [...(lacking === 0 ? [] : [keyless]), ...keyNotes(list, key, rows)]);
}

interface Requests {
  readonly left: number;
  readonly fetch: FetchAt;
}

/**
 * Checks that pages can overlap: that a page can begin at the last row of the first one, or, if the server takes only multiples of the
 * limit, that a smaller limit changes where pages begin.
 */
async function checkOverlap(list: List, first: CheckedPage, limit: number, { left, fetch }: Requests) {
  const { rows, total = 0 } = first;
  const offset = rows.length - 1;
  if (rows.length < MIN_ROWS || rows.length === total || left < 1) return;
  const next = await pageOrNull(fetch, offset, limit);
  // the last row may have been deleted since
  const isPastEnd = next === null && rows.length < limit && total <= rows.length;
  if (!isMisaligned(first, next) || isPastEnd || left < 2) return;
  const aligned = await pageOrNull(fetch, offset, offset);
  if (!isMisaligned(first, aligned)) return;
  const answer = aligned === null ? 'refuses' : 'returns its first page for';
  const names = Object.keys(first.pagination).map(quoted).join(', ');
  throw configError(
    'PAGES_UNUSABLE',
    `${list.name}: the server ${answer} "offset": ${offset}, also with "limit": ${offset}, so pages cannot overlap: the list is not paged by ` +
      `offset, or only in whole pages (metadata.pagination has ${names === '' ? 'no members' : names}). Check ${list.place}.base_url and any ` +
      'proxy on the way, which may drop the query. A list that is paged in another way, such as by page numbers, cannot be read.',
  );
}

/** Returns a page; null if the server refuses its offset. */
async function pageOrNull(fetch: FetchAt, offset: number, limit: number): Promise<CheckedPage | null> {
  try {
    return await fetch(offset, limit);
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

/** True if an offset was refused, or a page begins with the first row of the list. */
function isMisaligned({ rows: [first] }: CheckedPage, page: CheckedPage | null): boolean {
  const again = page?.rows[0];
  return page === null || (first !== undefined && again !== undefined && haveSameText(first, again));
}
