import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../property-runs.test-support.ts';
import { numberKind, parseSampled, sampledNumber, type SampledNumber } from './numbers.ts';

/** What schemas distinguish of a number, given as text. */
function expectedOf(number: string): SampledNumber {
  const kind = numberKind(number);
  if (kind === 'integer') return kind;
  return kind.startsWith('huge') ? 'huge' : 'number';
}

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
        numberText.map((text): Sample => ({ text, value: expectedOf(text) })),
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
  if (typeof value === 'number') return sampledNumber(value);
  if (Array.isArray(value)) return value.map(withKinds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withKinds(item)]));
}

test('every number is judged by its text, and everything else is parsed as by JSON.parse', () => {
  fc.assert(
    fc.property(sample, ({ text, value }) => {
      expect(withKinds(parseSampled(text))).toStrictEqual(value);
    }),
    { numRuns: runs(1_000) },
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
      expect(outcome(parseSampled, text)).toBe(outcome(JSON.parse, text));
    }),
    { numRuns: runs(3_000) },
  );
});

test.each(['1e5e5', '01.5', '--1.5', '1.5.5', '1.5e', '{1.5:2}', '"1.5', '[1.5'])(
  '%s is rejected',
  (text) => {
    expect(() => parseSampled(text)).toThrow(SyntaxError);
  },
);

test.each([
  ['1', 'integer'],
  ['-9223372036854775808', 'integer'],
  ['9223372036854775808', 'number'],
  ['-0.0', 'number'],
  ['0.5', 'number'],
  ['-0.5', 'number'],
  ['0.25', 'number'],
  ['-1e28', 'number'],
  ['-1e29', 'huge'],
  ['1e400', 'huge'],
  ['-1e-400', 'number'],
])('%s is sampled as %s', (text, kind) => {
  expect(expectedOf(text)).toBe(kind);
  expect(sampledNumber(Number(parseSampled(text)))).toBe(kind);
});

test('long and deep texts do not overflow the stack', () => {
  const escapes = '\\n'.repeat(5_000_000);
  expect(parseSampled(`["${escapes}",1.0]`)).toStrictEqual(['\n'.repeat(5_000_000), 0.5]);
  expect(parseSampled(`"${'1'.repeat(5_000_000)}"`)).toBe('1'.repeat(5_000_000));
  const depth = 200_000;
  expect(parseSampled('['.repeat(depth) + ']'.repeat(depth))).toBeInstanceOf(Array);
});
