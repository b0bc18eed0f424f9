import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { rowOf, rowsOf } from '../rows/row.test-support.ts';
import { MEMBER, ValueKind } from '../rows/row.ts';
import { compareRows } from './compare-rows.ts';
import { declaredColumn, valueFault } from './value-fault.ts';
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
    { numRuns: 500 },
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
  fc.stringMatching(/^-?(0|[1-9]\d{0,3})\.\d{13,18}(E-?\d)?$/),
  fc.stringMatching(/^[1-9]\d{6,17}\.\d{1,9}0{0,9}$/),
  // doubles as they are printed, in full or to 17 digits, and next to powers of two and ten
  fc.double({ noDefaultInfinity: true, noNaN: true }).map(String),
  fc.double({ min: 1e-6, max: 1e20, noNaN: true }).map((double) => double.toPrecision(17)),
  fc
    .tuple(fc.integer({ min: -60, max: 90 }), fc.integer({ min: 14, max: 18 }))
    .map(([power, digits]) => (2 ** power).toPrecision(digits)),
  fc.integer({ min: -30, max: 30 }).map((power) => `1e${power}`),
  fc.integer({ min: 0, max: 2 ** 40 }).map((odd) => `${2 ** 50 + odd}.25`),
);
const pair = fc.integer({ min: 0, max: 70 }).map((number) => String(number).padStart(2, '0'));
const timeText = fc
  .tuple(
    fc.constantFrom('2024', '2025', '1900', '202', '+025'),
    fc.constantFrom('-', '-', ':'),
    fc.oneof(fc.constantFrom('02', '06', '12'), pair),
    fc.constant('-'),
    fc.oneof(fc.constantFrom('29', '30', '31', '01'), pair),
    fc.constantFrom('T', 'T', 'T', ' ', 't', '\\u0054'),
    fc.oneof(fc.constantFrom('23', '24'), pair),
    fc.oneof(
      fc.constant(':59'),
      pair.map((minute) => `:${minute}`),
    ),
    fc.oneof(
      fc.constantFrom(':59', ':60', '', ':5'),
      pair.map((second) => `:${second}`),
    ),
    fc.constantFrom('', '', '', '.5', '.123456', '.1234567', '.', ','),
    fc.constantFrom(
      '',
      '',
      'Z',
      'z',
      '+00:00',
      '-00:00',
      '+02:00',
      '+0000',
      '+00:00:00',
      '\\u002B00:00',
      'Z\\n',
      ' ',
    ),
  )
  .map((parts) => `"${parts.join('')}"`);

const TYPES = ['integer', 'number', 'string', 'boolean', 'object', 'array'];
const column = fc.oneof(
  fc.subarray(TYPES, { minLength: 1, maxLength: 3 }).map((type) => declaredColumn({ type })),
  fc.constantFrom(
    declaredColumn({ type: 'string', format: 'date-time' }),
    declaredColumn({ type: 'string', airbyte_type: 'timestamp_without_timezone' }),
    declaredColumn({}),
  ),
);

test('the kind of a value that the scanner notes determines its fault, or that it must be inspected', () => {
  const seen = Object.keys(ValueKind).map(() => 0);
  const value = fc.oneof(
    { weight: 3, arbitrary: fc.tuple(numberText, column) },
    fc.tuple(timeText, column),
    fc.tuple(fc.constantFrom(...VALUES), column),
  );
  fc.assert(
    fc.property(value, ([text, { types, faults }]) => {
      const { places, firstPlace } = rowOf(`{"a":${text},"b":[{"c":${text} },1.5]}`);
      for (const [at, json] of [text, `[{"c":${text}}]`].entries()) {
        const kind = places[firstPlace + at * MEMBER + 2] ?? -1;
        const known = faults[kind];
        if (known !== undefined) expect(known, json).toBe(valueFault(types, json));
        seen[kind] = (seen[kind] ?? 0) + 1;
      }
    }),
    { numRuns: 10_000 },
  );
  const { objectWithLong, objectWithOther } = ValueKind;
  expect(
    seen.filter((count, kind) => count === 0 && kind !== objectWithLong && kind !== objectWithOther),
  ).toStrictEqual([]);
});

test.each([
  ['48.13715432345679', 'double'],
  ['10.123456789012346', 'double'],
  ['0.30000000000000004', 'double'],
  ['1.2345678901234567E-4', 'double'],
  ['48.137154323456789', 'longNumber'],
  ['1700000000.123456', 'decimal'],
  ['1700000000000.5', 'double'],
  ['12345678901234567890', 'largeInteger'],
  ['1.5E3', 'decimal'],
] as const)('%s is classified without a second look: it is a %s', (text, kind) => {
  const { places, firstPlace } = rowOf(`{"a":${text}}`);
  expect(places[firstPlace + 2]).toBe(ValueKind[kind]);
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
    { numRuns: 500 },
  );
});
