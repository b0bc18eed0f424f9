import { isServerError, type ListClient, type PageCheck, type PageContext } from '../api/client.ts';
import { transientError, type ConnectorError } from '../errors.ts';
import type { OffsetListConfig } from '../generated/config.generated.ts';
import type { OffsetState } from '../generated/offset-state.generated.ts';
import type { RequestContext } from '../http/request.ts';
import { LASTING_ANSWER_MS } from '../limits.ts';
import { createPageFetch } from '../paging/offset/accepted-size.ts';
import type { OffsetPosition } from '../paging/offset/place.ts';
import { readOffsetList } from '../paging/offset/read.ts';
import type { OffsetRead } from '../paging/offset/run.ts';
import type { FetchOffsetPage } from '../paging/offset/window.ts';
import { BadPageError } from '../rows/page.ts';
import { haveSameText, rowBytes, type Row } from '../rows/row.ts';
import { checkOffsetList } from './check/check-offset.ts';
import {
  STARTS_OVER,
  completenessWarnings,
  incompleteError,
  noticeText,
  pauseText,
  refusedSizeText,
  stopError,
} from './messages/offset.ts';
import { OTHER_PAGING, mayBeLimitedText } from './messages/lists.ts';
import { hasNewOrder, type CompletenessRules } from './offset-outcome.ts';
import { checkOffsetPaging, nextCursorOf, saysMore, type Pagination } from './paging-kind.ts';
import stateSchema from './offset-state.schema.json' with { type: 'json' };
import { keyIdentity, keyOf } from './row-key.ts';
import { sampleOffset } from './sample-offset.ts';
import { createSizedPages, type LimitAfter } from './sized-pages.ts';
import {
  CURSOR_MEMBERS,
  OFFSET_MEMBERS,
  catalogOf,
  checkState,
  isOfOtherPaging,
  refusalOf,
} from './stream.ts';
import type { Batch, ListIdentity, ListName, ReadContext, SourceStream, StreamContext } from './stream.ts';

/** The settings of an offset-paged list, apart from its address. */
export type OffsetConfig = Pick<OffsetListConfig, 'id_field' | 'page_size'> & CompletenessRules;

type PageSettings = Pick<OffsetRead<Row>, 'concurrency' | 'maxAheadBytes'>;

/** A list that is read in full each time, by overlapping offset pages. */
export function offsetStream(
  list: ListIdentity,
  config: OffsetConfig,
  settings: PageSettings,
  client: ListClient,
): SourceStream {
  const { entry, assumedFields } = catalogOf(list, { id_field: config.id_field });
  return {
    name: list.name,
    catalogEntry: { ...entry, supported_sync_modes: ['full_refresh'] },
    assumedFields,
    probe: (context) => {
      const sized = createSizedPages(list, config.page_size, ({ text }) => context.info(text));
      return checkOffsetList(list, config, (offset, rows) =>
        sized(rows, (limitAfter) => requestPage(client, list, offset, { ...context, limitAfter })),
      );
    },
    sample: (rows, context) => {
      const size = Math.min(config.page_size, Math.max(2, Math.ceil(rows / 2)));
      const sized = createSizedPages(list, size, ({ text }) => context.info(text));
      return sampleOffset(pageFetch(client, list, size, sized, context), rows, context);
    },
    read: (context) => {
      const sized = createSizedPages(list, config.page_size, ({ level, text }) => context[level](text));
      const fetchPage = pageFetch(client, list, config.page_size, sized, context);
      return readOffsetStream(list, config, { ...settings, fetchPage }, context);
    },
  };
}

function pageFetch(
  client: ListClient,
  list: ListIdentity,
  pageSize: number,
  sized: ReturnType<typeof createSizedPages>,
  context: StreamContext,
): FetchOffsetPage<Row> {
  return createPageFetch(pageSize, {
    fetchPage: ({ offset, limit, mayBeRefused }, signal) =>
      sized(limit, (limitAfter) =>
        requestPage(client, list, offset, { ...context, signal, limitAfter, mayBeRefused }),
      ),
    refusalOf,
    onRefusedSize: (next) => context.info(refusedSizeText(next)),
  });
}

async function requestPage(
  client: ListClient,
  list: ListIdentity,
  offset: number,
  context: Pick<PageContext, 'mayBeRefused'> & RequestContext & { readonly limitAfter: LimitAfter<number> },
) {
  const query = new URLSearchParams({ limit: String(context.limitAfter(0)), offset: String(offset) });
  const check: PageCheck = ({ pagination }) => {
    checkOffsetPaging(pagination, list);
    checkOffset(count(pagination['offset']), offset);
  };
  const {
    rows,
    pagination,
    failures = 0,
  } = await client.get(query, check, context).catch((error: unknown) => {
    throw offset > 0 && isServerError(error) ? mayBeLimited(error, offset) : error;
  });
  const hasCursor = nextCursorOf(pagination) !== null;
  const total = count(pagination['totalCount']);
  const atLeast = rowsByPages(pagination, offset, context.limitAfter(failures));
  const more = { moreAt: count(pagination['nextOffset']), saysMore: saysMore(pagination) };
  return {
    rows,
    total,
    atLeast,
    ...more,
    bytes: rows[0]?.bytes.length ?? 0,
    hasCursor,
    pagination,
    failures,
  };
}

/** The same error, which names another cause: some services fail where others refuse an offset. */
function mayBeLimited({ message, cause }: ConnectorError, offset: number): ConnectorError {
  return transientError('API_UNAVAILABLE', message + mayBeLimitedText(offset), cause);
}

async function* readOffsetStream(
  list: ListName,
  config: OffsetConfig,
  settings: PageSettings & Pick<OffsetRead<Row>, 'fetchPage'>,
  context: ReadContext,
): AsyncGenerator<Batch> {
  const { id_field: key } = config;
  const place = list.place === list.name ? null : list.place;
  let hasKeyless = false;
  const isOther = isOfOtherPaging(context.state, OFFSET_MEMBERS, CURSOR_MEMBERS);
  if (isOther) await context.warn(OTHER_PAGING.text);
  const from = isOther ? null : positionFrom(list.name, context);
  if (from === null && context.state?.['offset'] !== undefined) await context.warn(STARTS_OVER);
  const { stop, ...outcome } = yield* readOffsetList({
    ...settings,
    keyOf: (row) => {
      const identity = identityOf(row, key);
      hasKeyless ||= typeof identity !== 'string';
      return identity;
    },
    isSame: haveSameText,
    from,
    notify: (notice) => context.warn(noticeText(notice, key, place)),
    pause: async (found) => {
      await context.info(pauseText(found));
      await context.sleep(LASTING_ANSWER_MS, context.signal);
    },
    signal: context.signal,
  });
  if (stop !== null) throw stopError(stop, list, key);
  const found = { ...outcome, list, key, hasKeyless };
  for (const warning of completenessWarnings(found, config)) await context.warn(warning);
  const error = incompleteError(found, config);
  if (error !== null) {
    // the next read must not count the rows of this one: it could seem complete because of inserted rows
    yield { rows: [], total: undefined, state: () => ({ offset: 0, anchors: [] }) };
    throw error;
  }
  const remark = hasNewOrder(found) ? 'rows changed their order, some may be missing' : undefined;
  yield { rows: [], total: undefined, remark, state: () => ({ __ab_full_refresh_sync_complete: true }) };
}

/** Returns how many rows there are at least by a page's number and the count of pages; undefined if they are not those of such pages. */
function rowsByPages(pagination: Pagination, offset: number, limit: number): number | undefined {
  const [page, pages] = [count(pagination['currentPage']), count(pagination['pageCount'])];
  const isOfLimit = (count(pagination['limit']) ?? limit) === limit && offset >= limit;
  if (pages === undefined || page === undefined || !isOfLimit) return undefined;
  return page === Math.floor(offset / limit) + 1 ? Math.max(0, pages - 1) * limit + 1 : undefined;
}

/**
 * Throws if a page begins after the requested offset: rows before it would be missed. One that begins earlier is compared with the
 * rows read so far, like any page: past the end, some servers return their first or last page, and state its offset.
 */
function checkOffset(stated: number | undefined, requested: number): void {
  if (stated !== undefined && stated > requested)
    throw new BadPageError(`the page states offset ${stated}, but ${requested} was requested`);
}

/**
 * Returns a member of the pagination object if it is a count, also one written as a string of digits; servers may send anything else,
 * such as null or -1.
 */
function count(member: unknown): number | undefined {
  const value = typeof member === 'string' && /^\d+$/.test(member) ? Number(member) : member;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Returns where to resume; null after a finished read (the next one reads everything), and if there is no state. */
function positionFrom(
  stream: string,
  { state, stateFile: file = null }: Pick<ReadContext, 'state' | 'stateFile'>,
): OffsetPosition | null {
  if (state === null) return null;
  checkState({ stream, file }, stateSchema, state, OFFSET_MEMBERS);
  const { offset, anchors = [], head = [], rows = 0, aligned, clash }: OffsetState = state;
  if (offset === undefined || anchors.length === 0) return null;
  return { offset, anchors, head, rows, ...(aligned !== undefined && { aligned }), ...(clash && { clash }) };
}

/** Returns what identifies a row: its key, or its whole text if the key is neither a string nor a number. */
export function identityOf(row: Row, key: string): string | Buffer {
  const value = keyOf(row, key);
  return value === undefined ? rowBytes(row) : keyIdentity(value);
}
