import { readTime } from '../../paging/instant.ts';
import { counted, listed, quoted } from '../../protocol/messages.ts';
import { haveSameText, scalarMember, type Row, type Scalar } from '../../rows/row.ts';
import { fieldsOf, pathProblem, sampleOf } from './fields.ts';
import { isKeyValue, keyIdentity } from '../row-key.ts';
import type { ListIdentity } from '../stream.ts';

type Rows = readonly Row[];
type List = Pick<ListIdentity, 'name' | 'place' | 'path'>;

/**
 * How the config sets the key of a list: it is `fixed` for a predefined list by offset, `required` for other lists by offset, whose rows
 * are recognized by it, and `optional` for lists by cursor, where it only becomes the primary key.
 */
export type KeyRole = 'fixed' | 'required' | 'optional';

/** What rows say about a field as their key. */
export interface KeyFacts {
  readonly lacking: number; // rows without a string or number in the field
  readonly repeated: { readonly value: string; readonly rows: number } | null; // a value that different rows have
}

export function keyFacts(rows: Rows, key: string): KeyFacts {
  return factsOf(
    rows,
    rows.map((row) => scalarMember(row, key)),
  );
}

/** `values` are those of the field in the rows. */
function factsOf(rows: Rows, values: readonly Scalar[]): KeyFacts {
  const found = new Map<string, { readonly value: string; readonly rows: Row[] }>();
  for (const [index, value] of values.entries()) {
    const row = rows[index];
    if (row === undefined || !isKeyValue(value)) continue;
    const identity = keyIdentity(value);
    const known = found.get(identity) ?? { value: value.text, rows: [] };
    found.set(identity, known);
    // the same row may be listed twice
    if (!known.rows.some((one) => haveSameText(one, row))) known.rows.push(row);
  }
  const [worst] = [...found.values()].toSorted((one, other) => other.rows.length - one.rows.length);
  return {
    lacking: values.filter((value) => !isKeyValue(value)).length,
    repeated:
      worst === undefined || worst.rows.length < 2 ? null : { value: worst.value, rows: worst.rows.length },
  };
}

/**
 * Describes why a field is not the key of the rows, with its cure: none has it, or different rows have the same value. An optional key must
 * be in all rows; in other lists rows without a key are read too. Null if it may be the key.
 */
export function keyFault(list: List, key: string, role: KeyRole, rows: Rows): string | null {
  const problem = keyProblem(rows, key, keyFacts(rows, key), role);
  const subject = role === 'fixed' ? quoted(key) : `${quoted(key)} (${list.place}.id_field)`;
  return problem === null ? null : `${subject} ${problem}. ${cureFor(list, key, role, rows)}`;
}

function keyProblem(rows: Rows, key: string, { lacking, repeated }: KeyFacts, role: KeyRole): string | null {
  const checked = counted(rows.length, 'row', 'rows');
  if (repeated !== null)
    return `does not identify rows: ${repeated.rows} different rows of ${rows.length} checked have the value ${quoted(repeated.value)}`;
  if (lacking === rows.length) {
    const sample = sampleOf(rows, key);
    const found = sample === null ? '' : `: its values are such as ${sample}`;
    return pathProblem(rows, key) ?? `has no string or number in any of ${checked} checked${found}`;
  }
  return lacking > 0 && role === 'optional'
    ? `has no string or number in ${lacking} of ${checked} checked`
    : null;
}

function cureFor(list: List, key: string, role: KeyRole, rows: Rows): string {
  const { place, name, path } = list;
  const { fields, isNamed } = keyProposals(rows, list, key);
  const omit = role === 'optional' ? ', or omit it' : '';
  if (role === 'fixed')
    return (
      `The key of ${name} is fixed: check ${place}.base_url. If this is the right list, remove ${quoted(name)} from the config, and add an ` +
      `entry to "lists" with another "name", "path": ${quoted(path)} and "id_field": the field that identifies a row` +
      `${fields.length === 0 ? '' : ` (such as ${listed(fields, quoted)})`}.`
    );
  if (fields.length === 0 && role === 'optional')
    return `No other field identifies the rows either; omit ${place}.id_field.`;
  if (fields.length === 0)
    return 'No other field identifies the rows either, and without one a list by offset cannot be read.';
  const lead = isNamed
    ? 'Fields that identify the rows, best first:'
    : 'No field is named like the ID of a row; fields with another value in each row, maybe by chance:';
  return `${lead} ${listed(fields, quoted)}. Set ${place}.id_field to the right one${omit}.`;
}

/** Notes that another field is named like the key of the list: a field with an ID of something else may differ in all rows by chance. */
export function keyNotes(list: List, key: string, rows: Rows): readonly string[] {
  const stems = stemsOf(list.name);
  const { fields } = keyProposals(rows, list, null);
  const [best] = fields.filter((field) => rankOf(field, stems, null) === RANKS.best);
  if (best === undefined || rankOf(key, stems, null) <= RANKS.named) return [];
  return [
    `${quoted(key)} differs in all rows checked, but ${quoted(best)} is named like the ID of a row. If ${quoted(key)} identifies something ` +
      `else, set ${list.place}.id_field to ${quoted(best)}`,
  ];
}

/** Fields that may be the key of the rows, best first; `isNamed` if they are named like the key of this list. */
export interface KeyProposals {
  readonly fields: readonly string[];
  readonly isNamed: boolean;
}

const RANKS = { best: 1, named: 3, id: 4, other: 5 } as const;

/** Proposes fields with a string or an integer in each row, and another value in each different row. */
export function keyProposals(
  rows: Rows,
  { name }: Pick<List, 'name'>,
  configured: string | null,
): KeyProposals {
  const stems = stemsOf(name);
  const ranked = fieldsOf(rows).flatMap(([field, values]) => {
    const { lacking, repeated } = factsOf(rows, values);
    if (lacking > 0 || repeated !== null) return [];
    const rank = rankOf(field, stems, configured);
    return rank === RANKS.other && values.some(isMeasure) ? [] : [{ field, rank }];
  });
  const named = ranked.filter(({ rank }) => rank <= RANKS.named);
  // one row cannot show which of its fields identify rows
  const others = rows.length > 1 ? ranked : [];
  const best = named.length > 0 ? named : others;
  const fields = best.toSorted((one, other) => one.rank - other.rank).map(({ field }) => field);
  return { fields, isNamed: named.length > 0 };
}

/** True for times and fractions, which may differ in all rows but identify none. */
function isMeasure(value: Scalar): boolean {
  return (
    value !== undefined &&
    (readTime(value.text) !== undefined || (value.kind === 'number' && /[.eE]/.test(value.text)))
  );
}

const ID = /^(id|uuid|guid|key)$/;
const NUMBER = /^(number|num|no|nr|code|ref|reference)$/;
/** An ID of something, by its name. */
const ENDS_IN_ID = /(?:^|[^a-zA-Z])(?:id|uuid|guid)$|(?:Id|ID|Uuid|UUID|Guid|GUID)$/;

/** How well a name fits the key of a list; the best rank is 0. */
function rankOf(field: string, stems: readonly string[], configured: string | null): number {
  const plain = folded(field);
  if (configured !== null && plain === folded(configured)) return 0;
  const rests = stems.filter((stem) => plain.startsWith(stem)).map((stem) => plain.slice(stem.length));
  if (rests.some((rest) => ID.test(rest))) return RANKS.best;
  if (ID.test(plain)) return 2;
  if (rests.some((rest) => NUMBER.test(rest))) return RANKS.named;
  return ENDS_IN_ID.test(field) ? RANKS.id : RANKS.other;
}

const folded = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The singular forms that the name of a list and its last word may have: `driver` for `drivers` and `eu_drivers`. */
function stemsOf(name: string): readonly string[] {
  return [name, name.slice(name.lastIndexOf('_') + 1)]
    .map(folded)
    .flatMap((word) => [word.replace(/ies$/, 'y'), word.replace(/es$/, ''), word.replace(/s$/, ''), word]);
}
