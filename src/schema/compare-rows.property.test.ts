import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { rowOf, rowsOf } from '../protocol/row.test-support.ts';
import { MEMBER, ValueKind } from '../protocol/row.ts';
import { compareRows } from './compare-rows.ts';
import type { JsonSchema } from './widen-schema.ts';
import { numberKind } from './value-kinds.ts';
import { declaredColumn, valueFault } from './value-fault.ts';
import { widenSchema } from './widen-schema.test-support.ts';

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

test('what rows have shown is never said to contradict their schema', () => {
  fc.assert(
    fc.property(fc.array(members, { minLength: 1, maxLength: 8 }), space, (rows, blank) => {
      const texts = rows.map((row) => textOf(row, blank));
      const { properties = {} } = widenSchema({ type: 'object' }, texts);
      const comparison = compareRows('assets', properties, null);
      expect(comparison.look(rowsOf(texts)) ?? '').not.toMatch(/declared/);
    }),
    { numRuns: 500 },
  );
});

test('a row is said to contradict the schema of others exactly where it would have changed it', () => {
  fc.assert(
    fc.property(fc.array(members, { minLength: 1, maxLength: 8 }), members, space, (rows, row, blank) => {
      const texts = rows.map((each) => textOf(each, ''));
      const text = textOf(row, blank);
      const before = widenSchema({ type: 'object' }, texts).properties ?? {};
      const behind = widenSchema({ type: 'object' }, [...texts, text]).properties ?? {};
      const words = compareRows('assets', before, null).look(rowsOf([text])) ?? '';
      for (const [name, value] of row) {
        // a null shows nothing, and a column of texts holds times too
        const isText = shapeOf(before, name) === '[["null","string"],null]' && value.startsWith('"2');
        const isChanged = value !== 'null' && !isText && shapeOf(before, name) !== shapeOf(behind, name);
        expect(words.includes(`${JSON.stringify(name)} is `), `${name}: ${value}`).toBe(isChanged);
      }
    }),
    { numRuns: 1_000 },
  );
});

const numberText = fc.oneof(
  fc.stringMatching(/^-?(0|[1-9]\d{0,21})$/),
  fc.constantFrom(
    '9223372036854775807',
    '9223372036854775808',
    '-9223372036854775808',
    '-9223372036854775809',
  ),
  fc.stringMatching(/^-?(0|[1-9]\d{0,8})(\.\d{1,12})?([eE][+-]?\d{1,3})?$/),
);

test('what the scanner of pages lets pass needs no second look', () => {
  const column = declaredColumn({ type: 'number' });
  const seen = { integer: 0, decimal: 0, other: 0, plain: 0, long: 0 };
  fc.assert(
    fc.property(numberText, (text) => {
      const { places, firstPlace } = rowOf(`{"a":${text},"b":[{"c":${text} }]}`);
      const kind = places[firstPlace + 2];
      expect(kind === ValueKind.integer, text).toBe(numberKind(text) === 'integer');
      if (kind === ValueKind.decimal) expect(valueFault(column, text), text).toBeNull();
      const inside = places[firstPlace + MEMBER + 2];
      const array = declaredColumn({ type: 'array' });
      if (inside === ValueKind.array) expect(valueFault(array, `[${text}]`), text).toBeNull();
      seen[kind === ValueKind.integer ? 'integer' : kind === ValueKind.decimal ? 'decimal' : 'other']++;
      seen[inside === ValueKind.array ? 'plain' : 'long']++;
    }),
    { numRuns: 10_000 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(200);
});

const SPELT = ['a', 'b', 'ab', '', 'a"b', 'a"c', 'é', 'constructor'];
const spellings = [...SPELT.map((name) => JSON.stringify(name)), '"\\u0061"', '"a\\u0022b"'];

/** True if a message has words as a part of its list. */
function lists(message: string, words: string): boolean {
  return message.includes(`: ${words}`) || message.includes(`; ${words}`);
}

test('every field that is not declared is named once, however its name is written, and rows are counted', () => {
  const item = fc.array(fc.constantFrom(...spellings), { minLength: 1, maxLength: 6 });
  const pages = fc.array(fc.array(item, { maxLength: 6 }), { maxLength: 4 });
  fc.assert(
    fc.property(pages, fc.subarray(SPELT), (rows, declared) => {
      const comparison = compareRows('assets', Object.fromEntries(declared.map((name) => [name, {}])), null);
      const texts = rows.map((page) =>
        page.map((names) => `{${names.map((name) => `${name}:1`).join(',')}}`),
      );
      const told = texts.map((page) => comparison.look(rowsOf(page)) ?? '');
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
    { numRuns: 500 },
  );
});
