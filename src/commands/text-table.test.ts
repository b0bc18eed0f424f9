import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { printable, textTable, wrapped } from './text-table.ts';

const runs = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 1000) };

test('columns are as wide as they need to be, numbers stand to the right', () => {
  const table = textTable(
    ['name', 'count', 'why'],
    [
      ['a', '1,000', ''],
      ['longer', '2', 'because'],
    ],
    [1],
  );
  expect(table).toMatchInlineSnapshot(`
    "name    count  why
    ------  -----  -------
    a       1,000
    longer      2  because"
  `);
});

test('nothing in it moves the cursor or hides what follows', () => {
  const hostile = 'a\u001B[2Jb\r\nc\u0085d\u2028e\u202Ef\u0000\u007F\u009Bg';
  expect(printable(hostile)).toBe('a [2Jb c d e f g');
  expect(textTable(['h'], [[hostile]], [])).toBe('h\n----------------\na [2Jb c d e f g');
});

test('property: a text that is wrapped keeps its words, and its lines their width where words allow', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(words, fc.integer({ min: 1, max: 40 }), (list, width) => {
      const lines = wrapped(list.join(' '), width, '  ').split('\n');
      expect(lines.flatMap((line) => line.trim().split(' '))).toStrictEqual(list);
      for (const line of lines) if (line.trim().includes(' ')) expect(line.length).toBeLessThanOrEqual(width);
    }),
    runs,
  );
});
