import { counted, quoted } from '../protocol/messages.ts';
import { MEMBER, memberName, scalarMember, valueText, type Row } from '../rows/row.ts';
import { FIRST_WITH_SURROGATE, ValueKind, exactKind } from '../rows/value-kind.ts';
import { createColumns, type Column, type Schemas } from './columns.ts';
import { OF_SCHEMA } from './value-fault.ts';

const MAX_MESSAGES = 10; // about new findings; later ones are in the summary only
const MAX_CHARS = 3_000; // listed in one message
const MIN_SAMPLED = 1_000; // the default of `sample_rows`
const MAX_SAMPLED = 1_000_000; // its maximum
const SUMMARY_FOLLOWS = 'A summary at the end of the read counts them and explains what to do.';

/**
 * Finds values in rows that a warehouse may drop, truncate, shift or reject: values that a catalog does not declare, and unpaired
 * surrogates. `declared` are its schemas by field (null: only surrogates are reported); `key` is the field that identifies a row.
 * Messages are limited, and contain no values but keys.
 */
export function compareRows(stream: string, declared: Schemas | null, key: string | null) {
  const columns = declared === null ? null : createColumns(declared, key);
  let seen = 0;
  let messages = 0;
  let namesReported = 0;
  let surrogateRows = 0;
  let firstSurrogate = '';

  const compareRow = (row: Row, findings: string[]): void => {
    seen++;
    const surrogate = compareMembers(row, columns?.of(row) ?? [], findings);
    if (surrogate === null) return;
    surrogateRows++;
    if (surrogateRows > 1) return;
    firstSurrogate = describeSurrogate(row, surrogate, key, seen);
    findings.push(firstSurrogate);
  };
  const nameFaults = (): readonly string[] => (seen === 0 ? [] : [...(columns?.nameFaults ?? [])]);
  return {
    /** Compares rows that are about to be written. Returns a message about new findings; null if there are none. */
    compare: (rows: readonly Row[]): string | null => {
      const findings: string[] = [];
      for (const row of rows) compareRow(row, findings);
      const newNames = nameFaults().slice(namesReported);
      namesReported += newNames.length;
      if (findings.length > 0) messages++;
      // always reported: a column that is about to be overwritten
      const found = messages > MAX_MESSAGES ? newNames : [...newNames, ...findings];
      return found.length === 0 ? null : messageOf(stream, found, SUMMARY_FOLLOWS);
    },
    /** Returns a message about all findings, with the number of rows and advice; null if there are none. */
    summary: (): string | null => {
      const inColumns = (columns?.all() ?? []).flatMap(faultsIn);
      const inTexts =
        surrogateRows === 0 ? [] : [`${firstSurrogate} (${counted(surrogateRows, 'such row', 'such rows')})`];
      const all = [...inTexts, ...nameFaults(), ...inColumns];
      return all.length === 0 ? null : messageOf(stream, all, adviceFor(all, seen));
    },
  };
}

const messageOf = (stream: string, found: readonly string[], advice: string): string =>
  `${stream}: warehouses may drop, truncate or reject values in rows: ${joined(found)}. ${advice}`;

const faultsIn = ({ name, found }: Column): readonly string[] =>
  [...found].map(([fault, count]) => `${quoted(name)} ${fault} (${counted(count, 'time', 'times')})`);

/** Counts the faults of a row, and adds new ones to `findings`. Returns the place of its first member with an unpaired surrogate. */
function compareMembers(row: Row, columns: readonly Column[], findings: string[]): number | null {
  const { places, firstPlace, endPlace } = row;
  let surrogate: number | null = null;
  for (let index = 0, at = firstPlace; at < endPlace; index++, at += MEMBER) {
    const kind = places[at + 2] ?? 0;
    if (kind >= FIRST_WITH_SURROGATE) surrogate ??= at;
    const column = columns[index];
    if (column === undefined) continue;
    const { faults } = column;
    const known = faults[kind % FIRST_WITH_SURROGATE];
    const fault = known === undefined ? (faults[ValueKind[exactKind(valueText(row, at))]] ?? null) : known;
    if (fault === null) continue;
    const count = column.found.get(fault) ?? 0;
    if (count === 0) findings.push(`${quoted(column.name)} ${fault}`);
    column.found.set(fault, count + 1);
  }
  return surrogate;
}

/** An unpaired surrogate (`"\ud83d"`) is valid JSON but not valid Unicode. */
function describeSurrogate(row: Row, at: number, key: string | null, number: number): string {
  const id = key === null ? undefined : scalarMember(row, key)?.text;
  const name = id === undefined ? `row ${number}` : `the row whose ${quoted(key ?? '')} is ${quoted(id)}`;
  return `${name} has an unpaired surrogate in ${quoted(memberName(row, at))}, and loaders drop such rows`;
}

/** A sample of twice the rows read covers all of them, wherever in the list this read began. */
function adviceFor(found: readonly string[], seen: number): string {
  const wanted = Math.max(MIN_SAMPLED, 2 * seen);
  const step = 10 ** Math.max(0, Math.floor(Math.log10(wanted)) - 1);
  const sample = Math.min(MAX_SAMPLED, Math.ceil(wanted / step) * step);
  const rediscover = `To declare fields as they are, set "sample_rows" to ${sample} or more, discover the schema again, apply it, and reload the stream; for fields that were deselected there is nothing to do. `;
  return `${found.some((finding) => OF_SCHEMA.test(finding)) ? rediscover : ''}The records themselves contain every value exactly; docs/warehouse.md explains what loaders do with them.`;
}

/** Joins as many findings as fit into a message. */
function joined(findings: readonly string[]): string {
  let text = '';
  for (const [index, each] of findings.entries()) {
    const longer = index === 0 ? each : `${text}; ${each}`;
    if (longer.length > MAX_CHARS) return `${text}; and ${findings.length - index} more`;
    text = longer;
  }
  return text;
}
