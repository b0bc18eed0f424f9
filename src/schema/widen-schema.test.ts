import { describe, expect, test } from 'vitest';
import type { JsonSchema } from './json-schema.ts';
import { maxLevels, maxProperties, widenSchema } from './widen-schema.ts';

/** What is inferred for a field that has these values, one in each row. */
function inferred(...values: string[]): JsonSchema | undefined {
  const rows = values.map((value) => `{"f": ${value}}`);
  return widenSchema({ type: 'object' }, rows).properties?.['f'];
}

/** What becomes of a declared field when rows hold these values. */
function widened(declared: JsonSchema, ...values: string[]): JsonSchema | undefined {
  const rows = values.map((value) => `{"f": ${value}}`);
  return widenSchema({ type: 'object', properties: { f: declared } }, rows).properties?.['f'];
}

const types = (...names: string[]) => ({ type: ['null', ...names] });
const times = (count: number, text: string) => Array.from({ length: count }, () => `"${text}"`);
const open = { additionalProperties: true };

describe('a new field', () => {
  test.each([
    ['integers', ['1', '-0', '9007199254740993'], types('integer')],
    ['an integer beyond 64 bits', ['12345678901234567890'], types('integer')],
    ['a fraction that is zero', ['1', '1.0'], types('number')],
    ['an exponent', ['1E3'], types('number')],
    ['a number that no double holds', ['1e400'], types('number')],
    ['decimals', ['1.10', '2'], types('number')],
    ['digits in quotes', ['"007"'], types('string')],
    ['booleans', ['true', 'null'], types('boolean')],
    ['numbers and texts', ['1.5', '"n/a"'], types('string', 'number')],
    ['all scalars', ['true', '"x"', '1'], types('string', 'integer', 'boolean')],
    ['nulls only', ['null', 'null'], types('string')],
    ['nulls, then a number', ['null', '1'], types('integer')],
    ['an empty object', ['{}'], { ...types('object'), properties: {}, ...open }],
    ['empty arrays', ['[]', '[null]'], types('array')],
    ['an array of a kind', ['[1]', '[null, 2.5]'], { ...types('array'), items: types('number') }],
    [
      'arrays in arrays',
      ['[["a"]]'],
      { ...types('array'), items: { ...types('array'), items: types('string') } },
    ],
    [
      'objects with different members',
      ['{"b": 1}', '{"a": null}', '{"b": 0.5}'],
      { ...types('object'), properties: { a: types('string'), b: types('number') }, ...open },
    ],
    [
      'objects, arrays and texts',
      ['{"a": 1}', '[true]', '"n/a"'],
      {
        ...types('string', 'object', 'array'),
        properties: { a: types('integer') },
        ...open,
        items: types('boolean'),
      },
    ],
  ])('%s', (_, values, schema) => {
    expect(inferred(...values)).toStrictEqual(schema);
  });

  test('the last of several equal keys counts', () => {
    expect(widenSchema({ type: 'object' }, ['{"f": "x", "f": 1}']).properties).toStrictEqual({
      f: types('integer'),
    });
  });

  test('__proto__ is declared like any other name', () => {
    const { properties } = widenSchema({ type: 'object' }, ['{"__proto__": {"a": 1}, "a": 1}']);
    expect(JSON.stringify(properties)).toBe('{"__proto__":{},"a":{"type":["null","integer"]}}');
    expect(Object.getPrototypeOf(properties)).toBe(Object.prototype);
  });
});

describe('a new field of times', () => {
  const zoned = { ...types('string'), format: 'date-time', airbyte_type: 'timestamp_with_timezone' };
  const local = { ...types('string'), airbyte_type: 'timestamp_without_timezone' };
  test.each([
    ['20 with a zone', times(20, '2025-01-31T10:00:00Z'), zoned],
    ['20 with a zone, and nulls', ['null', ...times(20, '2025-01-31T10:00:00+01:00'), 'null'], zoned],
    ['19 and a null', [...times(19, '2025-01-31T10:00:00Z'), 'null'], types('string')],
    ['20 without a zone', times(20, '2025-01-31T10:00:00'), local],
    [
      'both kinds',
      [...times(20, '2025-01-31T10:00:00'), ...times(20, '2025-01-31T10:00:00Z')],
      types('string'),
    ],
    ['one odd text', [...times(40, '2025-01-31T10:00:00Z'), '"never"'], types('string')],
    ['one number', [...times(40, '2025-01-31T10:00:00Z'), '0'], types('string', 'integer')],
    [
      'in an array',
      [`[${times(20, '2025-01-31T10:00:00Z').join(',')}]`],
      { ...types('array'), items: zoned },
    ],
  ])('%s', (_, values, schema) => {
    expect(inferred(...values)).toStrictEqual(schema);
  });
});

describe('a declared field', () => {
  const time = { ...types('string'), format: 'date-time', airbyte_type: 'timestamp_with_timezone' };
  test.each<[string, JsonSchema, string[], JsonSchema]>([
    ['stays without rows', types('string'), [], types('string')],
    ['stays when absent or null', types('boolean'), ['null'], types('boolean')],
    ['is not refined', types('string'), times(30, '2025-01-31T10:00:00Z'), types('string')],
    ['becomes nullable', { type: 'string', title: 'T' }, [], { ...types('string'), title: 'T' }],
    ['names null first', { type: ['string', 'null'] }, [], types('string')],
    ['grows by one odd row', types('string'), ['"a"', '1'], types('string', 'integer')],
    ['keeps integer beside number', types('integer'), ['1.0'], types('integer', 'number')],
    ['takes an integer for a number', types('number'), ['1'], types('number')],
    [
      'keeps a format that holds',
      time,
      ['"2025-01-31T10:00:00Z"', '1'],
      { ...time, ...types('string', 'integer') },
    ],
    [
      'loses only the format that a row breaks',
      time,
      ['"2025-01-31T10:00:00Z"', '"never"'],
      { ...types('string'), airbyte_type: 'timestamp_with_timezone' },
    ],
    ['stays open', { description: 'anything' }, ['1', '{}'], { description: 'anything' }],
    [
      'has its elements widened',
      { ...types('array'), items: types('string') },
      ['[1]'],
      { ...types('array'), items: types('string', 'integer') },
    ],
  ])('%s', (_, declared, values, schema) => {
    expect(widened(declared, ...values)).toStrictEqual(schema);
  });

  test('stands before the new ones, which are sorted', () => {
    const base = { type: 'object', properties: { vin: types('string'), assetId: types('string') } };
    const { properties } = widenSchema(base, ['{"z": 1, "vin": "x", "B": 1}', '{"a": 1}']);
    expect(Object.keys(properties ?? {})).toStrictEqual(['vin', 'assetId', 'B', 'a', 'z']);
  });
});

/** A text nested in objects: `{"n":{"n":…}}`. */
const nested = (levels: number, inner: string) => '{"n":'.repeat(levels) + inner + '}'.repeat(levels);
const at = (schema: JsonSchema | undefined, levels: number): JsonSchema | undefined =>
  levels === 0 ? schema : at(schema?.properties?.['n'], levels - 1);
const name = (index: number) => `k${String(index).padStart(5, '0')}`;

describe('limits', () => {
  test('an object at the last level is declared, what it holds is not', () => {
    const schema = widenSchema({ type: 'object' }, [nested(maxLevels + 1, '1')]);
    expect(at(schema, maxLevels)).toStrictEqual({ ...types('object'), properties: {}, ...open });
    const array = widenSchema({ type: 'object' }, [nested(maxLevels, '[1]')]);
    expect(at(array, maxLevels)).toStrictEqual(types('array'));
    expect(at(widenSchema({ type: 'object' }, [nested(maxLevels, '1')]), maxLevels)).toStrictEqual(
      types('integer'),
    );
  });

  test('a place that the base declares is widened however deep it is', () => {
    const deep = (levels: number): JsonSchema =>
      levels === 0 ? types('string') : { type: 'object', properties: { n: deep(levels - 1) } };
    const schema = widenSchema(deep(maxLevels + 3), [nested(maxLevels + 3, '1')]);
    expect(at(schema, maxLevels + 3)).toStrictEqual(types('string', 'integer'));
  });

  test('a row nested without end is read', () => {
    const depth = 100_000;
    const row = `{"f":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect(JSON.stringify(widenSchema({ type: 'object' }, [row])).length).toBeLessThan(1_000);
  });

  test('of too many new properties those in most rows are declared, then the first by name', () => {
    const crowd = Array.from({ length: maxProperties }, (_, index) => `"${name(index)}":1`).join(',');
    const base = { type: 'object', properties: { z: types('string') } };
    const { properties } = widenSchema(base, [`{${crowd},"often":1}`, '{"often":1}']);
    const first = Array.from({ length: maxProperties - 2 }, (_, index) => name(index));
    expect(Object.keys(properties ?? {})).toStrictEqual(['z', ...first, 'often']);
  });
});

test.each([['[1]'], ['null'], ['"x"'], ['1']])('a row that is %s is refused', (row) => {
  expect(() => widenSchema({ type: 'object' }, [row])).toThrow(TypeError);
});

test('a row that is not JSON is refused', () => {
  expect(() => widenSchema({ type: 'object' }, ['{"a":01}'])).toThrow(SyntaxError);
});
