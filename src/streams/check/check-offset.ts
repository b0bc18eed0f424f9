import { configError, transientError } from '../../errors.ts';
import type { OffsetListConfig } from '../../generated/config.generated.ts';
import { firstAccepted } from '../../paging/offset/accepted-size.ts';
import { MIN_FIRST_ROWS, alignedReach, alignedRequest } from '../../paging/offset/requests.ts';
import { counted, quoted } from '../../protocol/messages.ts';
import { haveSameText, type Row } from '../../rows/row.ts';
import { keyFacts, keyFault, keyNotes } from './key-field.ts';
import { smallMultiples, tooFewRows } from '../messages/offset.ts';
import type { Pagination } from '../paging-kind.ts';
import { droppedQuery, isRefusal, withNotes, type ListIdentity } from '../stream.ts';

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
const ALIGNED =
  'the server takes only multiples of the limit as offsets, so pages are requested one after the other, with other limits';

/**
 * Checks what a read of a list by offset relies on, in at most four requests. Returns a message such as "ok (12,345 rows)", with notes;
 * throws FIELD_UNUSABLE, with better fields, if the key cannot be used, PAGES_UNUSABLE if the server ignores the offset, TOO_FEW_ROWS if
 * the list states fewer rows than the config demands, and what `fetch` throws.
 */
export async function checkOffsetList(
  list: List,
  {
    id_field: key,
    page_size: pageSize,
    min_rows: minRows,
  }: Pick<OffsetListConfig, 'id_field' | 'page_size' | 'min_rows'>,
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
  // a total that only counts a full page says nothing about the list
  if (total !== undefined && total < minRows && (total > page.rows.length || page.rows.length < limit))
    throw transientError(
      'TOO_FEW_ROWS',
      `${list.name}: ${tooFewRows('the list states', total, list.place, minRows)}`,
      null,
    );
  const result = total === undefined ? 'ok' : `ok (${counted(total, 'row', 'rows')})`;
  if (rows.length === 0) return withNotes(result, [`the list is empty, so ${quoted(key)} was not checked`]);
  const offsets = requests < CHECKED_ROWS.length ? await checkOffsets(list, page, limit, fetch) : null;
  const fault = keyFault(list, key, list.place === list.name ? 'fixed' : 'required', rows);
  if (fault !== null) throw configError('FIELD_UNUSABLE', `${list.name}: ${fault}`);
  const { lacking } = keyFacts(rows, key);
  const keyless =
    `${lacking} of ${counted(rows.length, 'row', 'rows')} checked have no string or number in ${quoted(key)}. Such rows are identified by ` +
    'their text, and destinations cannot merge them';
  return withNotes(result, [
    ...(offsets === null ? [] : [offsets]),
    ...(lacking === 0 ? [] : [keyless]),
    ...keyNotes(list, key, rows),
  ]);
}

/**
 * Requests the second page, as a read does. Returns a note if only multiples of the limit can be requested, else null.
 * Throws PAGES_UNUSABLE if the server ignores the offset, or takes only multiples of too small a limit.
 */
async function checkOffsets(
  list: List,
  { rows, total, pagination }: CheckedPage,
  limit: number,
  fetch: FetchAt,
): Promise<string | null> {
  const { length } = rows;
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined || length < MIN_FIRST_ROWS || (total ?? Infinity) <= length)
    return null;
  const offset = length - 1;
  const second = await rowsAt(fetch, offset, limit);
  if (second !== null && !isSameRow(second[0], first)) return null;
  const aligned = alignedRequest(offset, length);
  const page = await rowsAt(fetch, aligned.offset, aligned.atMost);
  const reach = alignedReach(length);
  if (page !== null && isSameRow(page[offset - aligned.offset], last)) {
    if ((total ?? 0) < reach) return ALIGNED;
    throw configError('PAGES_UNUSABLE', `${list.name}: ${smallMultiples(length, reach, list.place)}`);
  }
  const names = Object.keys(pagination).map(quoted).join(', ');
  const members = `metadata.pagination has ${names === '' ? 'no members' : names}`;
  throw configError(
    'PAGES_UNUSABLE',
    second === null
      ? `${list.name}: the server refuses "offset": ${offset}, although it returned ${counted(length, 'row', 'rows')} from 0 on, so the list is ` +
          `not paged by offset (${members}). ${droppedQuery(list.place)}`
      : `${list.name}: the server returns its first page for "offset": ${offset} too, so the list is not paged by offset ` +
          `(${members}). ${droppedQuery(list.place)}`,
  );
}

const isSameRow = (one: Row | undefined, other: Row): boolean =>
  one !== undefined && haveSameText(one, other);

/** Returns the rows of a page; null if the server refuses the offset. */
async function rowsAt(fetch: FetchAt, offset: number, limit: number): Promise<readonly Row[] | null> {
  try {
    return (await fetch(offset, limit)).rows;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return null;
  }
}
