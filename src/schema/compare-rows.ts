import { counted } from '../protocol/messages.ts';
import {
  FIRST_WITH_HALF,
  MEMBER,
  isNameWritten,
  memberName,
  scalarMember,
  valueText,
} from '../protocol/row.ts';
import type { Row } from '../protocol/row.ts';
import { nameFault, quoted } from './column-names.ts';
import type { ColumnNames } from './column-names.ts';
import { OF_SCHEMA, UNDECLARED, declaredColumn, valueFault } from './value-fault.ts';
import type { DeclaredColumn } from './value-fault.ts';

const MOST_MESSAGES = 10; // about what is found for the first time; what comes later is in the summary
const MOST_CHARS = 3_000; // of what a message lists
const LEAST_SAMPLED = 1_000; // what `sample_rows` is if nothing is set
const MOST_SAMPLED = 1_000_000; // what it may be
const MOST_COLUMNS = 2_000; // fields that are known by name; more undeclared ones are counted together
const OTHER_FIELDS = '(other fields)';
const MOST_FOLLOWERS = 4; // guesses at a column before its name is read: more would cost as much

type Schemas = Readonly<Record<string, unknown>>;

/** A top-level field: what is declared for it, and what was found in it, with the number of rows. */
interface Column {
  readonly name: string;
  readonly declared: DeclaredColumn;
  readonly found: Map<string, number>;
  /** The name as it is mostly written. */
  readonly written: Buffer;
  /** Columns that followed it: guessing the next one spares a sixth of a whole read where rows differ in shape. */
  readonly followers: Column[];
}

/** What rows hold that a warehouse may drop, cut, move or refuse, by the schema that it goes by. */
export type RowComparison = ReturnType<typeof compareRows>;

/**
 * Compares every value of every row with what a catalog declares (schemas by name; null: only half surrogate pairs are looked
 * for). `key` is the field that names a row. Messages are bounded in length and number, and values never come into them.
 */
export function compareRows(stream: string, declared: Schemas | null, key: string | null) {
  const names: ColumnNames = new Map();
  const nameFaults = new Set<string>();
  const noteName = (name: string): void => {
    const fault = nameFault(name, names, key);
    if (fault !== null && nameFaults.size < MOST_COLUMNS) nameFaults.add(fault);
  };
  for (const name of Object.keys(declared ?? {})) noteName(name);
  const columns = new Map<string, Column>();
  const columnsIn = declared === null ? () => [] : columnFinder(declared, columns, noteName);
  let [seen, messages, halves, namesTold] = [0, 0, 0, 0];
  let firstHalf = '';

  const lookAt = (row: Row, news: string[]): void => {
    const { places, firstPlace, endPlace } = row;
    const inOrder = columnsIn(row);
    let isHalf = false;
    for (let index = 0, at = firstPlace; at < endPlace; index++, at += MEMBER) {
      const kind = places[at + 2] ?? 0;
      if (kind >= FIRST_WITH_HALF && !isHalf) {
        isHalf = true;
        if (halves++ === 0) news.push((firstHalf = halfWords(row, at, key, seen)));
      }
      const column = inOrder[index];
      if (column === undefined) continue;
      const { types, faults } = column.declared;
      const known = faults[kind % FIRST_WITH_HALF];
      const fault = known === undefined ? valueFault(types, valueText(row, at)) : known;
      if (fault === null) continue;
      const count = column.found.get(fault) ?? 0;
      if (count === 0) news.push(`${quoted(column.name)} ${fault}`);
      column.found.set(fault, count + 1);
    }
  };
  const message = (tense: 'is' | 'was', found: readonly string[], then: string): string =>
    `${stream}: warehouses may drop, cut or refuse what ${tense} found in rows: ${joined(found)}. ${then}`;
  return {
    /** Compares rows that are about to leave. Gives what is found for the first time, in words; null if nothing. */
    look: (rows: readonly Row[]): string | null => {
      const news: string[] = [];
      for (const row of rows) {
        seen++;
        lookAt(row, news);
      }
      const newNames = rows.length === 0 ? [] : [...nameFaults].slice(namesTold);
      namesTold += newNames.length;
      if (news.length > 0) messages++;
      // a column that is about to be overwritten is always announced
      const told = messages > MOST_MESSAGES ? newNames : [...newNames, ...news];
      return told.length === 0
        ? null
        : message('is', told, 'The end of the read tells how often, and the cure.');
    },
    /** All that was found, with the number of rows and the cure, in words; null if nothing was. */
    summary: (): string | null => {
      const all = [
        ...(halves === 0 ? [] : [`${firstHalf} (${counted(halves, 'such row', 'such rows')})`]),
        ...(seen === 0 ? [] : nameFaults),
        ...[...columns.values()].flatMap(({ name, found }) =>
          [...found].map(([fault, count]) => `${quoted(name)} ${fault} (${counted(count, 'time', 'times')})`),
        ),
      ];
      return all.length === 0 ? null : message('was', all, cure(all, seen));
    },
  };
}

/** Finds the columns of a row's members, in their order; each new one is added to `columns`, and noted by its name. */
function columnFinder(declared: Schemas, columns: Map<string, Column>, noteName: (name: string) => void) {
  const columnOf = (name: string): Column => {
    if (!columns.has(name)) noteName(name);
    const isKnown = columns.has(name) || columns.size < MOST_COLUMNS || Object.hasOwn(declared, name);
    const label = isKnown ? name : OTHER_FIELDS;
    const column = columns.get(label) ?? newColumn(label, declared);
    columns.set(label, column);
    return column;
  };
  const start = newColumn('', {});
  let before: Row | null = null;
  let inOrder: Column[] = [];
  return (row: Row): readonly Column[] => {
    if (row.places === before?.places && row.alikeSince === before.alikeSince) return inOrder;
    before = row;
    inOrder = [];
    let { followers } = start;
    for (let at = row.firstPlace; at < row.endPlace; at += MEMBER) {
      let column = followers.find(({ written }) => isNameWritten(row, at, written));
      if (column === undefined) {
        column = columnOf(memberName(row, at));
        followers.splice(MOST_FOLLOWERS - 1, 1);
        followers.unshift(column);
      }
      inOrder.push(column);
      ({ followers } = column);
    }
    return inOrder;
  };
}

function newColumn(name: string, schemas: Schemas): Column {
  const declared = Object.hasOwn(schemas, name) ? declaredColumn(schemas[name]) : UNDECLARED;
  return { name, declared, found: new Map(), written: Buffer.from(JSON.stringify(name)), followers: [] };
}

/** Half of a surrogate pair (`"\ud83d"` alone) is valid JSON, but no text. */
function halfWords(row: Row, at: number, key: string | null, number: number): string {
  const id = key === null ? undefined : scalarMember(row, key)?.text;
  const name = id === undefined ? `row ${number}` : `the row with ${key} ${quoted(id)}`;
  return `${name} has half of a surrogate pair in ${quoted(memberName(row, at))}, and loaders drop such rows`;
}

/** What to do, in words: a sample of twice the rows read covers each of them, wherever in the list this read began. */
function cure(found: readonly string[], seen: number): string {
  const wanted = Math.max(LEAST_SAMPLED, 2 * seen);
  const step = 10 ** Math.max(0, Math.floor(Math.log10(wanted)) - 1);
  const sample = Math.min(MOST_SAMPLED, Math.ceil(wanted / step) * step);
  const again = `To have fields declared as they are, set sample_rows to ${sample} or more, discover the schema again, take it over, and load the stream anew. `;
  return `${found.some((words) => OF_SCHEMA.test(words)) ? again : ''}The records themselves hold every value exactly; what loaders make of them is in docs/warehouse.md.`;
}

/** As many of the words as fit into a message. */
function joined(words: readonly string[]): string {
  let length = 0;
  const fitting = words.filter((each) => (length += each.length + 2) <= MOST_CHARS);
  const left = words.length - fitting.length;
  return fitting.join('; ') + (left === 0 ? '' : `; and ${left} more`);
}
