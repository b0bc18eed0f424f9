import { configError, isConnectorError, messageOf } from '../../errors.ts';
import type { CursorListConfig } from '../../generated/config.generated.ts';
import { writtenBound } from '../../paging/cursor/bounds.ts';
import type { CursorPage, PageRequest } from '../../paging/cursor/list.ts';
import { MIN_INSTANT, instantOf, readTime } from '../../paging/instant.ts';
import type { Limit } from '../../paging/page-size.ts';
import { haveSameText, type Row } from '../../rows/row.ts';
import { droppedQuery, isRefusal, withNotes, type ListIdentity } from '../stream.ts';
import { timeOf } from './cursor-fields.ts';
import { chooseProbe, judgeCursorList, type CursorFacts, type Probe } from './judge-cursor.ts';

type Rows = readonly Row[];
type List = Pick<ListIdentity, 'name' | 'place' | 'path'>;
type Config = Pick<
  CursorListConfig,
  'created_field' | 'id_field' | 'page_size' | 'start_date' | 'lookback_seconds'
>;

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
 * Checks what a read of a cursor list relies on, from `start_date` on, in at most four requests, and one more where a page has no cursor.
 * Returns "ok" with notes; throws FIELD_UNUSABLE, with better fields, if the key or the created field cannot be used, PAGES_UNUSABLE if the
 * server ignores its cursor, and what `fetch` throws.
 */
export async function checkCursorList(list: List, config: Config, fetch: FetchLimited): Promise<string> {
  const first = await firstRows(config, fetch);
  if (first.rows.length === 0) return withNotes('ok', [nothingNote(config, first)]);
  await followCursor(list, first, fetch);
  const probe = chooseProbe(first.rows, config);
  const answer = typeof probe === 'string' ? [] : await answerTo(probe, first.limit, fetch);
  const verdict = judgeCursorList(list, config, { rows: first.rows, probe, answer });
  if (verdict.kind === 'ok') return withNotes(verdict.result, verdict.notes);
  throw configError('FIELD_UNUSABLE', `${list.name}: ${verdict.faults.join(' ')}`);
}

type First = Awaited<ReturnType<typeof firstRows>>;

function nothingNote({ start_date: start }: Config, { after, requests }: First): string {
  const from = start === undefined ? '' : ` from start_date on (${start})`;
  const seen = after === null ? `there are no rows${from}` : `the first ${requests} pages${from} are empty`;
  return `${seen}, so no field was checked`;
}

/** Requests the rows from a bound on. */
async function answerTo(
  { createdSince }: Exclude<Probe, string>,
  limit: Limit,
  fetch: FetchLimited,
): Promise<CursorFacts['answer']> {
  try {
    return (await fetch(limit, { after: null, createdSince, boundFrom: 'rows' })).rows;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { refusal: messageOf(error) };
  }
}

/**
 * Requests pages from `start_date` on, until there are rows with a created time: some servers return empty pages, or rows without a time
 * first. If the server refuses the limit, the one that a read sends is used.
 */
async function firstRows(
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
async function followCursor(
  { name, place }: List,
  { after, isFollowed, createdSince, latest, limit }: First,
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
