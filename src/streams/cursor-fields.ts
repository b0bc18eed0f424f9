import { configError } from '../errors.ts';
import type { CursorListConfig } from '../generated/config.generated.ts';
import { MAX_INSTANT, MIN_INSTANT, instantOf, readTime, type WrittenTime } from '../paging/instant.ts';
import { isIn } from '../paging/cursor/ranges.ts';
import { counted, listed, quoted } from '../protocol/messages.ts';
import { scalarMember, scalarMembers, type Row, type Scalar } from '../rows/row.ts';
import type { ListName } from './stream.ts';

/** The fields that the config names, because the API's documentation does not specify them. */
export type NamedFields = Pick<CursorListConfig, 'created_field' | 'id_field'>;

type Rows = readonly Row[];

/** Many numbers can be read as times; a created time is within this period. */
const PLAUSIBLE = {
  since: instantOf('1990-01-01', MIN_INSTANT),
  until: instantOf('2100-01-01', MAX_INSTANT),
};
const ID_NAME = /id$/i;
/** Limits of the search for suitable fields. */
const MAX_ROWS = 100;
const MAX_FIELDS = 1000;
/** Characters of a value in a message. */
const MAX_SHOWN = 60;

/** Returns the exact time in a field of a row, read from its text even if it is a number; undefined if it is not a time. */
export function timeOf(row: Row, field: string): WrittenTime | undefined {
  const member = scalarMember(row, field);
  return member === undefined ? undefined : readTime(member.text);
}

/** Returns "ok" if rows have the fields that the config names; throws FIELD_UNUSABLE, which suggests other fields, otherwise. */
export function checkFields(
  list: ListName,
  { created_field: created, id_field: id }: NamedFields,
  rows: Rows,
) {
  const problem = id === undefined ? null : keyProblem(rows, id);
  if (id !== undefined && problem !== null) throw keyFieldError(list, rows, id, problem);
  if (rows.some((row) => timeOf(row, created) !== undefined)) return 'ok';
  if (timeFields(rows).length > 0) throw createdFieldError(list, rows, created, '');
  return (
    `ok, but for full_refresh only: no row has a readable time in ${named(list, 'created_field', created)} ` +
    `or in any other field (${checked(rows)})`
  );
}

/** The error for a created field without a readable time in any row: the state would never move. */
export function createdFieldError(list: ListName, rows: Rows, field: string, instead: string): Error {
  const better = timeFields(rows);
  const advice =
    better.length === 0
      ? `or in any other field (${checked(rows)}), so the rows cannot be read incrementally. Read ${list.name} with full_refresh.`
      : `in any row (${checked(rows)}). Fields with a time in every row: ${listed(better, quoted)}. Set ` +
        `${list.place}.created_field to the one with the created time${instead}.`;
  const problem = `no time can be read in ${named(list, 'created_field', field)}${unreadable(rows, field)}`;
  return configError('FIELD_UNUSABLE', `${list.name}: ${problem} ${advice}`);
}

/** Values that are times, but in a form that cannot be told from other numbers or words. */
const FORMS: readonly (readonly [form: string, pattern: RegExp])[] = [
  ['ticks of .NET', /^6\d{17}$/],
  ['Windows file times', /^1\d{17}$/],
  ['ASP.NET dates', /^\/Date\(/],
  ['HTTP dates (RFC 1123)', /^[A-Z][a-z]{2}, \d\d? [A-Z][a-z]{2} \d{4}/],
];

/** Names a value of a field that cannot be read, and the form that it seems to have. */
function unreadable(rows: Rows, field: string): string {
  const value = rows.map((row) => scalarMember(row, field)?.text).find((text) => text !== undefined);
  if (value === undefined) return '';
  const form = FORMS.find(([, pattern]) => pattern.test(value))?.[0];
  const shown = JSON.stringify(value.slice(0, MAX_SHOWN));
  return `, whose values (such as ${shown}) ${form === undefined ? 'are no times' : `seem to be ${form}, which are not supported`},`;
}

/** The error for a key field that does not identify rows. */
export function keyFieldError(list: ListName, rows: Rows, field: string, problem: string): Error {
  const better = keyFields(rows);
  const cure =
    better.length === 0
      ? `No other field identifies rows either; omit ${list.place}.id_field.`
      : `Fields that identify rows: ${listed(better, quoted)}. Set ${list.place}.id_field to the right one, or omit it.`;
  return configError('FIELD_UNUSABLE', `${list.name}: ${named(list, 'id_field', field)} ${problem}. ${cure}`);
}

const checked = ({ length }: readonly unknown[]): string => counted(length, 'row checked', 'rows checked');

function named({ place }: ListName, key: keyof NamedFields, field: string): string {
  return `${JSON.stringify(field)} (${place}.${key})`;
}

/** Returns the fields with a plausible time in every row, in the order of the first row. */
export function timeFields(rows: Rows): string[] {
  return fieldsOf(rows).flatMap(([name, values]) => {
    const times = values.map((value) => (value === undefined ? undefined : readTime(value.text)));
    return times.every((time) => isIn(PLAUSIBLE, time?.instant ?? MIN_INSTANT)) ? [name] : [];
  });
}

/** Returns the fields that identify rows: a string or number in every row, each value once. Fields named like an ID come first. */
export function keyFields(rows: Rows): string[] {
  return fieldsOf(rows)
    .flatMap(([name, values]) => (valuesProblem(values) === null ? [name] : []))
    .toSorted((one, other) => Number(ID_NAME.test(other)) - Number(ID_NAME.test(one)));
}

/** Explains why a field cannot be the key of the rows; null if it can. */
export function keyProblem(rows: Rows, field: string): string | null {
  return valuesProblem(rows.map((row) => scalarMember(row, field)));
}

function valuesProblem(values: readonly Scalar[]): string | null {
  const lacking = values.filter((value) => value === undefined || value.text === '').length;
  if (lacking > 0) return `has no string or number in ${lacking} of ${checked(values)}`;
  return new Set(values.map((value) => `${value?.kind} ${value?.text}`)).size < values.length
    ? `has the same value in several of ${checked(values)}`
    : null;
}

/** Returns the first fields of the first row, each with its values in the first rows, in linear time. */
function fieldsOf(rows: Rows): readonly (readonly [name: string, values: readonly Scalar[]])[] {
  const members = rows.slice(0, MAX_ROWS).map((row) => scalarMembers(row, MAX_FIELDS));
  return [...(members[0]?.keys() ?? [])].map((name) => [name, members.map((one) => one.get(name))]);
}
