import { expect, test } from 'vitest';
import { filledPaths, schemaPaths, strictValidator } from './record-rules.ts';

const date = { type: 'string', format: 'date-time' };
const faults = strictValidator({ properties: { count: { type: 'integer' }, at: date } });

test.each([
  ['{"count":9007199254740993}', 0],
  ['{"count":1.0}', 1],
  ['{"count":1E3}', 1],
  ['{"count":"1"}', 1],
  ['{"at":"2026-01-01T00:00:00.123Z","other":"1.5 \\" 2.5"}', 0],
  ['{"at":"2026-01-01"}', 1],
])('records are validated strictly: %s', (text, count) => {
  expect(faults(text)).toHaveLength(count);
});

test('paths of rows and schemas have the same form', () => {
  const row = { a: [{ b: 1 }, { c: null }], d: null };
  expect(filledPaths(row, '$')).toStrictEqual(['$', '$.a', '$.a[]', '$.a[].b', '$.a[]']);
  const inner = { type: 'object', properties: { b: {}, c: {} } };
  const paths = schemaPaths({ properties: { a: { items: inner }, d: {} } });
  expect(paths.join(' ')).toBe('$ $.a $.a[] $.a[].b $.a[].c $.d');
});
