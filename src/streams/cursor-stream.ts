import { LateRequestError, isServerError, type ListClient, type PageCheck } from '../api/client.ts';
import { LargePageError } from '../api/sized-query.ts';
import type { CursorListConfig } from '../generated/config.generated.ts';
import { ORDINARY } from '../paging/cursor/list.ts';
import type { CursorBatch, CursorList, Failure, PageRequest } from '../paging/cursor/list.ts';
import { readCursorList } from '../paging/cursor/read.ts';
import { positionAt } from '../paging/cursor/reading.ts';
import { MAX_INSTANT, MIN_INSTANT, MS, instantOf, readTime } from '../paging/instant.ts';
import { onceEach } from '../protocol/messages.ts';
import { haveSameText, rowBytes, type Row } from '../rows/row.ts';
import { createBoundForms } from './bound-forms.ts';
import { checkCursorList } from './check/check-cursor.ts';
import { checkStartDate, createdFieldError, timeOf } from './check/cursor-fields.ts';
import { startFrom, stateFor, type CursorBegin } from './cursor-state.ts';
import {
  beginMessages,
  boundAdviceOf,
  boundFormMessage,
  cursorEventMessage,
  cursorReport,
  earlierStartMessage,
  endlessError,
  futureStateMessage,
  ignoredState,
} from './messages/cursor.ts';
import { OTHER_PAGING, repeatedKeyWarning, type Message } from './messages/lists.ts';
import { createCutCheck } from './cut-page.ts';
import { checkCursorPaging, nextCursorOf, otherCursors, saysNoMore } from './paging-kind.ts';
import { watchRows } from './repeated-keys.ts';
import { sampleCursor } from './sample-cursor.ts';
import { createSizedPages } from './sized-pages.ts';
import { CURSOR_MEMBERS, OFFSET_MEMBERS, catalogOf, isOfOtherPaging, isRefusal } from './stream.ts';
import type { Batch, ListIdentity, ListName, ReadContext, SourceStream, StreamContext } from './stream.ts';

/** The settings of a cursor-paged list, apart from its address. */
export type CursorConfig = Omit<CursorListConfig, 'paging' | 'name' | 'base_url' | 'path' | 'audience'>;

/** Rows without a time after which the created field is wrong. */
const MAX_TIMELESS = 100;
/** A list paged by cursor, which is read incrementally by created time. */
export function cursorStream(list: ListIdentity, config: CursorConfig, client: ListClient): SourceStream {
  const { entry, assumedFields } = catalogOf(list, config);
  const { created_field: created, start_date: startDate } = config;
  const inForm = createBoundForms<Row>((row) => timeOf(row, created));
  const checkCut = createCutCheck(list);
  const pageOf = async (request: PageRequest, context: StreamContext) => {
    const fetch = (asked: PageRequest) =>
      inForm(
        asked,
        (written) => requestPage(client, list, written, context),
        (refused, accepted) => context.info(boundFormMessage(refused, accepted)),
      );
    const page = await fetch(request);
    checkStartDate(list.place, startDate, page.time);
    await checkCut(page, request, fetch);
    return page;
  };
  const listIn = (context: StreamContext): CursorList<Row> =>
    listOf(list, config, context, (request, signal) => pageOf(request, { ...context, signal }));
  return {
    name: list.name,
    catalogEntry: {
      ...entry,
      supported_sync_modes: ['full_refresh', 'incremental'],
      default_cursor_field: [created],
    },
    assumedFields,
    probe: (context) => {
      const sized = createSizedPages(list, config.page_size ?? null, ({ text }) => context.info(text));
      return checkCursorList(list, config, async (rows, request) => {
        const pageWith = (limitAfter: PageRequest['limitAfter']) =>
          pageOf({ ...request, ...UNLIMITED, limitAfter }, context);
        // a cursor may be the number of a page of that size
        if (request.after === null) return sized(rows, pageWith);
        return { ...(await pageWith(() => rows)), limit: rows };
      });
    },
    sample: (count, context) => sampleCursor(listIn(context), count, context.info),
    read: (context) => readCursorStream(list, config, context, listIn(context)),
  };
}

/** For a request that is repeated as it is as long as the budget allows. */
const UNLIMITED = { sendByMs: null, serverErrorMs: null, mayBeRefused: true };

export function listOf(
  name: ListName,
  { created_field: created, page_size: pageSize, start_date: start, end_date: end }: CursorConfig,
  { signal }: StreamContext,
  fetchPage: CursorList<Row>['fetchPage'],
): CursorList<Row> {
  return {
    pageSize: pageSize ?? null,
    fetchPage,
    failureOf,
    endlessError: (endless) => endlessError(endless, name),
    createdOf: (row) => timeOf(row, created),
    textOf: rowBytes,
    isSame: haveSameText,
    start: instantOf(start, MIN_INSTANT),
    startFormat: readTime(start ?? '')?.format ?? null,
    end: instantOf(end, MAX_INSTANT),
    signal,
  };
}

function failureOf(error: unknown): Failure {
  if (error instanceof LateRequestError) return 'late';
  if (error instanceof LargePageError) return 'large';
  if (isRefusal(error)) return 'refused';
  return isServerError(error) ? 'broke' : 'else';
}

async function requestPage(
  client: ListClient,
  list: ListIdentity,
  { after, createdSince, boundFrom, sendByMs, serverErrorMs, mayBeRefused, limitAfter }: PageRequest,
  context: StreamContext,
) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ limit: limitAfter(0), after, createdSince }))
    if (value !== null) query.set(name, String(value));
  const check: PageCheck = ({ rows, pagination, extras = [] }) =>
    checkCursorPaging({ pagination, extras, rows: rows.length, isFirst: after === null }, list);
  const boundAdvice = createdSince === null ? undefined : boundAdviceOf(boundFrom, list);
  const limits = { sendByMs: sendByMs ?? undefined, serverErrorMs: serverErrorMs ?? undefined };
  const request = { ...limits, limitAfter, boundAdvice, mayBeRefused };
  const page = await client.get(query, check, { ...context, ...request });
  const { rows, pagination, serverTimeMs, sentAtMs, receivedAtMs, failures = 0 } = page;
  const next = nextCursorOf(pagination);
  // feeds end by repeating the cursor, or with a new one for the next poll
  const isEnd = rows.length === 0 && (next === after || saysNoMore(pagination));
  const time = BigInt(serverTimeMs ?? sentAtMs) * MS;
  const shown = { hasCursor: 'nextCursor' in pagination, otherCursors: otherCursors(pagination) };
  return { rows, next: isEnd ? null : next, time, sentAtMs, receivedAtMs, failures, ...shown };
}

const MERGED = 'All of them are emitted, but a destination that merges by primary key keeps one of them.';

/** Reads the list from where the state ends. */
export async function* readCursorStream(
  { name, place }: ListName,
  config: CursorConfig,
  context: ReadContext,
  list: CursorList<Row>,
): AsyncGenerator<Batch> {
  const { warn } = context;
  const { created_field: field, parallel_chains: chains, lookback_seconds } = config;
  const isIncremental = context.syncMode === 'incremental';
  const say = sayer(context);
  const begin = await startOf(name, config, context, list);
  const repeatedKey = config.id_field === undefined ? null : watchRows(config.id_field);
  const held: Batch[] = [];
  let isReadable = !isIncremental || begin.given !== null;
  for await (const batch of readCursorList<Row>({
    ...list,
    from: begin.from,
    lookback: BigInt(lookback_seconds * 1000) * MS,
    maxChains: chains,
    maxRows: context.limitRows ?? Infinity,
    tuning: ORDINARY,
    say: (event) => say(cursorEventMessage(event, place)),
  })) {
    const { rows, counts, hasTimes, end } = batch;
    held.push(batchOf(batch, begin, field));
    isReadable ||= hasTimes;
    const repeated = repeatedKey?.(rows) ?? null;
    if (repeated !== null) await warn(repeatedKeyWarning(repeated, config.id_field ?? '', MERGED, place));
    // held back, because some servers list rows without a time first
    if (
      !isReadable &&
      (counts.timeless >= MAX_TIMELESS || (end?.kind === 'finished' && counts.timeless > 0))
    ) {
      const shown = held.flatMap((each) => each.rows);
      throw createdFieldError({ name, place }, shown, field, `, or read ${name} with full_refresh`);
    }
    if (!isReadable && end === null) continue;
    yield* held.splice(0);
    if (end !== null) await report(place, config, begin, batch, context);
  }
}

/** Returns a function that logs messages; what is said again and again, such as that cursors expire, it says once. */
function sayer({ info, warn }: ReadContext): (message: Message) => Promise<void> {
  const infoOnce = onceEach(info);
  return ({ level, text }) => (level === 'warn' ? warn(text) : infoOnce(text));
}

function batchOf({ rows, moment, counts, end }: CursorBatch<Row>, begin: CursorBegin, field: string): Batch {
  const { given } = begin;
  const { emitted, newest, late, latest } = counts;
  const readAt = end?.kind === 'finished' ? end.readAt : null;
  return {
    rows,
    total: undefined,
    newest: newest === MIN_INSTANT ? undefined : newest,
    late: late === 0 ? undefined : { rows: late, latest },
    state: () => {
      const found = positionAt(moment);
      const isGiven = emitted === 0 && isFuture(begin, end);
      return isGiven && given !== null ? { ...given } : stateFor(found, readAt, field);
    },
    isLimited: end?.kind === 'limited',
  };
}

/** True if a read has ended before the time from which its state goes on. */
function isFuture({ from }: CursorBegin, end: CursorBatch<Row>['end']): boolean {
  return end?.kind === 'finished' && from.question > end.readAt;
}

/** Returns where a read begins, and logs why, if that is not where the state ends. */
async function startOf(
  name: string,
  config: CursorConfig,
  context: ReadContext,
  list: CursorList<Row>,
): Promise<CursorBegin> {
  const { syncMode, state, stateFile: file = null } = context;
  const { start_date: startDate } = config;
  const isIncremental = syncMode === 'incremental';
  const isOther = isOfOtherPaging(state, CURSOR_MEMBERS, OFFSET_MEMBERS);
  const begin = startFrom(
    { stream: name, file },
    isIncremental && !isOther ? state : null,
    config.created_field,
  );
  const say = sayer(context);
  if (isOther) await say(OTHER_PAGING);
  if (!isIncremental && !isOther && state !== null) await say(ignoredState(state['read_at'] !== undefined));
  for (const message of beginMessages(begin)) await say(message);
  const { question } = begin.from;
  if (startDate !== undefined && list.start < question) await say(earlierStartMessage(startDate, question));
  return begin;
}

/** Logs what users should know about a read that has ended. */
async function report(
  place: string,
  config: CursorConfig,
  begin: CursorBegin,
  { counts, moment, end }: CursorBatch<Row>,
  context: ReadContext,
): Promise<void> {
  const { from } = begin;
  const messages = cursorReport({
    place,
    config,
    counts,
    isFull: positionAt(moment).isFull,
    floor: from.floor,
    unreturned: end?.kind === 'finished' ? end.unreturned : 0,
    readAt: end?.kind === 'finished' ? end.readAt : null,
    isLimited: end?.kind === 'limited',
    nowMs: context.now(),
  });
  const say = sayer(context);
  if (counts.emitted === 0 && isFuture(begin, end)) await say(futureStateMessage(from.question));
  for (const message of messages) await say(message);
}
