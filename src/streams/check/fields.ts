import { printable } from '../../http/response.ts';
import type { Row, Scalar } from '../../rows/row.ts';
import { memberText, scalarMembers } from '../../rows/row.ts';

/** Limits of the search for suitable fields. */
const MAX_ROWS = 100;
const MAX_FIELDS = 1000;

/** Returns the first fields of the first row, each with its values in the first rows, in linear time. */
export function fieldsOf(
  rows: readonly Row[],
): readonly (readonly [name: string, values: readonly Scalar[]])[] {
  const members = rows.slice(0, MAX_ROWS).map((row) => scalarMembers(row, MAX_FIELDS));
  return [...(members[0]?.keys() ?? [])].map((name) => [name, members.map((one) => one.get(name))]);
}

/** Characters of a value in a message. */
const MAX_SHOWN = 60;

/** The text of a value that a field has, for messages, of whatever kind, but rather one that is not null; null if no row has the field. */
export function sampleOf(rows: readonly Row[], field: string): string | null {
  const texts = rows.slice(0, MAX_ROWS).map((row) => memberText(row, field));
  const text = texts.find((one) => one !== undefined && one !== 'null') ?? texts.find(isPresent);
  if (text === undefined) return null;
  const line = printable(text);
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}

const isPresent = (text: string | undefined): boolean => text !== undefined;

/** Explains why no row can have a field: it is a path, or a name that does not occur; null if some row has the field. */
export function pathProblem(rows: readonly Row[], field: string): string | null {
  const checked = rows.slice(0, MAX_ROWS);
  if (checked.some((row) => scalarMembers(row, MAX_FIELDS).has(field))) return null;
  const isPath = /[./[\]$]/.test(field);
  const among = checked.length === 1 ? 'the row checked' : `the ${checked.length} rows checked`;
  return isPath
    ? 'is a path, and paths into nested values are not supported: only a top-level field can be used'
    : `is not a field of ${among}`;
}
