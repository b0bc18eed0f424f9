import { quoted } from '../protocol/messages.ts';

const MAX_KEPT_NAME = 1_000; // characters of an undeclared name that is remembered
const MAX_NAMES = 4_000; // names that are remembered
/** Columns that loaders add, or prefixes of them. */
const RESERVED = /^_(?:airbyte|dlt|sdc)_/;

/** The first field that was seen for each column. */
export type ColumnNames = Map<string, string>;

/**
 * Returns what is wrong with the name of a field for loaders, null if nothing; remembers the name. Loaders write names in
 * lower case, with an underscore for all but ASCII letters and digits and before a leading digit. `key` is the primary key.
 */
export function nameFault(name: string, names: ColumnNames, key: string | null): string | null {
  const folded = name.toLowerCase().replaceAll(/[^a-z0-9]/gu, '_');
  const column = /^\d/.test(folded) ? `_${folded}` : folded;
  if (!/[a-z0-9]/.test(column))
    return `${quoted(name)} holds no ASCII letter or digit, and loaders may refuse all rows`;
  if (RESERVED.test(column))
    return `${quoted(name)} is reserved by loaders, which overwrite it with a column of their own`;
  const twin = names.get(column);
  if (twin === undefined && name.length <= MAX_KEPT_NAME && names.size < MAX_NAMES) names.set(column, name);
  if (twin === undefined || twin === name) return null;
  const [first, second] = [twin, name].map((each) => quoted(each) + (each === key ? ' (the key)' : ''));
  return `${first} and ${second} become one column, and one overwrites the other`;
}
