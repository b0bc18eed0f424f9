import {
  FIRST_WITH_SURROGATES,
  MEMBER,
  ValueKind,
  haveSameNames,
  isNameWritten,
  memberName,
  valueText,
} from '../protocol/row.ts';
import type { Row } from '../protocol/row.ts';
import { declaredColumn } from './declared-column.ts';
import type { DeclaredColumn } from './declared-column.ts';
import { NOT_DECLARED, cure, joined, quoted } from './findings.ts';
import type { Finder } from './findings.ts';
import { createHalfFinder } from './lone-surrogate.ts';
import { valueFault } from './value-fault.ts';

/** Messages about what is found for the first time; what comes later is in the summary. */
const MOST_MESSAGES = 10;
/** Fields that are known by name; more undeclared ones are counted together. */
const MOST_COLUMNS = 2_000;
/** Columns that are tried before a name is read: more would cost as much. */
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
  /** Some of the columns that have followed it in rows: a guess at the next one, which is cheaper than reading its name. */
  readonly followers: Column[];
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
  const halves = createHalfFinder(key);
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
    for (let at = row.firstPlace, before = start; at < row.endPlace; at += MEMBER) {
      let column: Column | undefined;
      for (const guess of before.followers)
        if (column === undefined && isNameWritten(row, at, guess.written)) column = guess;
      if (column === undefined) {
        column = columnOf(memberName(row, at));
        if (before.followers.length >= MOST_FOLLOWERS) before.followers.pop();
        before.followers.unshift(column);
      }
      inRow.push(column);
      before = column;
    }
    return inRow;
  };
  const twins = twinsAmong(Object.keys(declared));
  let looked: Row | null = null;
  let inOrder: readonly Column[] = [];
  return {
    look: (rows) => {
      const news: string[] = looked === null && rows.length > 0 ? [...twins] : [];
      for (const row of rows) {
        if (looked === null || !haveSameNames(row, looked)) inOrder = columnsOf(row);
        looked = row;
        const { places, firstPlace, endPlace } = row;
        for (let index = 0, at = firstPlace; at < endPlace; index++, at += MEMBER) {
          const kind = (places[at + 2] ?? 0) % FIRST_WITH_SURROGATES;
          const column = inOrder[index];
          if (column === undefined || (column.quick >> kind) & 1) continue;
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

function newColumn(name: string, schemas: Readonly<Record<string, unknown>>): Column {
  const declared = Object.hasOwn(schemas, name) ? declaredColumn(schemas[name]) : null;
  return {
    name,
    declared,
    quick: declared?.quick ?? 1 << ValueKind.null,
    found: new Map(),
    written: Buffer.from(JSON.stringify(name)),
    followers: [],
  };
}
