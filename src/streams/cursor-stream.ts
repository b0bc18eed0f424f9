import type { ListClient } from '../api/client.ts';
import type { CursorListConfig } from '../generated/config.generated.ts';
import type { RequestContext } from '../http/request.ts';
import { readCursorList } from '../paging/cursor-read.ts';
import type { batchOf } from '../paging/cursor-run.ts';
import { fingerprint } from '../paging/identities.ts';
import { MAX_INSTANT, MIN_INSTANT, MS, instantOf } from '../paging/instant.ts';
import type { CursorList, TimedPage } from '../paging/range-worker.ts';
import { counted } from '../protocol/messages.ts';
import { BadPageError } from '../rows/page.ts';
import { haveSameText, rowBytes, scalarMember, type Row } from '../rows/row.ts';
import { checkFields, createdFieldError, timeOf } from './cursor-fields.ts';
import { startFrom, stateFor } from './cursor-state.ts';
import { sampleCursor } from './sample-cursor.ts';
import { catalogOf, isRefusal, isServerError } from './stream.ts';
import type { Batch, ListIdentity, ListName, ReadContext, SourceStream, StreamContext } from './stream.ts';

/** The settings of a cursor-paged list, apart from its address. */
export type CursorConfig = Omit<CursorListConfig, 'paging' | 'name' | 'base_url' | 'path' | 'audience'>;

/** Rows that a check reads if a single one is not sufficient. */
const CHECKED_ROWS = 100;
/** Rows, none with a readable time, after which the created field may be wrong; after `CHECKED_ROWS`, or at the end of the list, it is. */
const MAX_UNREADABLE = 20;

type CursorBatch = ReturnType<typeof batchOf<Row>>;

const fingerprintOf = (row: Row) => fingerprint(rowBytes(row));

/** A list paged by cursor, which is read incrementally by created time. */
export function cursorStream(list: ListIdentity, config: CursorConfig, client: ListClient): SourceStream {
  const { entry, assumedFields } = catalogOf(list, config);
  const { created_field: created, id_field: id, page_size: pageSize } = config;
  const listIn = (context: StreamContext): CursorList<Row> =>
    listOf(config, context, (after, createdSince, signal) =>
      requestPage(client, { limit: pageSize, after, createdSince }, { ...context, signal }),
    );
  return {
    name: list.name,
    catalogEntry: {
      ...entry,
      supported_sync_modes: ['full_refresh', 'incremental'],
      default_cursor_field: [created],
    },
    assumedFields,
    probe: async (context) => {
      const rowsOf = async (limit: number) => (await requestPage(client, { limit }, context)).rows;
      // one row shows whether the stream and its times can be read; several rows are needed to check the key
      const rows = await rowsOf(id === undefined ? 1 : CHECKED_ROWS);
      if (rows.length === 0) return 'ok';
      const isReadable = rows.some((row) => timeOf(row, created) !== undefined);
      return checkFields(list, config, isReadable ? rows : await rowsOf(CHECKED_ROWS));
    },
    sample: (count, context) => sampleCursor(listIn(context), count),
    read: (context) => readCursorStream(list, config, context, listIn(context)),
  };
}

export function listOf(
  config: CursorConfig,
  { signal, info }: StreamContext,
  fetchPage: CursorList<Row>['fetchPage'],
): CursorList<Row> {
  const { created_field: created, id_field: id, start_date: start, end_date: end } = config;
  return {
    fetchPage,
    createdOf: (row) => timeOf(row, created),
    fingerprintOf,
    isSame: haveSameText,
    hasId: (row) => id !== undefined && scalarMember(row, id) !== undefined,
    start: instantOf(start, MIN_INSTANT),
    since: start ?? null,
    end: instantOf(end, MAX_INSTANT),
    isRefusal,
    isServerError,
    info,
    signal,
  };
}

async function requestPage(
  client: ListClient,
  parameters: Readonly<Record<string, string | number | null | undefined>>,
  context: RequestContext,
): Promise<TimedPage<Row>> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== null && value !== undefined) query.set(name, String(value));
  const page = await client.get(query, ({ pagination }) => void nextCursor(pagination), context);
  const { rows, pagination, serverTimeMs, sentAtMs, receivedAtMs } = page;
  const at = BigInt(serverTimeMs ?? sentAtMs) * MS;
  const clock = serverTimeMs === undefined ? 'local' : 'server';
  return { rows, next: nextCursor(pagination), time: { at, clock }, sentAtMs, receivedAtMs };
}

/** Returns the cursor of the next page; null on the last one, where it is empty, null or absent. */
function nextCursor(pagination: Readonly<Record<string, unknown>>): string | null {
  const next = pagination['nextCursor'] ?? '';
  if (typeof next !== 'string') throw new BadPageError('metadata.pagination.nextCursor is not a string');
  return next === '' ? null : next;
}

/** Reads the list from where the state ends, and the rows that an earlier start date adds. */
export async function* readCursorStream(
  { name, place }: ListName,
  config: CursorConfig,
  context: ReadContext,
  list: CursorList<Row>,
): AsyncGenerator<Batch> {
  const { now, info, warn } = context;
  const { created_field: field, parallel_chains: chains, lookback_seconds } = config;
  const isIncremental = context.syncMode === 'incremental';
  if (!isIncremental && context.state !== null) await info('full refresh: ignoring the state');
  const begin = startFrom(name, isIncremental ? context.state : null, config, now());
  const { from, isOtherField } = begin;
  if (isOtherField)
    await warn(
      'created_field has changed, so the stream is read again from its start, and rows may be repeated',
    );
  if (list.start < from.coveredFrom)
    await info('start_date is earlier or was removed, so earlier rows are read as well');
  const lookback = BigInt(lookback_seconds * 1000) * MS;
  const held: Batch[] = [];
  for await (const batch of readCursorList<Row>({ ...list, from, lookback, chains, now, warn })) {
    const { rows, position, newest, unreadable } = batch;
    held.push({
      rows,
      total: undefined,
      newest,
      state: () => stateFor(position, begin, config, fingerprintOf),
    });
    const isSuspect = isIncremental && newest === undefined && unreadable >= MAX_UNREADABLE;
    if (isSuspect && (position.isFinished || unreadable >= CHECKED_ROWS)) {
      const shown = held.flatMap((each) => each.rows);
      throw createdFieldError({ name, place }, shown, field, `, or read ${name} with full_refresh`);
    }
    // held back, because some servers list such rows first
    if (isSuspect) continue;
    yield* held.splice(0);
    if (position.isFinished) await report(place, field, batch, context);
  }
}

/** Logs what users should know about a finished read. */
async function report(
  place: string,
  field: string,
  { repeats, identical, unreadable, forgets }: CursorBatch,
  { info, warn }: ReadContext,
): Promise<void> {
  if (repeats > 0) await info(`skipped ${counted(repeats, 'row', 'rows')} that had already been emitted`);
  if (identical > 0)
    await info(
      `emitted ${counted(identical, 'row', 'rows')} identical to rows of earlier pages: the list may contain identical rows, or the ` +
        `server may have sent some twice. Set ${place}.id_field to tell them apart.`,
    );
  if (unreadable > 0)
    await warn(
      `emitted ${counted(unreadable, 'row', 'rows')} without a readable time in ${field}; such rows do not advance the state. ` +
        `If there are many, check ${place}.created_field.`,
    );
  if (forgets)
    await warn('more rows are within the lookback than a state can remember; the next read may repeat some');
}
