import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { rowOf } from '../rows/row.test-support.ts';
import { FIRST_WITH_SURROGATE, ValueKind } from '../rows/row.ts';
import { isUtcTime, numberKind, parseNumberKinds, sampledKind } from './value-kinds.ts';

const digits = fc.stringMatching(/^(0|[1-9]\d{0,40})$/);
const integerText = fc.tuple(fc.constantFrom('', '-'), digits).map((parts) => parts.join(''));
const fractionOrExponent = fc.stringMatching(/^(\.\d{1,20}([eE][+-]?\d{1,3})?|[eE][+-]?\d{1,3})$/);
const numberText = fc
  .tuple(integerText, fc.oneof(fc.constant(''), fractionOrExponent))
  .map((parts) => parts.join(''));
const space = fc.stringMatching(/^[ \t\r\n]{0,2}$/);

/** A JSON text with its expected value, in which every number is replaced by its kind. */
interface Sample {
  readonly text: string;
  readonly value: unknown;
}

const stringText = fc
  .string({ unit: fc.constantFrom('a', '1', '.', 'e', '-', '"', '\\', 'é', '\u2028', '\u0000', '/') })
  .chain((text) =>
    fc.boolean().map((escaped) => {
      const allEscaped = () =>
        `"${Array.from(text, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;
      return { text: escaped ? allEscaped() : JSON.stringify(text), value: text };
    }),
  );

const { sample } = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc
    .tuple(
      space,
      fc.oneof(
        { maxDepth: 4 },
        stringText,
        fc.constantFrom<Sample>({ text: 'null', value: null }, { text: 'true', value: true }),
        numberText.map((text): Sample => ({ text, value: numberKind(text) })),
        fc.array(tie('sample')).map((items): Sample => ({
          text: `[${items.map(({ text }) => text).join(',')}]`,
          value: items.map(({ value }) => value),
        })),
        fc.array(fc.tuple(stringText, tie('sample'))).map((members): Sample => ({
          text: `{${members.map(([name, item]) => `${name.text} :${item.text}`).join(',')}}`,
          value: Object.fromEntries(members.map(([name, item]) => [name.value, item.value])),
        })),
      ),
      space,
    )
    .map(([before, { text, value }, after]): Sample => ({ text: before + text + after, value })),
}));

function withKinds(value: unknown): unknown {
  if (typeof value === 'number') return sampledKind(value);
  if (Array.isArray(value)) return value.map(withKinds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withKinds(item)]));
}

test('every number is judged by its text, and everything else is parsed as by JSON.parse', () => {
  fc.assert(
    fc.property(sample, ({ text, value }) => {
      expect(withKinds(parseNumberKinds(text))).toStrictEqual(value);
    }),
    { numRuns: 1_000 },
  );
});

function outcome(read: (text: string) => unknown, text: string): unknown {
  try {
    read(text);
    return 'read';
  } catch (error) {
    return error instanceof SyntaxError ? 'refused' : error;
  }
}

test('a text is rejected if and only if JSON.parse rejects it', () => {
  const noise = fc.string({
    unit: fc.constantFrom('1', '0', '.', 'e', '-', '+', '"', '\\', ',', ':', '{', '}'),
  });
  const spoilt = fc
    .tuple(sample, fc.nat(), noise)
    .map(
      ([{ text }, at, extra]) => text.slice(0, at % (text.length + 1)) + extra + text.slice(at % text.length),
    );
  fc.assert(
    fc.property(fc.oneof(noise, spoilt), (text) => {
      expect(outcome(parseNumberKinds, text)).toBe(outcome(JSON.parse, text));
    }),
    { numRuns: 3_000 },
  );
});

test.each(['1e5e5', '01.5', '--1.5', '1.5.5', '1.5e', '{1.5:2}', '"1.5', '[1.5'])(
  '%s is rejected',
  (text) => {
    expect(() => parseNumberKinds(text)).toThrow(SyntaxError);
  },
);

test.each([
  ['1', 'integer'],
  ['-0', 'integer'],
  ['9223372036854775807', 'integer'],
  ['9223372036854775808', 'number'],
  ['-9223372036854775808', 'integer'],
  ['-9223372036854775809', 'number'],
  ['12345678901234567890', 'number'],
  ['9'.repeat(28), 'number'],
  ['1' + '0'.repeat(29), 'huge'],
  ['9'.repeat(400), 'huge'],
  ['1.0', 'number'],
  ['-0.0', 'number'],
  ['0.5', 'number'],
  ['-0.5', 'number'],
  ['0.25', 'number'],
  ['1E3', 'number'],
  ['-1e28', 'number'],
  ['-1e29', 'huge'],
  ['1e400', 'huge'],
  ['-1e-400', 'number'],
])('%s: %s', (text, kind) => {
  expect(numberKind(text)).toBe(kind);
  expect(sampledKind(Number(parseNumberKinds(text)))).toBe(kind);
});

test('long and deep texts do not overflow the stack', () => {
  const escapes = '\\n'.repeat(5_000_000);
  expect(parseNumberKinds(`["${escapes}",1.0]`)).toStrictEqual(['\n'.repeat(5_000_000), 0.5]);
  expect(parseNumberKinds(`"${'1'.repeat(5_000_000)}"`)).toBe('1'.repeat(5_000_000));
  const depth = 200_000;
  expect(parseNumberKinds('['.repeat(depth) + ']'.repeat(depth))).toBeInstanceOf(Array);
});

test.each([
  ['2025-01-31T10:00:00Z', true],
  ['2025-01-31T10:00:00+00:00', true],
  ['2025-01-31T10:00:00.123456Z', true],
  ['2024-02-29T23:59:59Z', true],
  ['0001-01-01T00:00:00Z', true],
  // columns of times truncate to the microsecond
  ['2025-01-31T10:00:00.1234567Z', false],
  ['2025-01-31T10:00:00.123456789Z', false],
  // some loaders read this as 10:00 in UTC
  ['2025-01-31T10:00:00+02:00', false],
  ['2025-01-31T10:00:00-00:30', false],
  // loads fail on these, or they do not exist
  ['2016-12-31T23:59:60Z', false],
  ['2025-01-31T24:00:00Z', false],
  ['2025-01-31T10:00Z', false],
  ['2025-01-31t10:00:00z', false],
  ['2025-01-31 10:00:00Z', false],
  ['2025-01-31T10:00:00.Z', false],
  ['2025-02-29T10:00:00Z', false],
  ['2025-13-01T10:00:00Z', false],
  ['2025-01-31T10:00:00', false],
  ['2025-01-31', false],
  ['20250131T100000Z', false],
  [' 2025-01-31T10:00:00Z', false],
  ['2025-01-31T10:00:00Z\n', false],
  ['n/a', false],
  ['', false],
])('%j is kept by time columns: %s', (text, isOne) => {
  expect(isUtcTime(text)).toBe(isOne);
});

const twoDigits = (value: number): string => String(value).padStart(2, '0');

test('real days are distinguished from others, in any order', () => {
  const day = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 31 }));
  fc.assert(
    fc.property(fc.constantFrom(2023, 2024, 1900, 2000), fc.array(day), (year, days) => {
      for (const [month, date] of days) {
        const isOne = date <= new Date(Date.UTC(year, month, 0)).getUTCDate();
        expect(isUtcTime(`${year}-${twoDigits(month)}-${twoDigits(date)}T10:00:00Z`)).toBe(isOne);
      }
    }),
  );
});

/** A number padded to `width` digits. */
const number = (width: number, max: number): fc.Arbitrary<string> =>
  fc.integer({ min: 0, max }).map((value) => String(value).padStart(width, '0'));
/** The usual separator, and now and then another. */
const separator = (usual: string): fc.Arbitrary<string> =>
  fc.constantFrom(...Array.from({ length: 20 }, () => usual), ' ', '');

test('the scanner of pages recognizes the same times', () => {
  const text = fc
    .tuple(
      number(4, 2500),
      separator('-'),
      number(2, 13),
      separator('-'),
      number(2, 32),
      separator('T'),
      number(2, 24),
      separator(':'),
      number(2, 60),
      separator(':'),
      number(2, 60),
      fc.constantFrom('', '', '.', '.1', '.123456', '.1234567', ',5'),
      fc.constantFrom('Z', 'Z', 'z', '', '+00:00', '-00:00', '+01:00', '+00:30', '+0000', 'ZZ'),
    )
    .map((parts) => parts.join(''));
  const seen = { true: 0, false: 0 };
  fc.assert(
    fc.property(text, (time) => {
      const { places, firstPlace } = rowOf({ time });
      const isTime = places[firstPlace + 2] === ValueKind.utcTime;
      seen[`${isTime}`]++;
      expect(isTime).toBe(isUtcTime(time));
    }),
    { numRuns: 10_000 },
  );
  expect(Math.min(seen.true, seen.false)).toBeGreaterThan(200);
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
    { numRuns: 2_000 },
  );
});
