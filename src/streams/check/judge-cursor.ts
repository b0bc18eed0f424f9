import type { CursorListConfig } from '../../generated/config.generated.ts';
import { formatWith, precisionOf } from '../../paging/cursor/bounds.ts';
import { MIN_INSTANT, MS, instantOf, later, writeTime, type Instant } from '../../paging/instant.ts';
import { counted, listed, quoted } from '../../protocol/messages.ts';
import type { Row } from '../../rows/row.ts';
import type { ListIdentity } from '../stream.ts';
import {
  boundTolerance,
  countMissing,
  countNewer,
  countOlder,
  mayBeBound,
  trialOf,
  type BoundTrial,
} from './created-bound.ts';
import { createdFault, createdProblem, timeFields, timeOf } from './cursor-fields.ts';
import { keyFault, keyNotes, keyProposals } from './key-field.ts';

type Rows = readonly Row[];
type List = Pick<ListIdentity, 'name' | 'place' | 'path'>;
type Config = Pick<CursorListConfig, 'created_field' | 'id_field' | 'start_date' | 'lookback_seconds'>;

/** A bound from the middle of the first rows; a string says why none would show anything. */
export type Probe = Readonly<{ bound: Instant; createdSince: string }> | string;

/** What the requests of a check showed. */
export interface CursorFacts {
  readonly rows: Rows; // the first ones from `start_date` on
  readonly probe: Probe;
  readonly answer: Rows | Readonly<{ refusal: string }>; // to the request with the bound of the probe; no rows if there was none
}

/** What a check says about a list. Each fault is a sentence with its cure; notes are sentences without a full stop. */
export type Verdict =
  | Readonly<{ kind: 'wrong'; faults: readonly string[] }>
  | Readonly<{ kind: 'ok'; result: string; notes: readonly string[] }>;

/** Fewer times have no middle. */
const MIN_TIMES = 3;
/** Rows without a time that are worth a note: one in ten. */
const MANY = 0.1;

/** Chooses the bound to request, from the first rows of a list. */
export function chooseProbe(first: Rows, config: Config): Probe {
  const { created_field: created, lookback_seconds } = config;
  if (first.every((row) => timeOf(row, created) === undefined)) return 'no row has a time';
  const rows = rowsFromStart(first, config);
  const times = rows.map((row) => timeOf(row, created)).filter((time) => time !== undefined);
  if (times.length < MIN_TIMES) return `there are fewer than ${MIN_TIMES} rows with a time`;
  if (orderOf(rows, created, lookback_seconds) === 'descending') return 'the newest rows come first';
  const format = formatWith(null, times);
  const ordered = times.map(({ instant }) => instant).toSorted((one, other) => (one < other ? -1 : 1));
  const bound: Instant = ordered[Math.floor(ordered.length / 2)] ?? MIN_INSTANT;
  if ((ordered[0] ?? bound) >= bound - boundTolerance(format)) return 'all rows have about the same time';
  return { bound, createdSince: writeTime(bound, format) };
}

/**
 * Judges whether a list, of which there is at least one row, can be read with the fields that the config names. All faults are named, so
 * that they can be corrected together.
 */
export function judgeCursorList(list: List, config: Config, facts: CursorFacts): Verdict {
  const { created_field: created, id_field: key } = config;
  const rows = rowsFromStart(facts.rows, config);
  const trial = trialIn(rows, created, facts);
  const checked = [...rows, ...laterRows(rows, trial?.returned ?? [], created)];
  const isTimed = facts.rows.some((row) => timeOf(row, created) !== undefined);
  const faults = [
    key === undefined || checked.length === 0 ? null : keyFault(list, key, 'optional', checked),
    isTimed ? boundFault(list, created, rows, facts, trial) : timelessFault(list, created, facts.rows),
  ].filter((fault) => fault !== null);
  if (faults.length > 0) return { kind: 'wrong', faults };
  const keyed = key === undefined ? [noKeyNote(list, checked)] : keyNotes(list, key, checked);
  if (!isTimed) return { kind: 'ok', result: timelessResult(list, created, facts.rows), notes: keyed };
  const timed = [...timelessNotes(list, rows, created), ...boundNotes(list, config, rows, facts, trial)];
  return { kind: 'ok', result: 'ok', notes: [...keyed, ...timed] };
}

/** Rows that a read emits: those without a time, and those from `start_date` on. */
function rowsFromStart(rows: Rows, { created_field: created, start_date: startDate }: Config): Rows {
  const start = instantOf(startDate, MIN_INSTANT);
  return rows.filter((row) => (timeOf(row, created)?.instant ?? start) >= start);
}

function trialIn(rows: Rows, created: string, { probe, answer }: CursorFacts): BoundTrial | null {
  return typeof probe === 'string' || 'refusal' in answer
    ? null
    : trialOf(created, probe.bound, rows, answer);
}

/** Rows that are not in a page; a row of the page may have changed in the meantime. */
function laterRows(page: Rows, rows: Rows, created: string): Rows {
  const known = new Set(page.map((row) => timeOf(row, created)?.instant));
  return rows.filter((row) => !known.has(timeOf(row, created)?.instant));
}

function noKeyNote({ name, place }: List, rows: Rows): string {
  const { fields, isNamed } = keyProposals(rows, { name }, null);
  const example = isNamed ? `, for example to ${quoted(fields[0] ?? '')}` : '';
  return `the stream has no primary key. If a destination must keep one version of each row, set ${place}.id_field${example}`;
}

/** A created field that no row has is wrong if another field has a time in every row. */
function timelessFault(list: List, created: string, rows: Rows): string | null {
  return timeFields(rows).length === 0 ? null : createdFault(list, rows, created, '');
}

function timelessResult(list: List, created: string, rows: Rows): string {
  const problem = createdProblem(rows, created);
  return (
    `ok, but for full_refresh only: ${quoted(created)} (${list.place}.created_field) ${problem}, and no other field has a time in every ` +
    'row'
  );
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

/** Explains that the server does not accept a bound made from the created field; null if it does. */
function boundFault(
  { name, place }: List,
  created: string,
  rows: Rows,
  { probe, answer }: CursorFacts,
  trial: BoundTrial | null,
): string | null {
  if (typeof probe === 'string') return null;
  const subject = `createdSince=${probe.createdSince}, a bound made from ${quoted(created)} (${place}.created_field)`;
  const cureBy = (fields: readonly string[]): string =>
    fields.length === 0
      ? `No other field fits. Read ${name} with full_refresh.`
      : `Set ${place}.created_field to the time that createdSince refers to; the rows fit ${listed(fields, quoted)}.`;
  const others = timeFields(rows).filter((field) => field !== created);
  if ('refusal' in answer)
    return (
      `the server refuses ${subject}, so no incremental read after the first would succeed. ${cureBy(others)} The server's answer: ` +
      answer.refusal
    );
  const missing = trial === null || answer.length > 0 ? 0 : countNewer(created, trial);
  if (trial === null || missing === 0) return null;
  const fitting = others.filter((field) => mayBeBound(field, [trial]));
  return (
    `the server returns no rows for ${subject}, although ${counted(missing, 'row', 'rows')} of those checked ` +
    `${missing === 1 ? 'has' : 'have'} a later time, so reads after the first would miss rows. ${cureBy(fitting)}`
  );
}

/** Notes about what `createdSince` refers to; if that seems to be the created field, about the order of the list. */
function boundNotes(
  list: List,
  config: Config,
  rows: Rows,
  { rows: first, probe }: CursorFacts,
  trial: BoundTrial | null,
): readonly string[] {
  const { created_field: created, start_date: startDate } = config;
  const start = instantOf(startDate, MIN_INSTANT);
  const trials = [
    ...(startDate === undefined ? [] : [{ bound: start, returned: first, omitted: [] }]),
    ...(trial === null ? [] : [trial]),
  ];
  const mismatch = mismatchNote(list, created, first, trials);
  if (mismatch !== null) return [mismatch];
  const unprobed = typeof probe === 'string' ? [`createdSince was not checked: ${probe}`] : [];
  return [...orderNotes(list, rows, config), ...unprobed];
}

/** Explains that `createdSince` refers to another field; null if it seems to refer to the created field. */
function mismatchNote(
  { place }: List,
  created: string,
  page: Rows,
  trials: readonly BoundTrial[],
): string | null {
  const trial = trials.find((one) => countOlder(created, one) > 0 || countMissing(created, one) > 0);
  if (trial === undefined) return null;
  const format = formatWith(
    null,
    page.map((row) => timeOf(row, created)),
  );
  const older = countOlder(created, trial);
  const sight =
    older > 0
      ? `returned ${counted(older, 'row', 'rows')} with an earlier time`
      : `did not return ${counted(countMissing(created, trial), 'row', 'rows')} with a later time`;
  const others = timeFields([...page, ...trial.returned]).filter((field) => field !== created);
  const better = others.filter((field) => mayBeBound(field, trials));
  const cure =
    better.length === 0
      ? `No other field fits; ${older > 0 ? 'the server may ignore createdSince' : takenForLater(place)}`
      : `The rows fit ${listed(better, quoted)}: set ${place}.created_field to the right one`;
  return (
    `createdSince does not refer to ${quoted(created)} (${place}.created_field): a request for rows since ` +
    `${writeTime(trial.bound, format)} ${sight}. ${cure}`
  );
}

/** Says why rows may be missing that are later than the bound, and what helps. */
function takenForLater(place: string): string {
  return (
    'the server may take createdSince for a later time than it is, as in another time zone or in whole days. Reads after the first would miss ' +
    `rows: set ${place}.lookback_seconds to more than the difference`
  );
}

function orderNotes({ place }: List, rows: Rows, config: Config): string[] {
  const { created_field: created, lookback_seconds } = config;
  const order = orderOf(rows, created, lookback_seconds);
  if (order === 'ascending') return [];
  const subject = `${quoted(created)} (${place}.created_field)`;
  const others = timeFields(rows).filter((field) => field !== created);
  const ascending = others.filter((field) => orderOf(rows, field, lookback_seconds) === 'ascending');
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
