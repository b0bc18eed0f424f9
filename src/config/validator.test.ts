import { expect, test } from 'vitest';
import { describeFaults } from './faults.ts';

function faultsOf(schema: object, document: unknown): string | null {
  return describeFaults(document, schema);
}

test('a valid document has no faults and gets defaults', () => {
  const schema = { type: 'object', properties: { a: { type: 'integer', default: 3 } } };
  const document = {};
  expect(faultsOf(schema, document)).toBeNull();
  expect(document).toStrictEqual({ a: 3 });
});

test('the first ten faults are listed, and the number of the others', () => {
  const schema = { items: { type: 'string' } };
  const document = Array.from({ length: 20_000 }, (_, index) => index);
  const message = faultsOf(schema, document);
  expect(message).toMatch(
    /^"\[0\]" must be a string, not a number; .*"\[9\]" must be a string, not a number; and 19990 more$/,
  );
});

test('paths contain members and elements', () => {
  const schema = {
    type: 'object',
    properties: {
      list: { type: 'array', items: { type: 'object', required: ['in/side'] } },
      'a~/b': { type: 'string' },
    },
  };
  expect(faultsOf(schema, { list: [{ 'in/side': 1 }, {}], 'a~/b': 1 })).toBe(
    '"list[1].in/side" is missing; "a~/b" must be a string, not a number',
  );
  expect(faultsOf(schema, 5)).toBe('the document must be an object, not a number');
});

test.each<[schema: object, document: unknown, message: string]>([
  [{ type: ['string', 'null'] }, 1, 'must be a string or null, not a number'],
  [{ type: 'integer' }, 1.5, 'must be an integer, not a fraction'],
  [{ type: 'integer' }, '100', 'must be an integer, not a string; it is in quotes: remove them'],
  [{ type: 'boolean' }, [], 'must be a boolean, not an array'],
  [{ type: 'object' }, null, 'must be an object, not null'],
  [{ type: 'string' }, {}, 'must be a string, not an object'],
  [{ const: 'x' }, 'y', 'must be "x"'],
  [{ enum: ['x', 'y'] }, 'z', 'must be "x" or "y"'],
  [{ pattern: '^a$' }, 'b', 'is not written as it must be'],
  [{ pattern: '^a$', pattern_descriptor: 'an a' }, 'b', 'must be written as an a'],
  [{ pattern: '^a$', format: 'date-time' }, 'b', 'is not written as it must be'],
  [{ format: 'date-time' }, 'b', 'must be a date and time that exist'],
  [{ minimum: 2 }, 1, 'must be at least 2'],
  [{ maximum: 2 }, 3, 'must be at most 2'],
  [{ minLength: 1 }, '', 'must not be empty'],
  [{ minLength: 8 }, 'x', 'must have at least 8'],
  [{ minItems: 1 }, [], 'must not be empty'],
  [{ uniqueItems: true }, [1, 1], 'must not contain duplicates'],
  [{ multipleOf: 2 }, 3, 'is not valid'],
])('%j rejects %j', (schema, document, message) => {
  expect(faultsOf(schema, document)).toBe(`the document ${message}`);
});

test('a failed condition is described only by what it requires', () => {
  const schema = JSON.parse('{"if":{"type":"object"},"then":{"required":["a"]}}') as object;
  expect(faultsOf(schema, {})).toBe('"a" is missing');
});

function variant(kind: string): object {
  return { required: ['kind'], properties: { kind: { const: kind }, a: { type: 'string' } } };
}

test('names that are escaped in pointers and URLs are reported as they are', () => {
  const schema = {
    patternProperties: { '^100%/~': { type: 'object', oneOf: [variant('one'), variant('two')] } },
    additionalProperties: { pattern: '^x', pattern_descriptor: 'x…' },
  };
  const document = { '100%/~': { kind: 'two', a: 1 }, '%zz ~1': 'y' };
  expect(faultsOf(schema, document)).toBe(
    '"%zz ~1" must be written as x…; "100%/~.a" must be a string, not a number',
  );
});

const CHOICE = {
  type: 'object',
  oneOf: [
    { properties: { kind: { const: 'a' } }, required: ['kind'] },
    {
      properties: { kind: { const: 'b' }, list: { type: 'array', items: { type: 'string' } } },
      required: ['kind', 'list'],
    },
  ],
};

test.each<[document: unknown, message: string]>([
  [{ kind: 'b' }, '"list" is missing'],
  [{ kind: 'b', list: [1] }, '"list[0]" must be a string, not a number'],
  [{ kind: 'c' }, 'the document must contain {"kind":"a"} or {"kind":"b"}'],
  [{ list: [1] }, 'the document must contain {"kind":"a"} or {"kind":"b"}'],
  [{}, 'the document must contain {"kind":"a"} or {"kind":"b"}'],
  ['a', 'the document must contain {"kind":"a"} or {"kind":"b"}'],
])('only faults of the chosen variant are reported: %j', (document, message) => {
  expect(faultsOf(CHOICE, document)).toBe(message);
});
