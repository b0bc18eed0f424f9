import {
  FIRST_WITH_SURROGATES,
  MEMBER,
  ValueKind,
  haveSameNames,
  memberNames,
  memberText,
  scalarMember,
  valueText,
} from '../protocol/row.ts';
import type { Row } from '../protocol/row.ts';
import { declaredColumn } from './declared-column.ts';
import type { DeclaredColumn } from './declared-column.ts';
import { hasLoneSurrogate } from './lone-surrogate.ts';
import { IS_DECLARED, valueFault } from './value-fault.ts';

/** Characters of what is listed in a message at most. */
const MOST_CHARS = 3_000;
/** Characters of a name or an id in a message. */
const MOST_NAME = 100;
/** Messages about what is found for the first time; what comes later is in the summary. */
const MOST_MESSAGES = 10;
/** Fields that are known by name; more undeclared ones are counted together. */
const MOST_COLUMNS = 2_000;
const OTHER_FIELDS = '(other fields)';
/** What `sample_rows` is if nothing is set, and what it may be. */
const LEAST_SAMPLED = 1_000;
const MOST_SAMPLED = 1_000_000;
const NOT_DECLARED = 'is not declared';

/** What rows hold that a warehouse may drop, cut, move or refuse, by the schema that it goes by. */
export interface RowComparison {
  /** Compares rows that are about to leave. Gives what is found for the first time, in words for a WARN; null if nothing. */
  readonly look: (rows: readonly Row[]) => string | null;
  /** All that was found, with the number of rows and the cure, in words for a WARN; null if nothing was. */
  readonly summary: () => string | null;
}

/** A top-level field: what is declared for it, and what was found in it, with the number of rows. */
interface Column {
  readonly name: string;
  /** Null if it is not declared. */
  readonly declared: DeclaredColumn | null;
  readonly found: Map<string, number>;
}

/**
 * Compares rows with the fields that a catalog declares (`declared`: their schemas by name; null where there are none, and
 * then only half surrogate pairs are looked for). Every value of every row is compared by its kind, and by its text where that
 * does not decide. `key` is the field that names a row, null if there is none. Messages are bounded in length
 * and number, and values never come into them.
 */
export function compareRows(
  stream: string,
  declared: Readonly<Record<string, unknown>> | null,
  key: string | null,
): RowComparison {
  const columns = declared === null ? null : createColumns(declared);
  const halves = createHalves(key);
  let seen = 0;
  let messages = 0;
  return {
    look: (rows) => {
      const news = [...halves.look(rows), ...(columns?.look(rows) ?? [])];
      seen += rows.length;
      if (news.length === 0 || messages++ >= MOST_MESSAGES) return null;
      return `${stream}: warehouses may drop, cut or refuse what is found in rows: ${joined(news)}. The end of the read tells how often, and the cure.`;
    },
    summary: () => {
      const found = [...halves.found(), ...(columns?.found() ?? [])];
      if (found.length === 0) return null;
      return `${stream}: warehouses may drop, cut or refuse what was found in rows: ${joined(found)}. ${cure(found, seen)}`;
    },
  };
}

/** Part of a comparison: each thing that is found for the first time, and all that was, with counts. */
interface Finder {
  readonly look: (rows: readonly Row[]) => readonly string[];
  readonly found: () => readonly string[];
}

function createColumns(declared: Readonly<Record<string, unknown>>): Finder {
  const columns = new Map<string, Column>();
  const columnOf = (name: string): Column => {
    const isKnown = columns.has(name) || columns.size < MOST_COLUMNS || Object.hasOwn(declared, name);
    const label = isKnown ? name : OTHER_FIELDS;
    const column = columns.get(label) ?? newColumn(label, declared);
    columns.set(label, column);
    return column;
  };
  const twins = twinsAmong(Object.keys(declared));
  let looked: Row | null = null;
  let inOrder = shapeOf([]);
  return {
    look: (rows) => {
      const news: string[] = looked === null && rows.length > 0 ? [...twins] : [];
      for (const row of rows) {
        if (looked === null || !haveSameNames(row, looked)) inOrder = shapeOf(memberNames(row).map(columnOf));
        looked = row;
        const { places, firstPlace, endPlace } = row;
        for (let index = 0, at = firstPlace; at < endPlace; index++, at += MEMBER) {
          const kind = (places[at + 2] ?? 0) % FIRST_WITH_SURROGATES;
          if (((inOrder.quick[index] ?? 0) >> kind) & 1) continue;
          const column = inOrder.columns[index];
          if (column === undefined) continue;
          const fault =
            column.declared === null ? NOT_DECLARED : valueFault(column.declared, valueText(row, at));
          if (fault === null) continue;
          const count = column.found.get(fault) ?? 0;
          if (count === 0) news.push(`${quoted(column.name)} ${fault}`);
          column.found.set(fault, count + 1);
        }
      }
      return news;
    },
    found: () => [
      ...(looked === null ? [] : twins),
      ...[...columns.values()].flatMap(({ name, found }) =>
        [...found].map(([fault, count]) => `${quoted(name)} ${fault} (${count} times)`),
      ),
    ],
  };
}

/** Fields that become one column where loaders write names in small letters and with underscores alone, in words. */
function twinsAmong(names: readonly string[]): readonly string[] {
  const folded = new Map<string, string>();
  return names.flatMap((name) => {
    const column = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '_');
    const twin = folded.get(column);
    folded.set(column, twin ?? name);
    return twin === undefined ? [] : [`${quoted(twin)} and ${quoted(name)} become one column`];
  });
}

/** The columns of a row's members, in order. */
interface Shape {
  readonly columns: readonly Column[];
  /** Of each a bit for every kind of value that needs no second look. */
  readonly quick: Uint32Array;
}

function shapeOf(columns: readonly Column[]): Shape {
  const quick = columns.map(({ declared }) => declared?.quick ?? 1 << ValueKind.null);
  return { columns, quick: Uint32Array.from(quick) };
}

function newColumn(name: string, schemas: Readonly<Record<string, unknown>>): Column {
  const declared = Object.hasOwn(schemas, name) ? declaredColumn(schemas[name]) : null;
  return { name, declared, found: new Map() };
}

/** Finds rows that hold half of a surrogate pair (`"\ud83d"` alone), which is valid JSON but no text. */
function createHalves(key: string | null): Finder {
  let seen = 0;
  let count = 0;
  let first = '';
  return {
    look: (rows) => {
      const before = count;
      for (const row of rows) {
        seen++;
        const field = fieldOfHalf(row);
        if (field === null || count++ > 0) continue;
        first = `${nameOf(row, key, seen)} has half of a surrogate pair in ${quoted(field)}, and loaders drop such rows`;
      }
      return before === 0 && count > 0 ? [first] : [];
    },
    found: () => (count === 0 ? [] : [`${first} (${count} such rows)`]),
  };
}

function nameOf(row: Row, key: string | null, number: number): string {
  const id = key === null ? undefined : scalarMember(row, key)?.text;
  return id === undefined ? `row ${number}` : `the row with ${key} ${quoted(id)}`;
}

/** The first field of a row with half of a surrogate pair in its name or value; null if there is none. */
function fieldOfHalf(row: Row): string | null {
  const { places, firstPlace, endPlace } = row;
  for (let at = firstPlace; at < endPlace; at += MEMBER) {
    if ((places[at + 2] ?? 0) < FIRST_WITH_SURROGATES || !hasLoneSurrogate(memberText(row, at))) continue;
    return memberNames(row)[(at - firstPlace) / MEMBER] ?? null;
  }
  return null;
}

/** What to do, in words that work: a sample of twice the rows read covers each of them, wherever in the list this read began. */
function cure(found: readonly string[], seen: number): string {
  const wanted = Math.max(LEAST_SAMPLED, 2 * seen);
  const step = 10 ** Math.max(0, Math.floor(Math.log10(wanted)) - 1);
  const sample = Math.min(MOST_SAMPLED, Math.ceil(wanted / step) * step);
  const isOfSchema = found.some((words) => words.includes(IS_DECLARED) || words.includes(NOT_DECLARED));
  const cures = [
    ...(isOfSchema
      ? [
          `To have fields declared as they are, set sample_rows to ${sample} or more, discover the schema again, take it over, and load the stream anew.`,
        ]
      : []),
    'The records themselves hold every value exactly; what loaders make of them is in docs/warehouse.md.',
  ];
  return cures.join(' ');
}

/** Names and ids come from the API: bounded, and written so that nothing in them breaks a line. */
function quoted(text: string): string {
  return JSON.stringify(text.length > MOST_NAME ? `${text.slice(0, MOST_NAME)}…` : text);
}

/** As many of the words as fit into a message. */
function joined(words: readonly string[]): string {
  let length = 0;
  const fitting = words.filter((each) => (length += each.length + 2) <= MOST_CHARS);
  const left = words.length - fitting.length;
  return fitting.join('; ') + (left === 0 ? '' : `; and ${left} more`);
}
