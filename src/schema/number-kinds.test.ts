import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { numberKind, parseNumberKinds, sampledKind } from './number-kinds.ts';

const digits = fc.stringMatching(/^(0|[1-9]\d{0,40})$/);
const integerText = fc.tuple(fc.constantFrom('', '-'), digits).map((parts) => parts.join(''));
const fractionOrExponent = fc.stringMatching(/^(\.\d{1,20}([eE][+-]?\d{1,3})?|[eE][+-]?\d{1,3})$/);
const numberText = fc
  .tuple(integerText, fc.oneof(fc.constant(''), fractionOrExponent))
  .map((parts) => parts.join(''));
const space = fc.stringMatching(/^[ \t\r\n]{0,2}$/);

/** A JSON text together with what it must read as: every number is replaced by its kind. */
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

test('every number of every JSON text is told by its text, and all else is as JSON.parse reads it', () => {
  fc.assert(
    fc.property(sample, ({ text, value }) => {
      expect(withKinds(parseNumberKinds(text))).toStrictEqual(value);
    }),
    { numRuns: 5_000 },
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

test('a text is refused if and only if JSON.parse refuses it', () => {
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
    { numRuns: 10_000 },
  );
});

test.each(['1e5e5', '01.5', '--1.5', '1.5.5', '1.5e', '{1.5:2}', '"1.5', '[1.5'])(
  '%s stays refused',
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
  ['1' + '0'.repeat(29), 'great'],
  ['9'.repeat(400), 'great'],
  ['1.0', 'number'],
  ['-0.0', 'number'],
  ['0.5', 'number'],
  ['-0.5', 'number'],
  ['0.25', 'number'],
  ['1E3', 'number'],
  ['-1e28', 'number'],
  ['-1e29', 'great'],
  ['1e400', 'great'],
  ['-1e-400', 'number'],
])('%s: %s', (text, kind) => {
  expect(numberKind(text)).toBe(kind);
  expect(sampledKind(Number(parseNumberKinds(text)))).toBe(kind);
});

test('neither long nor deep texts overflow the stack', () => {
  const escapes = '\\n'.repeat(5_000_000);
  expect(parseNumberKinds(`["${escapes}",1.0]`)).toStrictEqual(['\n'.repeat(5_000_000), 0.5]);
  expect(parseNumberKinds(`"${'1'.repeat(5_000_000)}"`)).toBe('1'.repeat(5_000_000));
  const depth = 200_000;
  expect(parseNumberKinds('['.repeat(depth) + ']'.repeat(depth))).toBeInstanceOf(Array);
});
