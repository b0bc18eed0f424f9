import { describe, expect, test } from 'vitest';
import { createSchemaWidener, MAX_LEVELS, MAX_NAMES, type JsonSchema } from './widen-schema.ts';
import { widenSchema } from './widen-schema.test-support.ts';

/** Returns the schema of a field that has these values, one in each row. */
function inferred(...values: string[]): JsonSchema | undefined {
  const rows = values.map((value) => `{"f": ${value}}`);
  return widenSchema({ type: 'object' }, rows).properties?.['f'];
}

/** Returns the schema of a declared field after rows with these values. */
function widened(declared: JsonSchema, ...values: string[]): JsonSchema | undefined {
  const rows = values.map((value) => `{"f": ${value}}`);
  return widenSchema({ type: 'object', properties: { f: declared } }, rows).properties?.['f'];
}

const types = (...names: string[]) => ({ type: ['null', ...names] });
const open = { additionalProperties: true };

describe('a new field', () => {
  test.each([
    ['integers', ['1', '-0', '9007199254740993'], types('integer')],
    ['integers beyond 64 bits', ['1', '12345678901234567890'], types('number')],
    ['an integer of 25 digits', ['1234567890123456789012345'], types('number')],
    ['an integer beyond decimals of 38 digits', ['1', '9'.repeat(30)], types('string', 'number')],
    ['a fraction that is zero', ['1', '1.0'], types('number')],
    ['an exponent', ['1E3'], types('number')],
    ['a number that no double holds', ['1e400'], types('string', 'number')],
    ['decimals', ['1.10', '2'], types('number')],
    ['digits in quotes', ['"007"'], types('string')],
    ['booleans', ['true', 'null'], types('boolean')],
    ['numbers and texts', ['1.5', '"n/a"'], types('string', 'number')],
    ['booleans and numbers', ['true', '2'], types('string', 'integer', 'boolean')],
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

  test('the last of several duplicate keys counts', () => {
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
  const time = { ...types('string'), format: 'date-time', airbyte_type: 'timestamp_with_timezone' };
  test.each([
    ['in UTC', ['"2025-01-31T10:00:00Z"', '"2025-01-31T10:00:00.123456+00:00"'], time],
    ['and nulls', ['null', '"2025-01-31T10:00:00Z"'], time],
    ['with an offset', ['"2025-01-31T10:00:00Z"', '"2025-01-31T10:00:00+02:00"'], types('string')],
    ['to the nanosecond', ['"2025-01-31T10:00:00.123456789Z"'], types('string')],
    ['without a zone', ['"2025-01-31T10:00:00"'], types('string')],
    ['and one odd text', ['"2025-01-31T10:00:00Z"', '"never"'], types('string')],
    ['and one number', ['"2025-01-31T10:00:00Z"', '0'], types('string', 'integer')],
    ['in an array', ['["2025-01-31T10:00:00Z"]'], { ...types('array'), items: time }],
  ])('%s', (_, values, schema) => {
    expect(inferred(...values)).toStrictEqual(schema);
  });
});

describe('a declared field', () => {
  test.each<[string, JsonSchema, string[], JsonSchema]>([
    ['stays without rows', types('string'), [], types('string')],
    ['stays when absent or null', types('boolean'), ['null'], types('boolean')],
    ['is not refined', types('string'), ['"2025-01-31T10:00:00Z"'], types('string')],
    ['becomes nullable', { type: 'string', title: 'T' }, [], { ...types('string'), title: 'T' }],
    ['names null first', { type: ['string', 'null'] }, [], types('string')],
    ['grows by one odd row', types('string'), ['"a"', '1'], types('string', 'integer')],
    ['becomes a union with string', types('boolean'), ['1'], types('string', 'boolean', 'integer')],
    ['takes an integer for a number', types('number'), ['1'], types('number')],
    ['stays open', { description: 'anything' }, ['1', '{}'], { description: 'anything' }],
    [
      'declares what objects and arrays contain',
      types('string'),
      ['{"a": 1}', '[true]'],
      {
        ...types('string', 'object', 'array'),
        properties: { a: types('integer') },
        ...open,
        items: types('boolean'),
      },
    ],
  ])('%s', (_, declared, values, schema) => {
    expect(widened(declared, ...values)).toStrictEqual(schema);
  });

  test('comes before the new ones, which are sorted', () => {
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
  test('an object at the last level is declared, its members are not', () => {
    const schema = widenSchema({ type: 'object' }, [nested(MAX_LEVELS + 1, '1')]);
    expect(at(schema, MAX_LEVELS)).toStrictEqual({ ...types('object'), properties: {}, ...open });
    const array = widenSchema({ type: 'object' }, [nested(MAX_LEVELS, '[1]')]);
    expect(at(array, MAX_LEVELS)).toStrictEqual(types('array'));
    expect(at(widenSchema({ type: 'object' }, [nested(MAX_LEVELS, '1')]), MAX_LEVELS)).toStrictEqual(
      types('integer'),
    );
  });

  test('a very deeply nested row is read', () => {
    const depth = 100_000;
    const row = `{"f":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect(JSON.stringify(widenSchema({ type: 'object' }, [row])).length).toBeLessThan(1_000);
  });

  test('if there are too many new properties, the first by name are declared, whatever the order of rows', () => {
    const names = Array.from({ length: 3 * MAX_NAMES }, (_, index) => name(index));
    const base = { type: 'object', properties: { z: types('string') } };
    for (const order of [names, names.toReversed()]) {
      const rows = order.map((one) => `{"${one}":1,"a":${one === name(0) ? '"x"' : 'null'}}`);
      const { properties } = widenSchema(base, rows);
      const first = ['a', ...names].slice(0, MAX_NAMES);
      expect(Object.keys(properties ?? {})).toStrictEqual(['z', ...first]);
      expect(properties?.[name(0)]).toStrictEqual(types('integer'));
    }
  });
});

test.each([['[1]'], ['null'], ['"x"'], ['1']])('a row that is %s is refused', (row) => {
  expect(() => widenSchema({ type: 'object' }, [row])).toThrow(TypeError);
});

test('a row that is not JSON is refused', () => {
  expect(() => widenSchema({ type: 'object' }, ['{"a":01}'])).toThrow(SyntaxError);
});

test('names are bounded in bytes at every depth, and what is left out is reported', () => {
  const long = 'x'.repeat(300);
  const widener = createSchemaWidener({ type: 'object' }, []);
  widener.add(`{"${long}":1,"a":{"${long}":1,"b":[{"${long}":1}]}}`);
  expect(JSON.stringify(widener.schema(Infinity))).not.toContain('xx');
  expect(widener.leftOut()).toStrictEqual(['fields whose names exceed 300 bytes']);
});

/** A hundred members with the same value. */
function members(value: string): string {
  return Array.from({ length: 100 }, (_, index) => `"field${index}":${value}`).join(',');
}

test('the deepest levels of a schema are dropped until it stays within its bytes', () => {
  const widener = createSchemaWidener({ type: 'object' }, []);
  widener.add(`{${members(`{${members('1')}}`)}}`);
  for (const maxBytes of [4_000_000, 20_000]) {
    const text = JSON.stringify(widener.schema(maxBytes));
    expect(text.length).toBeLessThanOrEqual(maxBytes);
    expect(text).toContain('"field0"');
  }
  expect(widener.leftOut()).toStrictEqual(['fields below level 1']);
});
