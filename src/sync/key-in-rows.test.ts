import { expect, test } from 'vitest';
import { rowOf } from '../rows/row.test-support.ts';
import { watchCatalogKey } from './read-stream.ts';

test.each<[what: string, fields: string[], rows: object[], warning: RegExp | null]>([
  ['no key', [], [{ a: 1 }], null],
  ['a key in some rows', ['a'], [{ b: 1 }, { a: 1 }], null],
  ['no rows', ['a'], [], null],
  [
    'a key that is in none',
    ['id'],
    [{ a: 1 }, { a: 2 }],
    /^trips: the primary key in the catalog, "id", is in none of 2 rows/,
  ],
  ['a part that is in none', ['a', 'b'], [{ a: 1 }], /, "b", is in none of 1 row looked at\./],
])('the key in a catalog: %s', (_, fields, rows, warning) => {
  const watched = watchCatalogKey('trips', fields);
  for (const row of rows) watched.look([rowOf(row)]);
  const found = watched.warning();
  if (warning === null) expect(found).toBeNull();
  else expect(found).toMatch(warning);
});
