import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../property-runs.test-support.ts';
import { pageText } from './json-text.test-support.ts';
import { BadPageError, extraValue, parsePage } from './page.ts';
import { rowValue, textsOf } from './row.test-support.ts';

function rejection(body: Buffer | string): string {
  try {
    parsePage(Buffer.from(body));
  } catch (error) {
    expect(error).toBeInstanceOf(BadPageError);
    return (error as Error).message;
  }
  return 'accepted';
}

function twice(first: string, last: string): Buffer {
  return Buffer.from(`{"items":${first},"metadata":{"pagination":{}},"\\u0069tems":${last}}`);
}

test('each row has the text of its item byte for byte, whatever surrounds it', () => {
  fc.assert(
    fc.property(pageText, ({ text, items }) => {
      const { rows } = parsePage(Buffer.from(text));
      expect(textsOf(rows)).toStrictEqual(items);
      // toStrictEqual takes a member named constructor for a class
      const values = rows.map(rowValue);
      expect(isDeepStrictEqual(values, JSON.parse(`[${items.join(',')}]`))).toBe(true);
    }),
    { numRuns: runs(500) },
  );
});

test('the pagination object is that of metadata', () => {
  const text =
    '{"pagination":{"nextCursor":"no"},"items":[{"metadata":{"pagination":{"nextCursor":"no"}}}],' +
    '"metadata":{"metadata":{"pagination":{"nextCursor":"no"}},"pagination":{"nextCursor":"yes","items":[]}}}';
  expect(parsePage(Buffer.from(text)).pagination).toStrictEqual({ nextCursor: 'yes', items: [] });
});

test('a page truncated at any byte is rejected', () => {
  const text =
    '\ufeff{ "metadata": {"items":[{"a":1}], "pagination": {"totalCount": 2}},\n "items": [{"a": "é\\u2028\\\\"}, {"b": 1.10}]}';
  const body = Buffer.from(text);
  expect(parsePage(body).rows).toHaveLength(2);
  for (let length = 0; length < body.length; length++)
    expect(rejection(body.subarray(0, length)), `truncated after ${length} bytes`).not.toBe('accepted');
});

test('an arbitrary truncated page is rejected', () => {
  fc.assert(
    fc.property(pageText, fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), ({ text }, part) => {
      const body = Buffer.from(text);
      expect(rejection(body.subarray(0, Math.floor(part * body.length)))).not.toBe('accepted');
    }),
    { numRuns: runs(300) },
  );
});

test('items may be nested 10,000 deep', () => {
  const item = `{"a":${'[{"items":'.repeat(10_000)}[]${'}]'.repeat(10_000)}}`;
  const { rows } = parsePage(Buffer.from(`{"items":[${item},${item}],"metadata":{"pagination":{}}}`));
  expect(textsOf(rows)).toStrictEqual([item, item]);
});

test('a page with rows in several members named items is rejected, since rows would be lost', () => {
  const lost = 'the body has `items` more than once, so rows would be lost';
  expect(rejection(twice('[{"a":1}]', '[{"a":2}]'))).toBe(lost);
  expect(rejection(twice('[{"a":1}]', '[]'))).toBe(lost);
  expect(rejection(twice('[{"a":1}]', 'null'))).toBe(lost);
});

test('the last one of duplicate members counts, as in JSON.parse', () => {
  expect(textsOf(parsePage(twice('[ ]', '[{"a":2},{"a":3}]')).rows)).toStrictEqual(['{"a":2}', '{"a":3}']);
  expect(rejection(twice('[]', '{"a":1}'))).toBe('the body has no array `items`');
  expect(parsePage(twice('[]', 'null')).rows).toStrictEqual([]);
  expect(textsOf(parsePage(twice('null', '[{"a":1}]')).rows)).toStrictEqual(['{"a":1}']);
});

function pageOfRows(rows: number): string {
  return `{"items":[${'{"a":1},'.repeat(rows - 1)}{"a":1}],"metadata":{"pagination":{}}}`;
}

test('the number of rows of a page is limited', () => {
  expect(parsePage(Buffer.from(pageOfRows(1_048_576))).rows).toHaveLength(1_048_576);
  expect(rejection(pageOfRows(1_048_577))).toBe('the page has more than 1048576 items');
});

/** A name in JSON with each character escaped. */
function escaped(name: string): string {
  const codes = name.replaceAll(/./g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
  return `"${codes}"`;
}

test('members are found by name, escaped or not', () => {
  const space = ' '.repeat(300);
  const text =
    `{${escaped('metadata')}${space}:{"${'x'.repeat(100)}":1,"":2,${escaped('pagination')}${space}:{"offset":7}},` +
    `${escaped('items')}${space}:[{"a":1}],"item":0,"":"","metadat":{"pagination":8}}`;
  const { rows, pagination } = parsePage(Buffer.from(text));
  expect(textsOf(rows)).toStrictEqual(['{"a":1}']);
  expect(pagination).toStrictEqual({ offset: 7 });
});

test.each([
  ['9007199254740993', '9007199254740993'],
  ['1706699999.50', '1706699999.50'],
  ['7', '7'],
  ['0', ''],
  ['"7"', '7'],
  ['null', null],
  ['false', false],
])('a cursor that is written as %s is %j', (written, cursor) => {
  const text = `{"items":[],"metadata":{"pagination":{"more":{"nextCursor":1},"nextCursor":${written}}}}`;
  expect(parsePage(Buffer.from(text)).pagination['nextCursor']).toBe(cursor);
});

test('members beside the rows of a page are told, wherever they are', () => {
  const text =
    '{"error":"busy","items":[{"error":1}],"metadata":{"more" : true ,"pagination":{"error":2},"\\u006eext":{"a":[]}},"next":"x"}';
  const { extras } = parsePage(Buffer.from(text));
  expect(extras.map((extra) => [extra.level, extra.name, extraValue(extra)])).toStrictEqual([
    ['page', 'error', 'busy'],
    ['metadata', 'more', true],
    ['metadata', 'next', { a: [] }],
    ['page', 'next', 'x'],
  ]);
});

test('of a long member beside a page the start of its text is told', () => {
  const text = `{"items":[],"metadata":{"pagination":{}},"errors":["${'x'.repeat(300_000)}"],"${'y'.repeat(300)}":1}`;
  const { extras } = parsePage(Buffer.from(text));
  expect(extras.map(extraValue)).toStrictEqual([`["${'x'.repeat(262_142)}`]);
});

test.each(['', ',"metadata":{}', ',"metadata":null', ',"metadata":{"pagination":null}', ',"totalCount":0'])(
  'a page without rows and pagination is bare: {"items":[]%s}',
  (rest) => {
    const { rows, pagination, isBare } = parsePage(Buffer.from(`{"items":[ ]${rest}}`));
    expect({ rows, pagination, isBare }).toStrictEqual({ rows: [], pagination: {}, isBare: true });
    expect(rejection(`{"items":[{"a":1}]${rest}}`)).toBe('the body has no object `metadata.pagination`');
  },
);

test('the last ones of duplicate metadata and pagination count', () => {
  const items = '{"items":[{"a":1}],"metadata":{"pagination":{"offset":1}},';
  expect(
    parsePage(Buffer.from(`${items}"metadata":{"pagination":{"offset":2},"pagination":{"offset":3}}}`))
      .pagination,
  ).toStrictEqual({ offset: 3 });
  for (const metadata of ['{}', 'null', '[]', '{"pagination":{},"pagination":1}'])
    expect(rejection(`${items}"metadata":${metadata}}`)).toBe('the body has no object `metadata.pagination`');
});

function pageWithCursor(length: number): string {
  return `{"items":[],"metadata":{"pagination":{"nextCursor":"${'x'.repeat(length)}"}}}`;
}

test('a pagination object may contain a long cursor, but its size is limited', () => {
  const { pagination } = parsePage(Buffer.from(pageWithCursor(200_000)));
  expect(pagination['nextCursor']).toHaveLength(200_000);
  expect(rejection(pageWithCursor(300_000))).toBe('`metadata.pagination` is larger than 262144 bytes');
});

describe('the error for a body that is not a page', () => {
  test.each<[body: Buffer | string, words: string]>([
    ['', 'the body is empty'],
    [' \n', 'the body is not valid JSON'],
    ['<!doctype html><title>Sign in</title>', 'the body is not valid JSON'],
    [
      Buffer.from('{"items":[{"a":"\xff"}],"metadata":{"pagination":{}}}', 'latin1'),
      'the body is not valid UTF-8',
    ],
    ['{"items":[],"metadata":{"pagination":{}}}{}', 'the body is not valid JSON'],
    ['null', 'the body is not a JSON object'],
    ['[]', 'the body is not a JSON object'],
    ['"text"', 'the body is not a JSON object'],
    ['{}', 'the body has no array `items`'],
    ['{"error":"busy"}', 'the body has no array `items`'],
    ['{"items":null}', 'the body has no object `metadata.pagination`'],
    ['{"items":"","metadata":{"pagination":{}}}', 'the body has no array `items`'],
    ['{"items":{"a":1},"metadata":{"pagination":{}}}', 'the body has no array `items`'],
    ['{"data":{"items":[]},"metadata":{"pagination":{}}}', 'the body has no array `items`'],
    ['{"items":[],"metadata":{"pagination":[]}}', 'the body has no object `metadata.pagination`'],
    ['{"items":[],"pagination":{}}', 'the body has no object `metadata.pagination`'],
    ['{"items":[{"a":1},{}],"metadata":{"pagination":{}}}', 'items[1] is not an object with fields'],
    ['{"items":[null],"metadata":{"pagination":{}}}', 'items[0] is not an object with fields'],
    ['{"items":[[1]],"metadata":{"pagination":{}}}', 'items[0] is not an object with fields'],
    ['{"items":["a"],"metadata":{"pagination":{}}}', 'items[0] is not an object with fields'],
  ])('%s', (body, words) => {
    expect(rejection(body)).toBe(words);
  });
});
