import { configError } from '../../errors.ts';
import { OTHER_DIGITS } from '../../paging/digits.ts';
import {
  MAX_INSTANT,
  MIN_INSTANT,
  instantOf,
  readTime,
  type Instant,
  type WrittenTime,
} from '../../paging/instant.ts';
import { counted, listed, quoted } from '../../protocol/messages.ts';
import { scalarMember, type Row } from '../../rows/row.ts';
import { fieldsOf, pathProblem, sampleOf } from './fields.ts';
import type { ListName } from '../stream.ts';

type Rows = readonly Row[];

/** Many numbers can be read as times; a created time is within this period. */
const PLAUSIBLE = {
  since: instantOf('1990-01-01', MIN_INSTANT),
  until: instantOf('2100-01-01', MAX_INSTANT),
};

/** Throws CONFIG_INVALID if a start date is later than the time of a response, so that nothing would be read. */
export function checkStartDate(place: string, startDate: string | undefined, now: Instant): void {
  if (instantOf(startDate, MIN_INSTANT) <= now) return;
  throw configError(
    'CONFIG_INVALID',
    `${place}.start_date (${startDate}) is in the future, so nothing would be read. Set it to a time in the past, or remove it.`,
  );
}

/** Returns the exact time in a field of a row, read from its text even if it is a number; undefined if it is not a time. */
export function timeOf(row: Row, field: string): WrittenTime | undefined {
  const member = scalarMember(row, field);
  return member === undefined ? undefined : readTime(member.text);
}

/** The error for a created field without a readable time in any row: the state would never move. */
export function createdFieldError(list: ListName, rows: Rows, field: string, instead: string): Error {
  return configError('FIELD_UNUSABLE', `${list.name}: ${createdFault(list, rows, field, instead)}`);
}

/** Describes such a field, with its cure. */
export function createdFault(list: ListName, rows: Rows, field: string, instead: string): string {
  const better = timeFields(rows);
  const cure =
    better.length === 0
      ? `No other field has a time in every row either, so the rows cannot be read incrementally. Read ${list.name} with full_refresh.`
      : `Fields with a time in every row: ${listed(better, quoted)}. Set ${list.place}.created_field to the one with the created ` +
        `time${instead}.`;
  const subject = `${quoted(field)} (${list.place}.created_field)`;
  return `${subject} ${createdProblem(rows, field)}. ${cure}`;
}

/** Values that are times, but in a form that cannot be told from other numbers or words. */
const FORMS: readonly (readonly [form: string, pattern: RegExp])[] = [
  ['ticks of .NET', /^6\d{17}\b/],
  ['Windows file times', /^1\d{17}\b/],
  ['ASP.NET dates', /^\/Date\(/],
  ['times in other digits than yyyyMMddHHmmss', OTHER_DIGITS],
  ['HTTP dates (RFC 1123)', /^[A-Z][a-z]{2}, \d\d? [A-Z][a-z]{2} \d{4}/],
];

/** Explains why no row has a time in a field; names a value, and the form that it seems to have. */
export function createdProblem(rows: Rows, field: string): string {
  const nowhere = `has no readable time in any of ${counted(rows.length, 'row', 'rows')} checked`;
  const sample = sampleOf(rows, field);
  if (sample === null) return pathProblem(rows, field) ?? nowhere;
  const form = FORMS.find(([, pattern]) => pattern.test(sample.replaceAll(/^"|"$/g, '')))?.[0];
  return `${nowhere}: its values, such as ${sample}, ${form === undefined ? 'are no times' : `seem to be ${form}, which are not supported`}`;
}

/** Names of times, best first; all others are between the second and the last. */
const CREATED = [/creat/i, /receiv|arriv|insert|ingest|register|upload/i];
const CHANGED = /updat|modif|chang|clos|end|expir|delet|clear|resolv/i;

/** Returns the fields with a plausible time in every row, those named like the created time first. */
export function timeFields(rows: Rows): string[] {
  const fields = fieldsOf(rows).flatMap(([name, values]) => {
    const times = values.map((value) => (value === undefined ? undefined : readTime(value.text)));
    return times.every(isPlausible) ? [name] : [];
  });
  return fields.toSorted((one, other) => rankOf(one) - rankOf(other));
}

function isPlausible(time: WrittenTime | undefined): boolean {
  return time !== undefined && time.instant >= PLAUSIBLE.since && time.instant < PLAUSIBLE.until;
}

function rankOf(name: string): number {
  const at = CREATED.findIndex((pattern) => pattern.test(name));
  if (at !== -1) return at;
  return CHANGED.test(name) ? CREATED.length + 1 : CREATED.length;
}
