import { quoted } from '../protocol/messages.ts';
import { MEMBER, isNameWritten, memberName } from '../rows/row.ts';
import type { Row } from '../rows/row.ts';
import { UNDECLARED, declaredColumn } from './value-fault.ts';
import type { DeclaredColumn } from './value-fault.ts';

/** Fields that are known by name; more undeclared ones are counted together. */
export const MAX_COLUMNS = 2_000;
const MAX_NAME = 1_000; // characters of an undeclared one
const MAX_NAMES = 4_000; // names whose columns are remembered
/** Columns that loaders add, or prefixes of them. */
const RESERVED = /^_(?:airbyte|dlt|sdc)_/;
const OTHER_FIELDS = '(other fields)';
const MAX_FOLLOWERS = 4; // guesses at a column before its name is read: more would cost as much

export type Schemas = Readonly<Record<string, unknown>>;

/** A top-level field: what is declared for it, and what was found in it, with the number of rows. */
export interface Column {
  readonly name: string;
  readonly declared: DeclaredColumn;
  readonly found: Map<string, number>;
  /** The name as it is usually written. */
  readonly written: Buffer;
  /** Columns that came after it: guessing the next one saves a sixth of a whole read where rows differ in shape. */
  readonly followers: Column[];
}

/** The columns of a stream: those that are declared, and those that rows add. `noteName` is called with each new name. */
export function createColumns(declared: Schemas, noteName: (name: string) => void) {
  const columns = new Map<string, Column>();
  const start = newColumn('', {});
  let latest: Row | null = null;
  let inOrder: Column[] = [];

  const columnOf = (name: string): Column => {
    if (!columns.has(name)) noteName(name);
    const hasRoom = columns.size < MAX_COLUMNS && name.length <= MAX_NAME;
    const isKnown = columns.has(name) || hasRoom || Object.hasOwn(declared, name);
    const label = isKnown ? name : OTHER_FIELDS;
    const column = columns.get(label) ?? newColumn(label, declared);
    columns.set(label, column);
    return column;
  };
  const columnAfter = ({ followers }: Column, row: Row, at: number): Column => {
    for (const guess of followers) if (isNameWritten(row, at, guess.written)) return guess;
    const column = columnOf(memberName(row, at));
    followers.splice(MAX_FOLLOWERS - 1, 1);
    followers.unshift(column);
    return column;
  };
  return {
    /** Returns the columns of a row's members, in their order. */
    of: (row: Row): readonly Column[] => {
      if (row.places === latest?.places && row.alikeSince === latest.alikeSince) return inOrder;
      latest = row;
      inOrder = [];
      let column = start;
      for (let at = row.firstPlace; at < row.endPlace; at += MEMBER) {
        column = columnAfter(column, row, at);
        inOrder.push(column);
      }
      return inOrder;
    },
    /** Returns all columns that rows have shown so far. */
    all: (): readonly Column[] => [...columns.values()],
  };
}

function newColumn(name: string, schemas: Schemas): Column {
  const declared = Object.hasOwn(schemas, name) ? declaredColumn(schemas[name]) : UNDECLARED;
  return { name, declared, found: new Map(), written: Buffer.from(JSON.stringify(name)), followers: [] };
}

/**
 * Returns what is wrong with the name of a field for loaders, null if nothing; keeps it in `names` if it is the first of its
 * column. Loaders write names in lower case, with an underscore for all but ASCII letters and digits and before a leading
 * digit. `key` is the primary key.
 */
export function nameFault(name: string, names: Map<string, string>, key: string | null): string | null {
  const folded = name.toLowerCase().replaceAll(/[^a-z0-9]/gu, '_');
  const column = /^\d/.test(folded) ? `_${folded}` : folded;
  if (!/[a-z0-9]/.test(column))
    return `${quoted(name)} holds no ASCII letter or digit, and loaders may refuse all rows`;
  if (RESERVED.test(column))
    return `${quoted(name)} is reserved by loaders, which overwrite it with a column of their own`;
  const twin = names.get(column);
  if (twin === undefined && name.length <= MAX_NAME && names.size < MAX_NAMES) names.set(column, name);
  if (twin === undefined || twin === name) return null;
  const [first, second] = [twin, name].map((each) => quoted(each) + (each === key ? ' (the key)' : ''));
  return `${first} and ${second} become one column, and one overwrites the other`;
}
