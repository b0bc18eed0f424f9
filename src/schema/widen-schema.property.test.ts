import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../property-runs.test-support.ts';
import type { JsonSchema } from './widen-schema.ts';
import { widenSchema } from './widen-schema.test-support.ts';

const numRuns = runs(900, 1 / 10);
const base: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: {
    b: { type: ['null', 'string'], description: 'declared a string' },
    at: { type: 'string' },
    n: { type: ['null', 'number'], title: 'N' },
    l: { type: ['null', 'boolean', 'string'] },
    open: {},
  },
  additionalProperties: true,
};

const names = [
  'a',
  'b',
  'c',
  'x',
  '7',
  '',
  'é"\\',
  '__proto__',
  'constructor',
  'toString',
  'id',
  'at',
  'n',
  'o',
  'l',
];
const time = '2025-01-31T10:00:00';
const numbers = [
  '1',
  '-0',
  '1.0',
  '0.5',
  '1E3',
  '1e400',
  '12345678901234567890',
  '9'.repeat(28),
  '9'.repeat(400),
];
const texts = ['""', '"1"', '"n/a"', '"\\u0022,1.5"', `"${time}"`, `"${time}Z"`, `"${time}+02:00"`];
const scalar = fc.constantFrom('null', 'null', 'true', ...numbers, ...texts);
const anyText = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    tie('object'),
  ),
  // a name may occur twice
  object: fc
    .array(fc.tuple(fc.constantFrom(...names), tie('value')), { maxLength: 4 })
    .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(' ,')}}`),
}));

// Rows of a typical API: each field has a few kinds of values, so that unions, times and placeholders all occur.
const column = fc.oneof(
  fc.constant(fc.constant(`"${time}Z"`)),
  fc.constant(fc.constantFrom(`"${time}Z"`, `"${time}-05:30"`, 'null')),
  fc.constant(fc.constant(`"${time}"`)),
  fc.constant(fc.constant('null')),
  fc.array(anyText.value, { minLength: 1, maxLength: 3 }).map((values) => fc.constantFrom(...values)),
);
type Member = readonly [name: string, text: string];
const regularMembers = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...names, 'open'), column), {
    selector: ([name]) => name,
    minLength: 1,
    maxLength: 6,
  })
  .chain((columns) =>
    fc.array(fc.tuple(...columns.map(([name, value]) => value.map((text): Member => [name, text]))), {
      maxLength: 45,
      size: 'max',
    }),
  );
const rowText = (members: readonly Member[]) =>
  `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
const regularRows = regularMembers.map((rows) => rows.map(rowText));
const sampledRows = fc.oneof(regularRows, fc.array(anyText.object, { maxLength: 8 }));

const ajv = new Ajv({ strict: false, validateSchema: false, code: { optimize: false } });
addFormats.default(ajv);

/** Returns the first error of ajv for a row, or undefined. */
function complaint(schema: JsonSchema, rows: readonly unknown[]): string | undefined {
  const validate = ajv.compile(schema);
  ajv.removeSchema(schema);
  const refused = rows.find((row) => !validate(row));
  return refused === undefined ? undefined : `${JSON.stringify(refused)}: ${ajv.errorsText(validate.errors)}`;
}

/** Each declared place with its schema: `/name` for a property, `[]` for the elements of an array. */
function places(schema: JsonSchema, path: string): [string, JsonSchema][] {
  const inside = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    places(property, `${path}/${name}`),
  );
  const elements = schema.items === undefined ? [] : places(schema.items, `${path}[]`);
  return [[path, schema], ...inside, ...elements];
}

/** Paths at which the rows contain something other than null. */
function valuedPaths(value: unknown, path: string): string[] {
  if (value === null) return [];
  if (Array.isArray(value)) return [path, ...value.flatMap((item) => valuedPaths(item, `${path}[]`))];
  if (typeof value !== 'object') return [path];
  return [path, ...Object.entries(value).flatMap(([name, item]) => valuedPaths(item, `${path}/${name}`))];
}

const typesOf = (schema: JsonSchema) => [schema.type ?? []].flat();
const parsed = (rows: readonly string[]) => rows.map((row): unknown => JSON.parse(row));

test('every sampled row validates', () => {
  fc.assert(
    fc.property(sampledRows, fc.constantFrom(base, { type: 'object' }), (rows, shipped) => {
      expect(complaint(widenSchema(shipped, rows), parsed(rows))).toBeUndefined();
    }),
    { numRuns },
  );
});

test('the order of rows does not matter', () => {
  const shuffled = sampledRows.chain((rows) =>
    fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
  );
  fc.assert(
    fc.property(shuffled, ([rows, others]) => {
      expect(JSON.stringify(widenSchema(base, others))).toBe(JSON.stringify(widenSchema(base, rows)));
    }),
    { numRuns },
  );
});

test('more rows only widen: types found in fewer rows are accepted at the same place', () => {
  const declared = new Set(places(base, '').map(([path]) => path));
  fc.assert(
    fc.property(sampledRows, sampledRows, (rows, more) => {
      const wide = new Map(places(widenSchema(base, [...rows, ...more]), ''));
      const valued = new Set(parsed(rows).flatMap((row) => valuedPaths(row, '')));
      for (const [path, schema] of places(widenSchema(base, rows), '')) {
        const wider = wide.get(path);
        expect(wider, `${path} stays declared`).toBeDefined();
        if (wider?.type === undefined) {
          expect(schema.type, `${path} was open before`).toBeUndefined();
        } else if (declared.has(path) || valued.has(path)) {
          const accepted = typesOf(wider).includes('number')
            ? [...typesOf(wider), 'integer']
            : typesOf(wider);
          expect(accepted, path).toEqual(expect.arrayContaining(typesOf(schema)));
        } else {
          expect(schema, `${path} is a placeholder`).toEqual({ type: ['null', 'string'] });
        }
      }
    }),
    { numRuns },
  );
});

/** Rows, and the same rows with an additional one that is composed of their members. */
const withMix = regularMembers.chain((rows) =>
  fc
    .tuple(fc.infiniteStream(fc.boolean()), fc.nat())
    .map(([picks, at]): [rows: readonly string[], mixed: readonly string[]] => {
      const plain = rows.map(rowText);
      const mix = new Map(rows.flat().filter(() => picks.next().value));
      return [plain, rows.length === 0 ? plain : plain.toSpliced(at % rows.length, 0, rowText([...mix]))];
    }),
);

test('a row without a new kind of value changes nothing, byte for byte', () => {
  fc.assert(
    fc.property(withMix, ([rows, mixed]) => {
      expect(JSON.stringify(widenSchema(base, mixed))).toBe(JSON.stringify(widenSchema(base, rows)));
    }),
    { numRuns },
  );
});

/** True if a column of a declared type keeps the text of a value exactly, computed independently. */
const keeps: Readonly<Record<string, (text: string) => boolean>> = {
  integer: (text) => /^-?\d+$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text),
  number: (text) => /^-?\d/.test(text) && Math.abs(Number(text)) < 1e29,
  boolean: (text) => text === 'true' || text === 'false',
  time: (text) => text.endsWith('Z"') && text.length === 22 && !Number.isNaN(Date.parse(text.slice(1, -1))),
  string: () => true,
  object: (text) => text.startsWith('{'),
  array: (text) => text.startsWith('['),
};

test('each value fits the column that is declared for it', () => {
  fc.assert(
    fc.property(regularMembers, (rows) => {
      const { properties = {} } = widenSchema({ type: 'object' }, rows.map(rowText));
      for (const [name, text] of rows.flat()) {
        const schema = new Map(Object.entries(properties)).get(name) ?? {};
        const [, first = 'string'] = typesOf(schema);
        const kept = schema.format === undefined ? first : 'time';
        if (text !== 'null') expect(keeps[kept]?.(text), `${text} in ${JSON.stringify(schema)}`).toBe(true);
      }
    }),
    { numRuns },
  );
});

test('the schema follows the rules of the platform', () => {
  const keywords = new Set(['type', 'format', 'airbyte_type', 'properties', 'items', 'additionalProperties']);
  fc.assert(
    fc.property(sampledRows, (rows) => {
      expect(ajv.validateSchema(widenSchema({ type: 'object' }, rows)), 'draft-07').toBe(true);
      const [root, ...inner] = places(widenSchema({ type: 'object' }, rows), '');
      expect(root?.[1].type).toBe('object');
      for (const [path, schema] of [...(root === undefined ? [] : [root]), ...inner]) {
        const types = typesOf(schema);
        expect(
          Object.keys(schema).filter((keyword) => !keywords.has(keyword)),
          path,
        ).toEqual([]);
        expect(new Set(types).size, path).toBe(types.length);
        expect(schema.additionalProperties, path).toBe(types.includes('object') ? true : undefined);
        expect(schema.properties !== undefined, path).toBe(types.includes('object'));
        if (path !== '' && schema.type !== undefined) expect(types[0], path).toBe('null');
        if (schema.airbyte_type !== undefined) expect(types, path).toEqual(['null', 'string']);
        // which loaders treat as text: for other unions some use the first type, and some the widest
        if (types.length > 2) expect(types[1], path).toBe('string');
      }
    }),
    { numRuns },
  );
});

test('a declared place never loses its type or its annotations, nor the base its order', () => {
  fc.assert(
    fc.property(sampledRows, (rows) => {
      const before = structuredClone(base);
      const widened = widenSchema(base, rows);
      expect(base).toEqual(before);
      const wide = new Map(places(widened, ''));
      for (const [path, { type, properties: _inside, additionalProperties: _open, ...shipped }] of places(
        base,
        '',
      )) {
        const now = wide.get(path);
        expect(typesOf(now ?? {}), path).toEqual(expect.arrayContaining([type ?? []].flat()));
        expect(now, path).toMatchObject(shipped);
      }
      // JavaScript itself puts the name `7` first.
      const order = Object.keys(widened.properties ?? {}).filter((name) => name !== '7');
      expect(order.slice(0, 5)).toEqual(Object.keys(base.properties ?? {}));
      expect(order.slice(5)).toEqual(order.slice(5).toSorted());
    }),
    { numRuns },
  );
});
