import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../property-runs.test-support.ts';
import { rowOf } from './row.test-support.ts';
import { MEMBER, type Row } from './row.ts';
import { FIRST_WITH_SURROGATE, MAY_BE, ValueKind, exactKind, type ValueKindName } from './value-kind.ts';

const KINDS = Object.keys(ValueKind) as ValueKindName[];

/** The kind that the scanner recorded for a member of a row. */
function scannedKind({ places, firstPlace }: Row, member: number): ValueKindName | undefined {
  return KINDS[places[firstPlace + member * MEMBER + 2] ?? -1];
}

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

const otherText = fc.constantFrom(
  'null',
  'true',
  'false',
  '""',
  '"x"',
  '"\\u0022,1.5"',
  '"2025-01-31T10:00:00Z"',
  '{}',
  '[]',
  '{"a":1.5}',
  '[ 1, "]" ]',
  '{"deep":[{"x":1e400}]}',
  '{"a":{},"b":[48.137154323456789]}',
  '["0.12345678901234567890"]',
);

test('the scanner records the kind of each value, or that it is one of a few', () => {
  const seen = new Set<ValueKindName>();
  const value = fc.oneof({ weight: 3, arbitrary: numberText }, timeText, otherText);
  fc.assert(
    fc.property(value, (text) => {
      const row = rowOf(`{"a":${text},"b":[{"c":${text} },1.5],"d":{"e":[${text}]}}`);
      for (const [member, json] of [text, `[{"c":${text} },1.5]`, `{"e":[${text}]}`].entries()) {
        const scanned = scannedKind(row, member) ?? 'null';
        expect(MAY_BE[scanned] ?? [scanned], json).toContain(exactKind(json));
        seen.add(scanned);
      }
    }),
    { numRuns: runs(10_000, 1 / 10) },
  );
  const expected = KINDS.filter((kind) => !kind.startsWith('huge'));
  expect([...seen].toSorted()).toStrictEqual(expected.toSorted());
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
  expect(scannedKind(rowOf(`{"a":${text}}`), 0)).toBe(kind);
});

const PIECES = [
  '\\ud83d',
  '\\uDE00',
  '\\uDBFF',
  '\\udc00',
  '\\u0041',
  '\\\\',
  '\\n',
  '\\"',
  'ud83d',
  'é',
  '😀',
  'a',
];

test('an unpaired surrogate is found exactly where JSON.parse returns one', () => {
  const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => `"${pieces.join('')}"`);
  fc.assert(
    fc.property(text, (json) => {
      // with the flag u, a pair is one character, and only an unpaired surrogate matches
      const hasUnpaired = /\p{Surrogate}/u.test(JSON.parse(json) as string);
      const { places, firstPlace } = rowOf(`{"a":${json}}`);
      expect((places[firstPlace + 2] ?? 0) >= FIRST_WITH_SURROGATE).toBe(hasUnpaired);
    }),
    { numRuns: runs(2000) },
  );
});
