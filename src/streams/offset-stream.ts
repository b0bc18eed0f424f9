import type { ListClient, PageCheck } from '../api/client.ts';
import type { OffsetListConfig } from '../generated/config.generated.ts';
import type { OffsetState } from '../generated/offset-state.generated.ts';
import { validate } from '../generated/validators/offset-state.generated.ts';
import type { RequestContext } from '../http/request.ts';
import { createPageFetch } from '../paging/offset/page-size.ts';
import type { FetchOffsetPage } from '../paging/offset/pages.ts';
import type { OffsetPosition } from '../paging/offset/place.ts';
import { readOffsetList } from '../paging/offset/read.ts';
import type { OffsetRead } from '../paging/offset/run.ts';
import type { StreamState } from '../protocol/messages.ts';
import { BadPageError } from '../rows/page.ts';
import { haveSameText, rowBytes, scalarMembers, type Row } from '../rows/row.ts';
import { checkOffsetList } from './check-offset.ts';
import { ORDER_REMARK, REPEATS, STARTS_OVER } from './offset-messages.ts';
import { completenessWarnings, incompleteError, type CompletenessRules } from './offset-outcome.ts';
import { checkOffsetPaging, nextCursorOf } from './paging-kind.ts';
import stateSchema from './offset-state.schema.json' with { type: 'json' };
import { repeatedKeyWarning } from './repeated-keys.ts';
import { keyIdentity, keyOf } from './row-key.ts';
import { sampleOffset } from './sample-offset.ts';
import { catalogOf, checkState, refusalIn } from './stream.ts';
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
    probe: (context) =>
      checkOffsetList(list, config, (offset, limit) => requestPage(client, list, offset, limit, context)),
    sample: (rows, context) => {
      const size = Math.min(config.page_size, Math.max(2, Math.ceil(rows / 2)));
      return sampleOffset(pageFetch(client, list, context), size, rows, context);
    },
    read: (context) => {
      const fetchPage = pageFetch(client, list, context);
      return readOffsetStream(list, config, { ...settings, fetchPage }, context);
    },
  };
}

function pageFetch(client: ListClient, list: ListIdentity, context: StreamContext): FetchOffsetPage<Row> {
  return createPageFetch({
    fetchPage: (offset, limit, signal) => requestPage(client, list, offset, limit, { ...context, signal }),
    refusalIn,
    info: context.info,
  });
}

const MERGED = 'Only the first row of a page with it is emitted.';

async function requestPage(
  client: ListClient,
  list: ListIdentity,
  offset: number,
  limit: number,
  context: RequestContext,
) {
  const query = new URLSearchParams({ limit: String(limit), offset: String(offset) });
  const check: PageCheck = ({ pagination }) => {
    checkOffsetPaging(pagination, list);
    checkOffset(count(pagination['offset']), offset);
  };
  const { rows, pagination } = await client.get(query, check, context);
  const hasCursor = nextCursorOf(pagination) !== null;
  const total = count(pagination['totalCount']);
  return { rows, total, bytes: rows[0]?.bytes.length ?? 0, hasCursor, pagination };
}

async function* readOffsetStream(
  list: ListName,
  config: OffsetConfig,
  settings: PageSettings & Pick<OffsetRead<Row>, 'fetchPage'>,
  context: ReadContext,
): AsyncGenerator<Batch> {
  const { id_field: key } = config;
  const place = list.place === list.name ? null : list.place;
  let keyless: readonly string[] | null = null;
  const from = positionFrom(list.name, context.state);
  if (from === null && context.state?.['offset'] !== undefined) await context.warn(STARTS_OVER);
  const outcome = yield* readOffsetList({
    ...context,
    ...settings,
    limit: config.page_size,
    keyOf: (row) => {
      const identity = identityOf(row, key);
      if (typeof identity !== 'string') keyless ??= [...scalarMembers(row, 10).keys()];
      return identity;
    },
    isSame: haveSameText,
    onRepeats: (reason) => context.warn(REPEATS[reason]),
    onClash: (row) => context.warn(repeatedKeyWarning(keyOf(row, key)?.text ?? '', key, MERGED, place)),
    from,
  });
  const found = { ...outcome, list, key, keyless };
  for (const warning of completenessWarnings(found, config)) await context.warn(warning);
  const error = incompleteError(found, config);
  const remark = outcome.isReordered ? ORDER_REMARK : undefined;
  // a read that has not reached the end may go on
  const isFinal = outcome.cause === null || outcome.limitedAt !== null;
  if (error !== null) {
    // the next read must not count the rows of this one: it could seem complete because of inserted rows
    yield { rows: [], total: undefined, remark, state: isFinal ? () => ({ offset: 0, anchors: [] }) : null };
    throw error;
  }
  yield { rows: [], total: undefined, remark, state: () => ({ __ab_full_refresh_sync_complete: true }) };
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
function positionFrom(stream: string, state: StreamState | null): OffsetPosition | null {
  if (state === null) return null;
  checkState(stream, { ...stateSchema, validate }, state, ['offset', '__ab_full_refresh_sync_complete']);
  const { offset, anchors = [], head = [], rows = 0, aligned, clash }: OffsetState = state;
  if (offset === undefined || anchors.length === 0) return null;
  return { offset, anchors, head, rows, ...(aligned && { aligned }), ...(clash && { clash }) };
}

/** Returns what identifies a row: its key, or its whole text if the key is neither a string nor a number. */
export function identityOf(row: Row, key: string): string | Buffer {
  const value = keyOf(row, key);
  return value === undefined ? rowBytes(row) : keyIdentity(value);
}
