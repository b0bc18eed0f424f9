import { quoted } from '../protocol/messages.ts';
import { MEMBER, isNameWritten, memberName, type Row } from '../rows/row.ts';
import { UNDECLARED, declaredFaults, type ColumnFaults } from './value-fault.ts';

const MAX_COLUMNS = 2_000; // further undeclared fields are counted together
const MAX_NAME = 1_000; // characters of an undeclared name
const MAX_FOLDED = 4 * MAX_NAME; // characters: the column of a longer name is longer than that of a name that is compared
const MAX_NAMES = 4_000; // names that are compared with each other
const RESERVED = /^_(?:airbyte|dlt|sdc)_/; // columns that loaders add
const OTHER_FIELDS = '(other fields)';
const MAX_FOLLOWERS = 4; // guesses before a name is read: more would cost as much as reading it

export type Schemas = Readonly<Record<string, unknown>>;

/** A top-level field. */
export interface Column {
  readonly name: string;
  readonly faults: ColumnFaults;
  readonly found: Map<string, number>; // number of rows with each fault
  readonly written: Buffer; // the name in its usual JSON form
  readonly followers: Column[]; // columns that followed it: guessing the next one saves a sixth of a read if rows differ in shape
}

type ColumnOf = (name: string) => Column;

/** The columns of a stream: declared ones, and those that rows add. `key` is the primary key. */
export function createColumns(declared: Schemas, key: string | null) {
  const columns = new Map<string, Column>();
  const nameCheck = createNameCheck(key);
  const start = newColumn('', {});
  let latest: Row | null = null;
  let inOrder: Column[] = [];

  for (const name of Object.keys(declared)) nameCheck.add(name);
  const columnOf: ColumnOf = (name) => {
    if (!columns.has(name)) nameCheck.add(name);
    const hasRoom = columns.size < MAX_COLUMNS && name.length <= MAX_NAME;
    const isKnown = columns.has(name) || hasRoom || Object.hasOwn(declared, name);
    const label = isKnown ? name : OTHER_FIELDS;
    const column = columns.get(label) ?? newColumn(label, declared);
    columns.set(label, column);
    return column;
  };
  return {
    nameFaults: nameCheck.faults,
    /** Returns the columns of a row's members, in their order. */
    of: (row: Row): readonly Column[] => {
      if (row.places === latest?.places && row.alikeSince === latest.alikeSince) return inOrder;
      latest = row;
      inOrder = [];
      let column = start;
      for (let at = row.firstPlace; at < row.endPlace; at += MEMBER) {
        column = columnAfter(column, row, at, columnOf);
        inOrder.push(column);
      }
      return inOrder;
    },
    all: (): readonly Column[] => [...columns.values()],
  };
}

function columnAfter({ followers }: Column, row: Row, at: number, columnOf: ColumnOf): Column {
  for (const guess of followers) if (isNameWritten(row, at, guess.written)) return guess;
  const column = columnOf(memberName(row, at));
  followers.splice(MAX_FOLLOWERS - 1, 1);
  followers.unshift(column);
  return column;
}

function newColumn(name: string, schemas: Schemas): Column {
  const faults = Object.hasOwn(schemas, name) ? declaredFaults(schemas[name]) : UNDECLARED;
  return { name, faults, found: new Map(), written: Buffer.from(JSON.stringify(name)), followers: [] };
}

/**
 * Finds field names that cause problems in loaders, which convert names to lower case, replace each character that is not an ASCII
 * letter or digit with an underscore, and put an underscore before a leading digit.
 */
function createNameCheck(key: string | null) {
  const names = new Map<string, string>(); // the first name of each column
  const faults = new Set<string>();
  const faultOf = (name: string): string | null => {
    const folded = name
      .slice(0, MAX_FOLDED)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/gu, '_');
    const column = /^\d/.test(folded) ? `_${folded}` : folded;
    if (!/[a-z0-9]/.test(column) && !/[a-z0-9]/.test(name.toLowerCase()))
      return `${quoted(name)} contains no ASCII letter or digit, and loaders may reject all rows`;
    if (RESERVED.test(column))
      return `${quoted(name)} is reserved by loaders, which overwrite it with their own column`;
    const twin = name.length > MAX_FOLDED ? undefined : names.get(column);
    if (twin === undefined && name.length <= MAX_NAME && names.size < MAX_NAMES) names.set(column, name);
    if (twin === undefined || twin === name) return null;
    const [first, second] = [twin, name].map((each) => quoted(each) + (each === key ? ' (the key)' : ''));
    return `${first} and ${second} become one column, and one overwrites the other`;
  };
  const add = (name: string): void => {
    const fault = faultOf(name);
    if (fault !== null && faults.size < MAX_COLUMNS) faults.add(fault);
  };
  return { faults, add };
}
