import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { rowOf, rowsOf } from '../protocol/row.test-support.ts';
import { watchFields } from './undeclared-fields.ts';

const NAMES = ['a', 'b', 'ab', '', 'a"b', 'a"c', 'é', 'constructor'];
const SPELT = NAMES.flatMap((name) => [JSON.stringify(name), name === 'a' ? '"\\u0061"' : '"b"']);

test('every name that the catalog does not declare is told once, in the order in which they come', () => {
  const item = fc
    .array(fc.constantFrom(...SPELT), { minLength: 1, maxLength: 4 })
    .map((names) => `{${names.map((name) => `${name}:{"inner":"\\""}`).join(',')}}`);
  fc.assert(
    fc.property(
      fc.array(fc.array(item, { maxLength: 5 }), { maxLength: 4 }),
      fc.subarray(NAMES),
      (pages, declared) => {
        const fields = watchFields(new Set(declared));
        for (const page of pages) fields.look(rowsOf(page));
        const spelt = [
          ...pages
            .flat()
            .join()
            .matchAll(/("(?:[^"\\]|\\.)*"):\{/g),
        ];
        const names = new Set(spelt.map(([, name]) => JSON.parse(name ?? '') as string));
        expect(fields.names()).toStrictEqual([...names].filter((name) => !declared.includes(name)));
      },
    ),
    { numRuns: 2000 },
  );
});

test('where no schema is known nothing is told', () => {
  const fields = watchFields(null);
  fields.look([rowOf('{"a":1}')]);
  expect(fields.names()).toStrictEqual([]);
});
