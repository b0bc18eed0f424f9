import { configError, messageOf } from '../../errors.ts';
import type { CursorListConfig } from '../../generated/config.generated.ts';
import { formatWith, precisionOf } from '../../paging/cursor/bounds.ts';
import { MIN_INSTANT, MS, instantOf, later, writeTime, type Instant } from '../../paging/instant.ts';
import type { Limit } from '../../paging/page-size.ts';
import { counted, listed, quoted } from '../../protocol/messages.ts';
import type { Row } from '../../rows/row.ts';
import {
  boundTolerance,
  countMissing,
  countNewer,
  countOlder,
  mayBeBound,
  trialOf,
} from './created-bound.ts';
import type { BoundTrial } from './created-bound.ts';
import { createdFieldError, createdProblem, timeFields, timeOf } from './cursor-fields.ts';
import { firstRows, followCursor, type FetchLimited } from './first-pages.ts';
import { checkKey, keyNotes, keyProposals } from './key-field.ts';
import { isRefusal, withNotes, type ListIdentity } from '../stream.ts';

type Rows = readonly Row[];
type List = Pick<ListIdentity, 'name' | 'place' | 'path'>;
type Config = Pick<
  CursorListConfig,
  'created_field' | 'id_field' | 'page_size' | 'start_date' | 'lookback_seconds'
>;

/** Fewer times have no middle. */
const MIN_TIMES = 3;
/** Rows without a time that are worth a note: one in ten. */
const MANY = 0.1;

/**
 * Checks what a read of a cursor list relies on, from `start_date` on, in at most four requests. Returns "ok" with notes; throws
 * FIELD_UNUSABLE, with better fields, if the key or the created field cannot be used, PAGES_UNUSABLE if the server ignores its cursor, and
 * what `fetch` throws.
 */
export async function checkCursorList(list: List, config: Config, fetch: FetchLimited): Promise<string> {
  const first = await firstRows(config, fetch);
  const { created_field: created, start_date: startDate } = config;
  const start = instantOf(startDate, MIN_INSTANT);
  if (first.rows.length === 0) {
    const from = startDate === undefined ? '' : ` from start_date on (${startDate})`;
    const seen =
      first.after === null
        ? `there are no rows${from}`
        : `the first ${first.requests} pages${from} are empty`;
    return withNotes('ok', [`${seen}, so no field was checked`]);
  }
  const rows = first.rows.filter((row) => (timeOf(row, created)?.instant ?? start) >= start);
  const isTimed = first.rows.some((row) => timeOf(row, created) !== undefined);
  await followCursor(list, first, fetch);
  const probed = isTimed ? await probeBound(list, rows, config, first.limit, fetch) : 'no row has a time';
  const trial = typeof probed === 'string' ? null : probed;
  const keyed = checkedKey(list, config, [...rows, ...laterRows(rows, trial?.returned ?? [], created)]);
  if (!isTimed) return withNotes(timelessResult(list, created, first.rows), keyed);
  const trials = [
    ...(startDate === undefined ? [] : [{ bound: start, returned: first.rows, omitted: [] }]),
    ...(trial === null ? [] : [trial]),
  ];
  const unprobed = typeof probed === 'string' ? [`createdSince was not checked: ${probed}`] : [];
  const mismatch = boundNote(list, created, first.rows, trials);
  return withNotes('ok', [
    ...keyed,
    ...timelessNotes(list, rows, created),
    ...(mismatch === null ? [...orderNotes(list, rows, config), ...unprobed] : [mismatch]),
  ]);
}

/** Rows that are not in a page; a row of the page may have changed in the meantime. */
function laterRows(page: Rows, rows: Rows, created: string): Rows {
  const known = new Set(page.map((row) => timeOf(row, created)?.instant));
  return rows.filter((row) => !known.has(timeOf(row, created)?.instant));
}

/** Checks the key, and returns notes about it. */
function checkedKey(list: List, { id_field: key }: Config, rows: Rows): readonly string[] {
  if (key === undefined) return [noKeyNote(list, rows)];
  if (rows.length > 0) checkKey(list, key, 'optional', rows);
  return keyNotes(list, key, rows);
}

/** The result for rows without a time in the created field; throws if another field has one in every row. */
function timelessResult(list: List, created: string, rows: Rows): string {
  if (timeFields(rows).length > 0) throw createdFieldError(list, rows, created, '');
  const problem = createdProblem(rows, created);
  return (
    `ok, but for full_refresh only: ${quoted(created)} (${list.place}.created_field) ${problem}, and no other field has a time in every ` +
    'row'
  );
}

function noKeyNote({ name, place }: List, rows: Rows): string {
  const { fields, isNamed } = keyProposals(rows, { name }, null);
  const example = isNamed ? `, for example to ${quoted(fields[0] ?? '')}` : '';
  return `the stream has no primary key. If a destination must keep one version of each row, set ${place}.id_field${example}`;
}

function timelessNotes({ place }: List, rows: Rows, created: string): string[] {
  const timeless = rows.filter((row) => timeOf(row, created) === undefined).length;
  if (timeless === 0 || timeless < rows.length * MANY) return [];
  const better = timeFields(rows);
  const cure = better.length === 0 ? '' : `. Fields with a time in every row: ${listed(better, quoted)}`;
  return [
    `${quoted(created)} (${place}.created_field) has no readable time in ${timeless} of ${counted(rows.length, 'row', 'rows')} checked; ` +
      `such rows do not advance the state${cure}`,
  ];
}

/** How the rows are ordered by a field, as a read judges it. */
function orderOf(rows: Rows, field: string, lookbackSeconds: number): 'ascending' | 'descending' | 'none' {
  const times = rows.map((row) => timeOf(row, field));
  const { tolerance } = precisionOf(BigInt(lookbackSeconds * 1000) * MS, formatWith(null, times));
  const instants = times.flatMap((time) => (time === undefined ? [] : [time.instant]));
  if (ascend(instants, tolerance)) return 'ascending';
  return ascend(instants.toReversed(), tolerance) ? 'descending' : 'none';
}

/** True if no time is earlier than one before it by more than the tolerance (ns). */
function ascend(times: readonly Instant[], tolerance: bigint): boolean {
  let newest = MIN_INSTANT;
  return times.every((time) => {
    newest = later(newest, time);
    return time >= newest - tolerance;
  });
}

function orderNotes({ place }: List, rows: Rows, config: Config): string[] {
  const { created_field: created, lookback_seconds: lookback } = config;
  const order = orderOf(rows, created, lookback);
  if (order === 'ascending') return [];
  const subject = `${quoted(created)} (${place}.created_field)`;
  const others = timeFields(rows).filter((field) => field !== created);
  const ascending = others.filter((field) => orderOf(rows, field, lookback) === 'ascending');
  if (ascending.length > 0)
    return [
      `the list is not in ascending order of ${subject}, but of ${listed(ascending, quoted)}. If createdSince refers to that time, set ` +
        `${place}.created_field to it`,
    ];
  const how = order === 'descending' ? 'is in descending order' : 'is not in ascending order';
  return [
    `the list ${how} of ${subject}. It is read completely, but by one chain of pages to its end: parallel_chains and end_date do not make ` +
      'a read faster',
  ];
}

/**
 * Requests the rows from the middle of the page on. Returns the reason if that would show nothing. Throws FIELD_UNUSABLE if the server
 * refuses the bound, or does not understand it.
 */
async function probeBound(
  list: List,
  rows: Rows,
  { created_field: created, lookback_seconds: lookback }: Config,
  limit: Limit,
  fetch: FetchLimited,
): Promise<BoundTrial | string> {
  const times = rows.map((row) => timeOf(row, created)).filter((time) => time !== undefined);
  if (times.length < MIN_TIMES) return `there are fewer than ${MIN_TIMES} rows with a time`;
  if (orderOf(rows, created, lookback) === 'descending') return 'the newest rows come first';
  const format = formatWith(null, times);
  const ordered = times.map(({ instant }) => instant).toSorted((one, other) => (one < other ? -1 : 1));
  const bound: Instant = ordered[Math.floor(ordered.length / 2)] ?? MIN_INSTANT;
  if ((ordered[0] ?? bound) >= bound - boundTolerance(format)) return 'all rows have about the same time';
  const createdSince = writeTime(bound, format);
  const subject = `createdSince=${createdSince}, a bound made from ${quoted(created)} (${list.place}.created_field)`;
  const page = await fetch(limit, { after: null, createdSince, boundFrom: 'rows' }).catch(
    (error: unknown) => {
      if (!isRefusal(error)) throw error;
      const problem = `the server refuses ${subject}, so no incremental read after the first would succeed`;
      throw boundError(list, problem, otherTimes(rows, created), ` The server's answer: ${messageOf(error)}`);
    },
  );
  const trial = trialOf(created, bound, rows, page.rows);
  const missing = page.rows.length > 0 ? 0 : countNewer(created, trial);
  if (missing === 0) return trial;
  const problem =
    `the server returns no rows for ${subject}, although ${counted(missing, 'row', 'rows')} of those checked ` +
    `${missing === 1 ? 'has' : 'have'} a later time, so reads after the first would miss rows`;
  const fitting = otherTimes(rows, created).filter((field) => mayBeBound(field, [trial]));
  throw boundError(list, problem, fitting, '');
}

const otherTimes = (rows: Rows, created: string): string[] =>
  timeFields(rows).filter((field) => field !== created);

/** The error for bounds that the server does not accept; `fields` are those that may be the right ones. */
function boundError({ name, place }: List, problem: string, fields: readonly string[], words: string): Error {
  const cure =
    fields.length === 0
      ? `No other field fits. Read ${name} with full_refresh.`
      : `Set ${place}.created_field to the time that createdSince refers to; the rows fit ${listed(fields, quoted)}.`;
  return configError('FIELD_UNUSABLE', `${name}: ${problem}. ${cure}${words}`);
}

/** Explains that `createdSince` refers to another field; null if it seems to refer to the created field. */
function boundNote(
  { place }: List,
  created: string,
  page: Rows,
  trials: readonly BoundTrial[],
): string | null {
  const trial = trials.find((one) => countOlder(created, one) > 0 || countMissing(created, one, page) > 0);
  if (trial === undefined) return null;
  const format = formatWith(
    null,
    page.map((row) => timeOf(row, created)),
  );
  const older = countOlder(created, trial);
  const sight =
    older > 0
      ? `returned ${counted(older, 'row', 'rows')} with an earlier time`
      : `did not return ${counted(countMissing(created, trial, page), 'row', 'rows')} with a later time`;
  const others = timeFields([...page, ...trial.returned]).filter((field) => field !== created);
  const better = others.filter((field) => mayBeBound(field, trials));
  const cure =
    better.length === 0
      ? 'No other field fits; the server may ignore createdSince'
      : `The rows fit ${listed(better, quoted)}: set ${place}.created_field to the right one`;
  return (
    `createdSince does not refer to ${quoted(created)} (${place}.created_field): a request for rows since ` +
    `${writeTime(trial.bound, format)} ${sight}. ${cure}`
  );
}
