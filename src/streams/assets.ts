import { BadPageError } from '../api/page.ts';
import type { Page } from '../api/page.ts';
import type { ListClient } from '../api/list-client.ts';
import type { AssetsConfig } from '../config/config.ts';
import { isConnectorError } from '../errors.ts';
import type { RequestContext } from '../http/request-context.ts';
import { readOffsetList } from '../paging/offset-read.ts';
import type { OffsetPosition } from '../paging/offset-position.ts';
import { withAcceptedSize } from '../paging/offset-pages.ts';
import type { OffsetPage } from '../paging/offset-pages.ts';
import { validate } from '../generated/validators/assets-state.generated.ts';
import type { AssetsState } from '../generated/assets-state.generated.ts';
import { grouped } from '../protocol/messages.ts';
import type { StreamState } from '../protocol/messages.ts';
import type { Row } from '../protocol/row.ts';
import schema from '../../schemas/assets.json' with { type: 'json' };
import stateSchema from './assets-state.schema.json' with { type: 'json' };
import { keyOf, whyStrange } from './asset-identity.ts';
import { checkState } from './parse-state.ts';
import { sampleOffset } from './sample-offset.ts';
import type { Batch, SourceStream } from './stream.ts';

const COMPLETE = { __ab_full_refresh_sync_complete: true };

/** The assets list (API document 2.3, 4.1): read in full each time, by offset pages that are tied to one another. */
export function assetsStream(client: ListClient, config: AssetsConfig, concurrency: number): SourceStream {
  const fetchPage = async (
    offset: number,
    limit: number,
    context: RequestContext,
  ): Promise<OffsetPage<Row>> => {
    const query = new URLSearchParams({ limit: String(limit), offset: String(offset) });
    const page = await client.get(query, (answer) => checkOffset(answer, offset), context);
    const bytes = page.rows[0]?.bytes.length ?? 0;
    return { rows: page.rows, total: count(page.pagination['totalCount']), bytes };
  };
  const sizedFetch = (limit: number, { onWait }: RequestContext, info: (words: string) => Promise<void>) =>
    withAcceptedSize<OffsetPage<Row>>(
      (offset, size, signal) => fetchPage(offset, size, { signal, onWait }),
      limit,
      (error) => isConnectorError(error, 'REQUEST_REFUSED'),
      (smaller) => info(`assets: the server refuses the page size; trying ${smaller} rows`),
    );

  return {
    name: 'assets',
    catalogEntry: {
      name: 'assets',
      json_schema: { ...schema, type: 'object' },
      supported_sync_modes: ['full_refresh'],
      source_defined_primary_key: [['assetId']],
      source_defined_cursor: true,
      is_resumable: true,
    },
    assumedFields: [],
    probe: async (context) => {
      const { total } = await fetchPage(0, 1, context);
      return total === undefined ? 'ok' : `ok (${grouped(total)} rows)`;
    },
    sample: (rows, context, info) => {
      const size = Math.min(config.page_size, Math.max(2, Math.ceil(rows / 2)));
      const fetch = sizedFetch(size, context, info);
      return sampleOffset<Row>(
        {
          fetchPage: (offset) => fetch(offset, context.signal),
          // some answer offsets behind the end so
          isRefusal: (error) =>
            isConnectorError(error, 'REQUEST_REFUSED') || isConnectorError(error, 'NOT_FOUND'),
          info: (words) => info(`assets: ${words}`),
        },
        rows,
      );
    },
    read: async function* (context): AsyncGenerator<Batch> {
      const batches = readOffsetList({
        fetchPage: sizedFetch(config.page_size, context, context.info),
        keyOf,
        whyStrange,
        concurrency,
        from: positionFrom(context.state),
        warn: (words) => context.warn(`assets: ${words}`),
        signal: context.signal,
      });
      for await (const { rows, total, position, covered } of batches)
        yield {
          rows,
          total,
          covered,
          state: position === null ? null : () => ({ ...position() }),
        };
      yield { rows: [], total: undefined, state: () => COMPLETE };
    },
  };
}

/** Where to go on; null after a finished read (the next one starts anew), and where there is no state. */
function positionFrom(state: StreamState | null): OffsetPosition | null {
  if (state === null) return null;
  checkState('assets', { ...stateSchema, validate }, state, ['offset', '__ab_full_refresh_sync_complete']);
  const { offset, anchors, head, inserted, rows }: AssetsState = state;
  if (offset === undefined || anchors === undefined) return null;
  return { offset, anchors, head: head ?? [], inserted: inserted ?? [], rows: rows ?? 0 };
}

/** The pagination object must echo the offset, where it shows one (API document 2.6): else it is another page. */
function checkOffset(page: Page, asked: number): void {
  const shown = count(page.pagination['offset']);
  if (shown !== undefined && shown !== asked)
    throw new BadPageError(
      `the page is at offset ${shown}, asked for was ${asked}; the server ignores the offset`,
    );
}

/** A member of the pagination object as a count; it may be absent, null, -1 or anything else. */
function count(member: unknown): number | undefined {
  return typeof member === 'number' && Number.isSafeInteger(member) && member >= 0 ? member : undefined;
}
