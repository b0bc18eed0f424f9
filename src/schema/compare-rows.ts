import { counted, quoted } from '../protocol/messages.ts';
import { FIRST_WITH_HALF, MEMBER, memberName, scalarMember, valueText } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { createColumns } from './columns.ts';
import type { Column, Schemas } from './columns.ts';
import { OF_SCHEMA, valueFault } from './value-fault.ts';

const MAX_MESSAGES = 10; // about new findings; later ones are in the summary only
const MAX_CHARS = 3_000; // listed in one message
const MIN_SAMPLED = 1_000; // the default of `sample_rows`
const MAX_SAMPLED = 1_000_000; // its maximum

/** Finds what a warehouse may drop, cut, move or refuse in rows, according to the declared schema. */
export type RowComparison = ReturnType<typeof compareRows>;

/**
 * Compares every value of every row with what a catalog declares (schemas by name; null: only half surrogate pairs are reported).
 * `key` is the field that identifies a row. Messages are bounded in length and number, and never contain values.
 */
export function compareRows(stream: string, declared: Schemas | null, key: string | null) {
  const columns = declared === null ? null : createColumns(declared, key);
  let seen = 0;
  let messages = 0;
  let namesReported = 0;
  let halves = 0;
  let firstHalf = '';

  const compareRow = (row: Row, news: string[]): void => {
    seen++;
    const half = compareMembers(row, columns?.of(row) ?? [], news);
    if (half === null) return;
    halves++;
    if (halves > 1) return;
    firstHalf = describeHalf(row, half, key, seen);
    news.push(firstHalf);
  };
  const nameFaults = (): readonly string[] => (seen === 0 ? [] : [...(columns?.nameFaults ?? [])]);
  const message = (tense: 'is' | 'was', found: readonly string[], then: string): string =>
    `${stream}: warehouses may drop, cut or refuse what ${tense} found in rows: ${joined(found)}. ${then}`;
  return {
    /** Compares rows that are about to be written. Returns a message about new findings; null if there are none. */
    look: (rows: readonly Row[]): string | null => {
      const news: string[] = [];
      for (const row of rows) compareRow(row, news);
      const newNames = nameFaults().slice(namesReported);
      namesReported += newNames.length;
      if (news.length > 0) messages++;
      // a column that is about to be overwritten is always reported
      const found = messages > MAX_MESSAGES ? newNames : [...newNames, ...news];
      if (found.length === 0) return null;
      return message('is', found, 'A summary at the end of the read states how often, and what to do.');
    },
    /** Returns a message about all findings, with the number of rows and the cure; null if there are none. */
    summary: (): string | null => {
      const inColumns = (columns?.all() ?? []).flatMap(({ name, found }) =>
        [...found].map(([fault, count]) => `${quoted(name)} ${fault} (${counted(count, 'time', 'times')})`),
      );
      const inTexts = halves === 0 ? [] : [`${firstHalf} (${counted(halves, 'such row', 'such rows')})`];
      const all = [...inTexts, ...nameFaults(), ...inColumns];
      return all.length === 0 ? null : message('was', all, cure(all, seen));
    },
  };
}

/**
 * Compares the members of a row with their columns: counts the faults, and adds new ones to `news`. Returns the place of the first
 * member with half of a surrogate pair; null if there is none.
 */
function compareMembers(row: Row, columns: readonly Column[], news: string[]): number | null {
  const { places, firstPlace, endPlace } = row;
  let half: number | null = null;
  for (let index = 0, at = firstPlace; at < endPlace; index++, at += MEMBER) {
    const kind = places[at + 2] ?? 0;
    if (kind >= FIRST_WITH_HALF) half ??= at;
    const column = columns[index];
    if (column === undefined) continue;
    const { types, faults } = column.declared;
    const known = faults[kind % FIRST_WITH_HALF];
    const fault = known === undefined ? valueFault(types, valueText(row, at)) : known;
    if (fault === null) continue;
    const count = column.found.get(fault) ?? 0;
    if (count === 0) news.push(`${quoted(column.name)} ${fault}`);
    column.found.set(fault, count + 1);
  }
  return half;
}

/** Half of a surrogate pair (`"\ud83d"` alone) is valid JSON, but not a valid text. */
function describeHalf(row: Row, at: number, key: string | null, number: number): string {
  const id = key === null ? undefined : scalarMember(row, key)?.text;
  const name = id === undefined ? `row ${number}` : `the row with ${key} ${quoted(id)}`;
  return `${name} has half of a surrogate pair in ${quoted(memberName(row, at))}, and loaders drop such rows`;
}

/** Returns what to do: a sample of twice the rows read covers each of them, wherever in the list this read began. */
function cure(found: readonly string[], seen: number): string {
  const wanted = Math.max(MIN_SAMPLED, 2 * seen);
  const step = 10 ** Math.max(0, Math.floor(Math.log10(wanted)) - 1);
  const sample = Math.min(MAX_SAMPLED, Math.ceil(wanted / step) * step);
  const again = `To declare fields as they are, set sample_rows to ${sample} or more, discover the schema again, apply it, and reload the stream. `;
  return `${found.some((finding) => OF_SCHEMA.test(finding)) ? again : ''}The records themselves contain every value exactly; docs/warehouse.md explains what loaders do with them.`;
}

/** Joins as many findings as fit into a message. */
function joined(findings: readonly string[]): string {
  let length = 0;
  let fitting = 0;
  for (const each of findings) {
    length += each.length + 2;
    if (length > MAX_CHARS) break;
    fitting++;
  }
  const left = findings.length - fitting;
  return findings.slice(0, fitting).join('; ') + (left === 0 ? '' : `; and ${left} more`);
}
