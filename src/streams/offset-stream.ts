import type { ListClient, PageCheck } from '../api/client.ts';
import type { OffsetState } from '../generated/offset-state.generated.ts';
import { validate } from '../generated/validators/offset-state.generated.ts';
import type { RequestContext } from '../http/request.ts';
import { createPageFetch } from '../paging/offset-pages.ts';
import type { ScannedList } from '../paging/offset-pages.ts';
import type { OffsetPosition } from '../paging/offset-position.ts';
import { readOffsetList } from '../paging/offset-read.ts';
import { counted, listed, plain } from '../protocol/messages.ts';
import type { StreamState } from '../protocol/messages.ts';
import { BadPageError } from '../rows/page.ts';
import { rowBytes, scalarMember, scalarMembers } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { completenessWarnings, incompleteError } from './offset-outcome.ts';
import type { CompletenessRules } from './offset-outcome.ts';
import stateSchema from './offset-state.schema.json' with { type: 'json' };
import { sampleOffset } from './sample-offset.ts';
import { catalogOf, checkState, isRefusal } from './stream.ts';
import type { Batch, ListIdentity, SourceStream, StreamContext } from './stream.ts';

/** What the config says of an offset-paged list. */
export interface OffsetConfig extends CompletenessRules {
  readonly id_field: string; // by which a row is known, whatever else of it changes
  readonly page_size: number;
}

const BEGINS_AGAIN =
  'the last read did not find all rows, so the list is read from the start again, and the rows that it emitted repeat.';

/** A list that is read in full each time, by offset pages that are tied to one another. */
export function offsetStream(
  list: ListIdentity,
  config: OffsetConfig,
  bounds: Pick<ScannedList<Row>, 'concurrency' | 'maxAheadBytes'>,
  client: ListClient,
): SourceStream {
  const { id_field: key, page_size: pageSize } = config;
  const { entry, assumedFields } = catalogOf(list, { id_field: key });
  const fetchPage = async (offset: number, limit: number, context: RequestContext) => {
    const query = new URLSearchParams({ limit: String(limit), offset: String(offset) });
    const check: PageCheck = (page) => checkOffset(count(page.pagination['offset']), offset);
    const { rows, pagination } = await client.get(query, check, context);
    return { rows, total: count(pagination['totalCount']), bytes: rows[0]?.bytes.length ?? 0 };
  };
  const fetchSized = (size: number, context: StreamContext) =>
    createPageFetch(size, {
      fetchPage: (offset, limit, signal) => fetchPage(offset, limit, { ...context, signal }),
      isRefusal,
      info: context.info,
    });
  return {
    name: list.name,
    catalogEntry: { ...entry, supported_sync_modes: ['full_refresh'] },
    assumedFields,
    probe: async (context) => {
      const { total } = await fetchPage(0, 1, context);
      return total === undefined ? 'ok' : `ok (${counted(total, 'row', 'rows')})`;
    },
    sample: (rows, context) => {
      const size = Math.min(pageSize, Math.max(2, Math.ceil(rows / 2)));
      return sampleOffset(fetchSized(size, context), rows, context);
    },
    read: async function* (context): AsyncGenerator<Batch> {
      let hasKeyless = false;
      const from = positionFrom(list.name, context.state);
      if (from === null && context.state?.['offset'] !== undefined) await context.warn(BEGINS_AGAIN);
      const outcome = yield* readOffsetList({
        ...context,
        fetchPage: fetchSized(pageSize, context),
        keyOf: (row) => {
          const identity = identityOf(row, key);
          hasKeyless ||= typeof identity !== 'string';
          return identity;
        },
        whyStrange: (rows) => whyStrange(rows, key),
        ...bounds,
        mayBeShort: config.missing_rows === 'warn',
        from,
      });
      const found = { ...outcome, key, place: list.place, hasKeyless };
      for (const words of completenessWarnings(found, config)) await context.warn(words);
      const error = incompleteError(found, config);
      if (error !== null) {
        // the next read must not count the rows of this one: it would seem complete once as many others have come in
        yield { rows: [], total: undefined, state: () => ({ offset: 0, anchors: [] }) };
        throw error;
      }
      yield { rows: [], total: undefined, state: () => ({ __ab_full_refresh_sync_complete: true }) };
    },
  };
}

/** A page must echo the offset, where it shows one: else it is another page. */
function checkOffset(shown: number | undefined, asked: number): void {
  const words = `the page is at offset ${shown}, asked for was ${asked}; the server ignores the offset`;
  if (shown !== undefined && shown !== asked) throw new BadPageError(words);
}

/** A member of the pagination object as a count; it may be absent, null, -1 or anything else. */
function count(member: unknown): number | undefined {
  return typeof member === 'number' && Number.isSafeInteger(member) && member >= 0 ? member : undefined;
}

/** Where to go on; null after a finished read (the next one starts anew), and where there is no state. */
function positionFrom(stream: string, state: StreamState | null): OffsetPosition | null {
  if (state === null) return null;
  checkState(stream, { ...stateSchema, validate }, state, ['offset', '__ab_full_refresh_sync_complete']);
  const { offset, anchors = [], head = [], inserted = [], rows = 0 }: OffsetState = state;
  return offset === undefined || anchors.length === 0 ? null : { offset, anchors, head, inserted, rows };
}

/** What an item is known by: its key, or, where that is neither a text nor a number, all of its text. */
export function identityOf(row: Row, key: string): string | Buffer {
  return idOf(row, key) ?? rowBytes(row);
}

/** What keeps rows from being known again in another answer; null if each has an id. */
export function whyStrange(rows: readonly Row[], key: string): string | null {
  const row = rows.find((one) => idOf(one, key) === undefined);
  if (row === undefined) return null;
  return (
    `no row of one answer is found again in the next, and rows have no ${key} that is a text or a number, by which ` +
    `they would be known even if their text changes (they have ${listed([...scalarMembers(row, 10).keys()], plain)}). Whoever ` +
    `runs the API has to send ${key} with each row. If it is only that the list changes faster than ` +
    `it is read, try a quieter time or a larger page_size.`
  );
}

function idOf(row: Row, key: string): string | undefined {
  const id = scalarMember(row, key);
  if (id === undefined || id.text === '') return undefined;
  // a number is known by its digits, and never equals a text
  return `${id.kind === 'text' ? 'id' : 'number'}:${id.text}`;
}
