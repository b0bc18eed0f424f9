import { LateRequestError, type ListClient, type PageCheck } from '../api/client.ts';
import type { CursorListConfig } from '../generated/config.generated.ts';
import { BROKEN_CURSOR_MS, CURSOR_STATE } from '../limits.ts';
import { readCursorList } from '../paging/cursor/cursor-read.ts';
import type { CursorBatch } from '../paging/cursor/position.ts';
import type { CursorList, CursorPage, Failure, PageRequest } from '../paging/cursor/list.ts';
import { ENOUGH_ROWS } from '../paging/cursor/order.ts';
import { LAST_RECEIVED } from '../paging/cursor/seen-log.ts';
import { MAX_INSTANT, MIN_INSTANT, MS, instantOf, writeTime } from '../paging/instant.ts';
import { counted } from '../protocol/messages.ts';
import { haveSameText, rowBytes, type Row } from '../rows/row.ts';
import { checkCursorList } from './check-cursor.ts';
import { createdFieldError, timeOf } from './cursor-fields.ts';
import { startFrom, stateFor } from './cursor-state.ts';
import { checkCursorPaging, nextCursorOf } from './paging-kind.ts';
import { repeatedKeyWarning, watchRows } from './repeated-keys.ts';
import { sampleCursor } from './sample-cursor.ts';
import { catalogOf, isRefusal, isServerError } from './stream.ts';
import type { Batch, ListIdentity, ListName, ReadContext, SourceStream, StreamContext } from './stream.ts';

/** The settings of a cursor-paged list, apart from its address. */
export type CursorConfig = Omit<CursorListConfig, 'paging' | 'name' | 'base_url' | 'path' | 'audience'>;

/** Rows without a time after which the created field is wrong. */
const MAX_TIMELESS = 100;
/** A newest created time before it, or more than a day ahead, is more likely a number that only looks like a time. */
const FIRST_PLAUSIBLE = instantOf('2000-01-01', MIN_INSTANT);
const DAY_MS = 86_400_000;

/** A list paged by cursor, which is read incrementally by created time. */
export function cursorStream(list: ListIdentity, config: CursorConfig, client: ListClient): SourceStream {
  const { entry, assumedFields } = catalogOf(list, config);
  const { created_field: created, page_size: pageSize } = config;
  const listIn = (context: StreamContext): CursorList<Row> =>
    listOf(list.name, config, context, (request, signal) =>
      requestPage(client, list, pageSize, request, { ...context, signal }),
    );
  return {
    name: list.name,
    catalogEntry: {
      ...entry,
      supported_sync_modes: ['full_refresh', 'incremental'],
      default_cursor_field: [created],
    },
    assumedFields,
    probe: (context) =>
      checkCursorList(list, config, (limit, request) =>
        requestPage(client, list, limit, { ...request, sendByMs: null }, context),
      ),
    sample: (count, context) => sampleCursor(listIn(context), count),
    read: (context) => readCursorStream(list, config, context, listIn(context)),
  };
}

export function listOf(
  name: string,
  { created_field: created, start_date: start, end_date: end }: CursorConfig,
  { signal, info }: StreamContext,
  fetchPage: CursorList<Row>['fetchPage'],
): CursorList<Row> {
  return {
    name,
    fetchPage,
    failureOf,
    createdOf: (row) => timeOf(row, created),
    textOf: rowBytes,
    isSame: haveSameText,
    start: instantOf(start, MIN_INSTANT),
    startText: start ?? null,
    end: instantOf(end, MAX_INSTANT),
    info,
    signal,
  };
}

function failureOf(error: unknown): Failure {
  if (error instanceof LateRequestError) return 'late';
  if (isRefusal(error)) return 'refused';
  return isServerError(error) ? 'broke' : 'else';
}

async function requestPage(
  client: ListClient,
  list: ListIdentity,
  limit: number | undefined,
  { after, createdSince, sendByMs }: PageRequest,
  context: StreamContext,
): Promise<CursorPage<Row>> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ limit, after, createdSince }))
    if (value !== null && value !== undefined) query.set(name, String(value));
  const check: PageCheck = ({ pagination }) => checkCursorPaging(pagination, list);
  const serverErrorMs = after === null ? undefined : BROKEN_CURSOR_MS;
  const page = await client.get(query, check, { ...context, sendByMs: sendByMs ?? undefined, serverErrorMs });
  const { rows, pagination, serverTimeMs, sentAtMs } = page;
  const next = nextCursorOf(pagination);
  // some feeds end by repeating the cursor
  const isEnd = rows.length === 0 && next === after;
  const time = BigInt(serverTimeMs ?? sentAtMs) * MS;
  return { rows, bytes: rows[0]?.bytes.length ?? 0, next: isEnd ? null : next, time, sentAtMs };
}

const MERGED = 'All of them are emitted, but a destination that merges by primary key keeps one of them.';

/** Reads the list from where the state ends, and the rows that an earlier start date adds. */
export async function* readCursorStream(
  { name, place }: ListName,
  config: CursorConfig,
  context: ReadContext,
  list: CursorList<Row>,
): AsyncGenerator<Batch> {
  const { warn } = context;
  const { created_field: field, parallel_chains: chains, lookback_seconds } = config;
  const isIncremental = context.syncMode === 'incremental';
  const begin = await startOf(name, config, context, list);
  const { from } = begin;
  const lookback = BigInt(lookback_seconds * 1000) * MS;
  const repeatedKey = config.id_field === undefined ? null : watchRows(config.id_field);
  const held: Batch[] = [];
  let isReadable = !isIncremental || begin.given !== null;
  for await (const batch of readCursorList<Row>({
    ...list,
    from,
    lookback,
    chains,
    enough: ENOUGH_ROWS,
    confirmsEnd: !isIncremental,
    warn,
  })) {
    const { rows, position, newest, counts, hasTimes, isFinished } = batch;
    held.push({
      rows,
      total: undefined,
      newest: newest === MIN_INSTANT ? undefined : newest,
      state: () => stateFor(position, begin, config),
    });
    isReadable ||= hasTimes;
    const repeated = repeatedKey?.(rows) ?? null;
    if (repeated !== null) await warn(repeatedKeyWarning(repeated, config.id_field ?? '', MERGED, place));
    // held back, because some servers list rows without a time first
    if (!isReadable && (counts.timeless >= MAX_TIMELESS || (isFinished && counts.timeless > 0))) {
      const shown = held.flatMap((each) => each.rows);
      throw createdFieldError({ name, place }, shown, field, `, or read ${name} with full_refresh`);
    }
    if (!isReadable && !isFinished) continue;
    yield* held.splice(0);
    if (isFinished) await report(place, config, batch, context);
  }
}

/** Returns where a read begins, and logs why, if that is not where the state ends. */
async function startOf(
  name: string,
  config: CursorConfig,
  { syncMode, state, info, warn }: ReadContext,
  list: CursorList<Row>,
) {
  const isIncremental = syncMode === 'incremental';
  if (!isIncremental && state !== null) await info('full refresh: ignoring the state');
  const begin = startFrom(name, isIncremental ? state : null, config);
  if (begin.isOtherField)
    await warn(
      'created_field has changed, so the stream is read again from its start, and rows may be repeated',
    );
  if (list.start < begin.from.coveredFrom)
    await info('start_date is earlier or was removed, so earlier rows are read as well');
  return begin;
}

/** Rows that are left out are not remembered, so they are not recognized when a chain that starts over receives them again. */
const EACH_TIME = ', counted each time they were received';

/** Logs what users should know about a finished read. */
async function report(
  place: string,
  { created_field: field, start_date: start, end_date: end }: CursorConfig,
  { counts, emittedBeforeGiven, straysBefore, newest }: CursorBatch<Row>,
  { info, warn, now }: ReadContext,
): Promise<void> {
  const { copies, strays, timeless, beforeStart, afterEnd } = counts;
  if (beforeStart > 0)
    await info(
      `left out ${counted(beforeStart, 'row', 'rows')} created before start_date (${start})${EACH_TIME}`,
    );
  if (afterEnd > 0)
    await info(`left out ${counted(afterEnd, 'row', 'rows')} created after end_date (${end})${EACH_TIME}`);
  if (copies > 0)
    await info(
      `the server returned ${counted(copies, 'row', 'rows')} more than once in one chain of pages; rows with the same text are ` +
        'emitted once',
    );
  if (strays > 0)
    await info(
      `emitted ${counted(strays, 'row', 'rows')} whose time in "${field}" is earlier than the createdSince for which the server returned ` +
        `them. They appeared late, or "${field}" (${place}.created_field) is not the time that createdSince refers to.`,
    );
  if (straysBefore > 0)
    await warn(
      `a state remembers ${counted(LAST_RECEIVED, 'row', 'rows')} older than requested. Up to ` +
        `${counted(straysBefore, 'row', 'rows')} may have been emitted before.`,
    );
  if (timeless > 0)
    await warn(
      `emitted ${counted(timeless, 'row', 'rows')} without a readable time in "${field}"; such rows do not advance the state. ` +
        `If there are many, check ${place}.created_field.`,
    );
  if (newest !== MIN_INSTANT && (newest < FIRST_PLAUSIBLE || newest > BigInt(now() + DAY_MS) * MS))
    await warn(
      `the newest time in "${field}" is ${writeTime(newest, null)}, which is ${newest < FIRST_PLAUSIBLE ? 'before 2000' : 'in the future'}. ` +
        `Check ${place}.created_field, and whether its values are times in a form that looks like another one.`,
    );
  if (emittedBeforeGiven > 0)
    await warn(
      `up to ${counted(emittedBeforeGiven, 'row', 'rows')} may be repeated: more rows than the ` +
        `${CURSOR_STATE.maxSeen} that a state remembers were created within lookback_seconds, or at one time`,
    );
}
