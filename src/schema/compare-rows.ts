import {
  FIRST_WITH_SURROGATES,
  MEMBER,
  ValueKind,
  haveSameNames,
  isNameWritten,
  memberName,
  memberText,
  scalarMember,
  valueText,
} from '../protocol/row.ts';
import type { Row } from '../protocol/row.ts';
import { NOT_DECLARED, cure, joined, quoted } from './findings.ts';
import type { Finder } from './findings.ts';
import { declaredColumn, valueFault } from './value-fault.ts';
import type { DeclaredColumn } from './value-fault.ts';
import { hasLoneSurrogate } from './value-kinds.ts';

/** Messages about what is found for the first time; what comes later is in the summary. */
const MOST_MESSAGES = 10;
/** Fields that are known by name; more undeclared ones are counted together. */
const MOST_COLUMNS = 2_000;
/** Guesses at a column before its name is read: more would cost as much. */
const MOST_FOLLOWERS = 4;
const OTHER_FIELDS = '(other fields)';

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
  /** A bit for each kind of value that needs no second look. */
  readonly quick: number;
  readonly found: Map<string, number>;
  /** The name as it is mostly written. */
  readonly written: Buffer;
  /** Columns that followed it: guessing the next one spares a sixth of a whole read where rows differ in shape. */
  readonly followers: Column[];
}

/**
 * Compares every value of every row with the fields that a catalog declares (`declared`: their schemas by name; null where
 * there are none, and then only half surrogate pairs are looked for). `key` is the field that names a row, null if there is
 * none. Messages are bounded in length and number, and values never come into them.
 */
export function compareRows(
  stream: string,
  declared: Readonly<Record<string, unknown>> | null,
  key: string | null,
): RowComparison {
  const finders = [createHalfFinder(key), ...(declared === null ? [] : [createColumns(declared)])];
  let seen = 0;
  let messages = 0;
  return {
    look: (rows) => {
      const news = finders.flatMap(({ look }) => look(rows));
      seen += rows.length;
      if (news.length === 0 || messages++ >= MOST_MESSAGES) return null;
      return `${stream}: warehouses may drop, cut or refuse what is found in rows: ${joined(news)}. The end of the read tells how often, and the cure.`;
    },
    summary: () => {
      const all = finders.flatMap(({ found }) => found());
      if (all.length === 0) return null;
      return `${stream}: warehouses may drop, cut or refuse what was found in rows: ${joined(all)}. ${cure(all, seen)}`;
    },
  };
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
  const start = newColumn('', {});
  const columnsOf = (row: Row): readonly Column[] => {
    const inRow: Column[] = [];
    let { followers } = start;
    for (let at = row.firstPlace; at < row.endPlace; at += MEMBER) {
      let column = followers.find(({ written }) => isNameWritten(row, at, written));
      if (column === undefined) {
        column = columnOf(memberName(row, at));
        followers.splice(MOST_FOLLOWERS - 1, 1);
        followers.unshift(column);
      }
      inRow.push(column);
      ({ followers } = column);
    }
    return inRow;
  };
  const twins = twinsAmong(Object.keys(declared));
  let before: Row | null = null;
  let inOrder: readonly Column[] = [];
  return {
    look: (rows) => {
      const news: string[] = before === null && rows.length > 0 ? [...twins] : [];
      for (const row of rows) {
        if (before === null || !haveSameNames(row, before)) inOrder = columnsOf(row);
        before = row;
        const { places, firstPlace, endPlace } = row;
        for (let index = 0, at = firstPlace; at < endPlace; index++, at += MEMBER) {
          const kind = (places[at + 2] ?? 0) % FIRST_WITH_SURROGATES;
          const column = inOrder[index];
          if (column === undefined || (column.quick >> kind) & 1) continue;
          const { name, declared: known, found } = column;
          const fault = known === null ? NOT_DECLARED : valueFault(known, valueText(row, at));
          if (fault === null) continue;
          const count = found.get(fault) ?? 0;
          if (count === 0) news.push(`${quoted(name)} ${fault}`);
          found.set(fault, count + 1);
        }
      }
      return news;
    },
    found: () => [
      ...(before === null ? [] : twins),
      ...[...columns.values()].flatMap(({ name, found }) =>
        [...found].map(([fault, count]) => `${quoted(name)} ${fault} (${count} times)`),
      ),
    ],
  };
}

function newColumn(name: string, schemas: Readonly<Record<string, unknown>>): Column {
  const declared = Object.hasOwn(schemas, name) ? declaredColumn(schemas[name]) : null;
  const quick = declared?.quick ?? 1 << ValueKind.null;
  return {
    name,
    declared,
    quick,
    found: new Map(),
    written: Buffer.from(JSON.stringify(name)),
    followers: [],
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

/** Finds rows that hold half of a surrogate pair (`"\ud83d"` alone), which is valid JSON but no text. */
function createHalfFinder(key: string | null): Finder {
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
        const id = key === null ? undefined : scalarMember(row, key)?.text;
        const name = id === undefined ? `row ${seen}` : `the row with ${key} ${quoted(id)}`;
        first = `${name} has half of a surrogate pair in ${quoted(field)}, and loaders drop such rows`;
      }
      return before === 0 && count > 0 ? [first] : [];
    },
    found: () => (count === 0 ? [] : [`${first} (${count} such rows)`]),
  };
}

/** The first field of a row with half of a surrogate pair in its name or value; null if there is none. */
function fieldOfHalf(row: Row): string | null {
  for (let at = row.firstPlace; at < row.endPlace; at += MEMBER) {
    const mayHold = (row.places[at + 2] ?? 0) >= FIRST_WITH_SURROGATES;
    if (mayHold && hasLoneSurrogate(memberText(row, at))) return memberName(row, at);
  }
  return null;
}
