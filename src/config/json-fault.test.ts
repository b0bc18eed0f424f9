import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { isJson, jsonText } from '../api/json-text.test-support.ts';
import { findJsonFault } from './json-fault.ts';

test('finds no fault in JSON', () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      expect(findJsonFault(` \n${text}\t`)).toBeNull();
    }),
  );
});

test('agrees with JSON.parse on whether there is a fault, whatever is put into a text', () => {
  const scrap = fc.constantFrom(
    '"',
    ',',
    ':',
    '{',
    '}',
    '[',
    ']',
    '\\',
    'x',
    '0',
    '-',
    '.',
    'e',
    '\n',
    '\u0000',
    ' ',
  );
  fc.assert(
    fc.property(jsonText, fc.nat(), fc.nat(3), scrap, (text, place, removed, added) => {
      const at = place % (text.length + 1);
      const changed = text.slice(0, at) + added + text.slice(at + removed);
      expect(findJsonFault(changed) === null).toBe(isJson(changed));
    }),
    { numRuns: 2000 },
  );
});

test.each<[text: string, line: number, column: number, expected: string]>([
  ['', 1, 1, 'a value'],
  ['{"a": 1', 1, 8, 'a comma or }'],
  ['{"a": "cut', 1, 7, 'a value'],
  ['{\n  "a": 1,\n}', 3, 1, 'a name in double quotes'],
  ['{\r\n  "a": 1\r\n  "b": 2\r\n}', 3, 3, 'a comma or }'],
  ["{'a': 1}", 1, 2, 'a name in double quotes or }'],
  ['{"a" 1}', 1, 6, 'a colon'],
  ['{"a": secret}', 1, 7, 'a value'],
  ['{"a": "C:\\secret"}', 1, 7, 'a value'],
  ['[1,]', 1, 4, 'a value'],
  ['[1 2]', 1, 4, 'a comma or ]'],
  ['[', 1, 2, 'a value or ]'],
  ['{} {}', 1, 4, 'the end of the file'],
  ['{"a": 1} // secret', 1, 10, 'the end of the file'],
])('%j', (text, line, column, expected) => {
  expect(findJsonFault(text)).toStrictEqual({ line, column, expected });
});
