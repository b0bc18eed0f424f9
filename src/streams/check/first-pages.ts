import { configError, isConnectorError } from '../../errors.ts';
import type { CursorListConfig } from '../../generated/config.generated.ts';
import { writtenBound } from '../../paging/cursor/bounds.ts';
import type { CursorPage, PageRequest } from '../../paging/cursor/list.ts';
import { MIN_INSTANT, instantOf, readTime } from '../../paging/instant.ts';
import type { Limit } from '../../paging/page-size.ts';
import { haveSameText, type Row } from '../../rows/row.ts';
import { droppedQuery, type ListIdentity } from '../stream.ts';
import { timeOf } from './cursor-fields.ts';

type Rows = readonly Row[];
type Config = Pick<CursorListConfig, 'created_field' | 'page_size' | 'start_date'>;

/** Requests a page with at most `limit` rows, null for as many as the server chooses, or fewer if that fails. */
export type FetchLimited = (
  limit: Limit,
  request: Pick<PageRequest, 'after' | 'createdSince' | 'boundFrom'>,
) => Promise<CursorPage<Row> & { readonly limit: Limit }>;

/** Requests for rows. After three of them, a check sends only the probe of a bound. */
const MAX_REQUESTS = 3;
/** Rows that show whether the fields that the config names are right. */
const CHECKED_ROWS = 100;

/**
 * Requests pages from `start_date` on, until there are rows with a created time: some servers return empty pages, or rows without a time
 * first. If the server refuses the limit, the one that a read sends is used.
 */
export async function firstRows(
  { created_field: created, page_size: size, start_date: start }: Config,
  fetch: FetchLimited,
) {
  const createdSince = writtenBound(instantOf(start, MIN_INSTANT), readTime(start ?? '')?.format ?? null);
  const rows: Row[] = [];
  let latest: Rows = [];
  let limit: Limit = Math.min(size ?? CHECKED_ROWS, CHECKED_ROWS);
  let after: string | null = null;
  let requests = 0;
  let isFollowed = false;
  const isEnough = (): boolean =>
    rows.length >= CHECKED_ROWS || rows.some((row) => timeOf(row, created) !== undefined);
  while (requests < MAX_REQUESTS && !isEnough()) {
    requests++;
    try {
      const page: Awaited<ReturnType<FetchLimited>> = await fetch(limit, {
        after,
        createdSince,
        boundFrom: 'start date',
      });
      isFollowed ||= after !== null;
      rows.push(...page.rows);
      latest = page.rows;
      after = page.next;
      limit = page.limit;
      if (after === null) break;
    } catch (error) {
      if (limit === (size ?? null) || !isConnectorError(error, 'REQUEST_REFUSED')) throw error;
      limit = size ?? null;
    }
  }
  return {
    rows: rows.slice(0, CHECKED_ROWS),
    latest,
    limit,
    requests,
    after,
    isFollowed,
    createdSince,
  };
}

/**
 * Requests the page after the first one, as a read does, unless a cursor was followed already. Throws PAGES_UNUSABLE if that is the first
 * page again, and what `fetch` throws, for example if the server refuses its own cursor.
 */
export async function followCursor(
  { name, place }: Pick<ListIdentity, 'name' | 'place'>,
  { after, isFollowed, createdSince, latest, limit }: Awaited<ReturnType<typeof firstRows>>,
  fetch: FetchLimited,
): Promise<void> {
  if (after === null || isFollowed) return;
  const page = await fetch(limit, { after, createdSince, boundFrom: 'start date' });
  const { rows } = page;
  const isSame =
    page.next === after &&
    rows.length > 0 &&
    rows.length === latest.length &&
    rows.every((row, index) => haveSameText(row, latest[index] as Row));
  if (!isSame) return;
  throw configError(
    'PAGES_UNUSABLE',
    `${name}: the server returns its first page again for the cursor of that page, so no read would get past it. ` +
      droppedQuery(place),
  );
}
