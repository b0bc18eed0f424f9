import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../property-runs.test-support.ts';
import { rowsOf } from '../rows/row.test-support.ts';
import { compareRows } from './compare-rows.ts';
import { widenSchema } from './widen-schema.test-support.ts';
import type { JsonSchema } from './widen-schema.ts';

const NAMES = ['a', 'b', 'é"', 'constructor', '7'];
const VALUES = [
  'null',
  'true',
  '0',
  '-7',
  '9223372036854775807',
  '9223372036854775808',
  '1.5',
  '1E3',
  '0.1234567891',
  '1e30',
  '1e400',
  '"x"',
  '""',
  '"2025-01-31T10:00:00Z"',
  '"2025-03-01T10:00:00.25+00:00"',
  '"2025-01-31T10:00:00+02:00"',
  '"2025-01-31T10:00:00.5"',
  '"\\u0022,1.5"',
  '{}',
  '{"a":1.5}',
  '[]',
  '[ 1, "]" ]',
  '{"deep":[{"x":1e400}]}',
];
const space = fc.constantFrom('', ' ', '\n\t');
const members = fc.uniqueArray(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...VALUES)), {
  selector: ([name]) => name,
  minLength: 1,
  maxLength: 4,
});
type Members = readonly (readonly [name: string, value: string])[];

const textOf = (row: Members, blank: string): string =>
  `{${row.map(([name, value]) => `${blank}${JSON.stringify(name)}${blank}:${blank}${value}`).join(',')}}`;

function shapeOf(properties: Readonly<Record<string, JsonSchema>>, name: string): string {
  const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return schema === undefined ? 'absent' : JSON.stringify([schema.type ?? null, schema.format ?? null]);
}

test('rows never contradict the schema that was derived from them', () => {
  fc.assert(
    fc.property(fc.array(members, { minLength: 1, maxLength: 8 }), space, (rows, blank) => {
      const texts = rows.map((row) => textOf(row, blank));
      const { properties = {} } = widenSchema({ type: 'object' }, texts);
      const comparison = compareRows('assets', properties, null);
      expect(comparison.compare(rowsOf(texts)) ?? '').not.toMatch(/declared/);
    }),
    { numRuns: runs(500) },
  );
});

test('a row contradicts the schema of others exactly where it would have changed it', () => {
  fc.assert(
    fc.property(fc.array(members, { minLength: 1, maxLength: 8 }), members, space, (rows, row, blank) => {
      const texts = rows.map((each) => textOf(each, ''));
      const text = textOf(row, blank);
      const before = widenSchema({ type: 'object' }, texts).properties ?? {};
      const after = widenSchema({ type: 'object' }, [...texts, text]).properties ?? {};
      const words = compareRows('assets', before, null).compare(rowsOf([text])) ?? '';
      for (const [name, value] of row) {
        // a null shows nothing, and a column of texts accepts times too
        const isText = shapeOf(before, name) === '[["null","string"],null]' && value.startsWith('"2');
        const isChanged = value !== 'null' && !isText && shapeOf(before, name) !== shapeOf(after, name);
        expect(words.includes(`${JSON.stringify(name)} is `), `${name}: ${value}`).toBe(isChanged);
      }
    }),
    { numRuns: runs(1_000) },
  );
});

const SPELLED = ['a', 'b', 'ab', '', 'a"b', 'a"c', 'é', 'constructor'];
const spellings = [...SPELLED.map((name) => JSON.stringify(name)), '"\\u0061"', '"a\\u0022b"'];

/** True if a message contains words as an entry of its list. */
function lists(message: string, words: string): boolean {
  return message.includes(`: ${words}`) || message.includes(`; ${words}`);
}

test('every undeclared field is reported once, however its name is written, and rows are counted', () => {
  const item = fc.array(fc.constantFrom(...spellings), { minLength: 1, maxLength: 6 });
  const pages = fc.array(fc.array(item, { maxLength: 6 }), { maxLength: 4 });
  fc.assert(
    fc.property(pages, fc.subarray(SPELLED), (rows, declared) => {
      const comparison = compareRows('assets', Object.fromEntries(declared.map((name) => [name, {}])), null);
      const texts = rows.map((page) =>
        page.map((names) => `{${names.map((name) => `${name}:1`).join(',')}}`),
      );
      const told = texts.map((page) => comparison.compare(rowsOf(page)) ?? '');
      const names = rows.flat(2).map((name) => JSON.parse(name) as string);
      for (const name of new Set(names)) {
        const words = `${JSON.stringify(name)} is not declared`;
        const count = names.filter((other) => other === name).length;
        const isDeclared = declared.includes(name);
        expect(told.filter((each) => lists(each, words))).toHaveLength(isDeclared ? 0 : 1);
        expect(
          lists(comparison.summary() ?? '', `${words} (${count} ${count === 1 ? 'time' : 'times'})`),
        ).toBe(!isDeclared);
      }
    }),
    { numRuns: runs(500) },
  );
});
