import type { ListClient } from '../api/client.ts';
import type { RequestContext } from '../http/request.ts';
import { readCursorList } from '../paging/cursor-read.ts';
import type { batchOf } from '../paging/cursor-run.ts';
import { fingerprint } from '../paging/identities.ts';
import { MAX_INSTANT, MIN_INSTANT, instantOf } from '../paging/instant.ts';
import type { CursorList as PagedList, TimedPage } from '../paging/range-worker.ts';
import { BadPageError } from '../rows/page.ts';
import { haveSameText, rowBytes, scalarMember } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { createdFieldError, timeOf, verdictOn } from './cursor-fields.ts';
import type { NamedFields } from './cursor-fields.ts';
import { startFrom, stateFor } from './cursor-state.ts';
import { lookFrom, sampleCursor } from './sample-cursor.ts';
import { catalogOf, isRefusal } from './stream.ts';
import type { Batch, ListIdentity, ListName, ReadContext, SourceStream, StreamContext } from './stream.ts';

/** What the config says of a cursor-paged list. */
export interface CursorConfig extends NamedFields {
  readonly page_size?: number;
  readonly start_date?: string;
  readonly end_date?: string;
  readonly lookback_seconds: number;
  readonly parallel_chains: number;
}

const NS_PER_MS = 1_000_000n;
/** Rows that a check looks at where one does not tell. */
const LOOKED_AT = 100;
/** Rows without a readable time, and none with one, after which the field is taken for the wrong one. */
const TELLING = 20;

type CursorBatch = ReturnType<typeof batchOf<Row>>;

const fingerprintOf = (row: Row) => fingerprint(rowBytes(row));

/** A list that is a chain of cursors from a created time on, read incrementally by that time. */
export function cursorStream(list: ListIdentity, config: CursorConfig, client: ListClient): SourceStream {
  const { entry, assumedFields } = catalogOf(list, config);
  const { created_field: created, id_field: id, page_size: pageSize } = config;
  const listIn = (context: StreamContext): PagedList<Row> =>
    listOf(config, context, (after, createdSince, signal) =>
      pageOf(client, { limit: pageSize, after, createdSince }, { ...context, signal }),
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
      // one row tells whether the stream can be read and its times too; whether a field is a key only several can show
      const { rows } = await pageOf(client, { limit: id === undefined ? 1 : LOOKED_AT }, context);
      if (rows.length === 0) return 'ok';
      if (rows.some((row) => timeOf(row, created) !== undefined)) return verdictOn(list, config, rows);
      const looked: Row[] = [];
      const sampled = listIn(context);
      for await (const page of lookFrom(sampled, sampled.since).follow(LOOKED_AT)) looked.push(...page);
      return verdictOn(list, config, looked);
    },
    sample: (count, context) => sampleCursor(listIn(context), count),
    read: (context) => readCursorStream(list, config, context, listIn(context)),
  };
}

export function listOf(
  {
    created_field: created,
    id_field: id,
    page_size: pageSize,
    start_date: start,
    end_date: end,
  }: CursorConfig,
  { signal, info }: StreamContext,
  fetchPage: PagedList<Row>['fetchPage'],
): PagedList<Row> {
  return {
    fetchPage,
    createdOf: (row) => timeOf(row, created),
    fingerprintOf,
    isSame: haveSameText,
    hasId: (row) => id !== undefined && scalarMember(row, id) !== undefined,
    pageSize,
    start: instantOf(start, MIN_INSTANT),
    since: start ?? null,
    end: instantOf(end, MAX_INSTANT),
    isRefusal,
    info,
    signal,
  };
}

async function pageOf(
  client: ListClient,
  asked: Readonly<Record<string, string | number | null | undefined>>,
  context: RequestContext,
): Promise<TimedPage<Row>> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(asked))
    if (value !== null && value !== undefined) query.set(name, String(value));
  const answer = await client.get(query, ({ pagination }) => void nextCursor(pagination), context);
  return {
    rows: answer.rows,
    next: nextCursor(answer.pagination),
    time: {
      at: BigInt(answer.serverTimeMs ?? answer.sentAtMs) * NS_PER_MS,
      clock: answer.serverTimeMs === undefined ? 'local' : 'server',
    },
  };
}

/** The cursor of the next page; null on the last one, where it is empty, null or absent. */
function nextCursor(pagination: Readonly<Record<string, unknown>>): string | null {
  const next = pagination['nextCursor'] ?? '';
  if (typeof next !== 'string') throw new BadPageError('metadata.pagination.nextCursor is not a text');
  return next === '' ? null : next;
}

/** Reads the list from where the state leaves off to its end; what a start date that became earlier wants is one range more. */
export async function* readCursorStream(
  { name, place }: ListName,
  config: CursorConfig,
  context: ReadContext,
  list: PagedList<Row>,
): AsyncGenerator<Batch> {
  const { now, info, warn } = context;
  const { created_field: field, parallel_chains: chains, lookback_seconds } = config;
  const isIncremental = context.syncMode === 'incremental';
  if (!isIncremental && context.state !== null) await info('full refresh, so the state is not used');
  const begin = startFrom(name, isIncremental ? context.state : null, config, now());
  const { from, isOtherField } = begin;
  if (isOtherField)
    await warn('created_field has changed, so the stream is read again from its start, and rows may repeat');
  if (list.start < from.coveredFrom)
    await info('start_date is earlier than it was, so what was created between the two is read as well');
  const lookback = BigInt(lookback_seconds * 1000) * NS_PER_MS;
  const read = { ...list, from, lookback, chains, now, warn };
  for await (const batch of readCursorList<Row>(read)) {
    const { rows, position, newest, unreadable } = batch;
    if (isIncremental && newest === undefined && unreadable >= TELLING && rows.length > 0)
      throw createdFieldError({ name, place }, rows, field, `, or read ${name} with full_refresh`);
    yield { rows, total: undefined, newest, state: () => stateFor(position, begin, field, fingerprintOf) };
    if (position.isFinished) await report(place, field, batch, context);
  }
}

/** Tells what a person should know of a read that is over. */
async function report(
  place: string,
  field: string,
  { repeats, alike, unreadable, forgets }: CursorBatch,
  { info, warn }: ReadContext,
): Promise<void> {
  if (repeats > 0)
    await info(`${repeats} rows were received again and skipped, because they had been emitted`);
  if (alike > 0)
    await info(
      `${alike} rows are identical to rows of earlier pages. All were emitted: they may be separate rows, or the server may ` +
        `have sent them twice. Set ${place}.id_field to tell them apart.`,
    );
  if (unreadable > 0)
    await warn(
      `${unreadable} rows have no readable time in ${field}; they were emitted, and do not move the state. ` +
        `If there are many, check ${place}.created_field.`,
    );
  if (forgets)
    await warn('more rows lie within the lookback than a state can remember; the next read may repeat some');
}
