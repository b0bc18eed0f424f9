import { isDeepStrictEqual } from 'node:util';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { pageText } from './json-text.test-support.ts';
import { BadPageError, parsePage } from './page.ts';
import { textsOf } from './row.test-support.ts';
import { rowValue } from './row.ts';

function refusal(body: Buffer | string): string {
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

test('each row holds the text of its item byte for byte, whatever stands around it', () => {
  fc.assert(
    fc.property(pageText, ({ text, items }) => {
      const { rows } = parsePage(Buffer.from(text));
      expect(textsOf(rows)).toStrictEqual(items);
      // toStrictEqual takes a member named constructor for a class
      const values = rows.map(rowValue);
      expect(isDeepStrictEqual(values, JSON.parse(`[${items.join(',')}]`))).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('the pagination object is that of metadata, and no other', () => {
  const text =
    '{"pagination":{"nextCursor":"no"},"items":[{"metadata":{"pagination":{"nextCursor":"no"}}}],' +
    '"metadata":{"metadata":{"pagination":{"nextCursor":"no"}},"pagination":{"nextCursor":"yes","items":[]}}}';
  expect(parsePage(Buffer.from(text)).pagination).toStrictEqual({ nextCursor: 'yes', items: [] });
});

test('a page that is cut off is refused at every byte', () => {
  const text =
    '\ufeff{ "metadata": {"items":[{"a":1}], "pagination": {"totalCount": 2}},\n "items": [{"a": "é\\u2028\\\\"}, {"b": 1.10}]}';
  const body = Buffer.from(text);
  expect(parsePage(body).rows).toHaveLength(2);
  for (let length = 0; length < body.length; length++)
    expect(refusal(body.subarray(0, length)), `cut behind ${length} bytes`).not.toBe('accepted');
});

test('an arbitrary page that is cut off is refused', () => {
  fc.assert(
    fc.property(pageText, fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), ({ text }, part) => {
      const body = Buffer.from(text);
      expect(refusal(body.subarray(0, Math.floor(part * body.length)))).not.toBe('accepted');
    }),
    { numRuns: 300 },
  );
});

test('items may be nested 10,000 deep', () => {
  const item = `{"a":${'[{"items":'.repeat(10_000)}[]${'}]'.repeat(10_000)}}`;
  const { rows } = parsePage(Buffer.from(`{"items":[${item},${item}],"metadata":{"pagination":{}}}`));
  expect(textsOf(rows)).toStrictEqual([item, item]);
});

test('of two members with one name the last one counts, as in JSON.parse', () => {
  expect(textsOf(parsePage(twice('[{"a":1}]', '[{"a":2},{"a":3}]')).rows)).toStrictEqual([
    '{"a":2}',
    '{"a":3}',
  ]);
  expect(refusal(twice('[{"a":1}]', 'null'))).toBe('the body has no array `items`');
});

function pageOfRows(rows: number): string {
  return `{"items":[${'{"a":1},'.repeat(rows - 1)}{"a":1}],"metadata":{"pagination":{}}}`;
}

test('as many rows as a page may have, and no more', () => {
  expect(parsePage(Buffer.from(pageOfRows(1_048_576))).rows).toHaveLength(1_048_576);
  expect(refusal(pageOfRows(1_048_577))).toBe('the page has more than 1048576 items');
});

/** A name in JSON with each character escaped. */
function escaped(name: string): string {
  const codes = name.replaceAll(/./g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
  return `"${codes}"`;
}

test('names are found whichever way they are written, and no others', () => {
  const space = ' '.repeat(300);
  const text =
    `{${escaped('metadata')}${space}:{"${'x'.repeat(100)}":1,"":2,${escaped('pagination')}${space}:{"offset":7}},` +
    `${escaped('items')}${space}:[{"a":1}],"item":0,"":"","metadat":{"pagination":8}}`;
  const { rows, pagination } = parsePage(Buffer.from(text));
  expect(textsOf(rows)).toStrictEqual(['{"a":1}']);
  expect(pagination).toStrictEqual({ offset: 7 });
});

test('of metadata and pagination that stand twice the last ones count', () => {
  const items = '{"items":[{"a":1}],"metadata":{"pagination":{"offset":1}},';
  expect(
    parsePage(Buffer.from(`${items}"metadata":{"pagination":{"offset":2},"pagination":{"offset":3}}}`))
      .pagination,
  ).toStrictEqual({ offset: 3 });
  for (const metadata of ['{}', 'null', '[]', '{"pagination":{},"pagination":1}'])
    expect(refusal(`${items}"metadata":${metadata}}`)).toBe('the body has no object `metadata.pagination`');
});

function pageWithCursor(length: number): string {
  return `{"items":[],"metadata":{"pagination":{"nextCursor":"${'x'.repeat(length)}"}}}`;
}

test('a pagination object may hold a long cursor, but is no place for megabytes', () => {
  const { pagination } = parsePage(Buffer.from(pageWithCursor(200_000)));
  expect(pagination['nextCursor']).toHaveLength(200_000);
  expect(refusal(pageWithCursor(300_000))).toBe('`metadata.pagination` is larger than 262144 bytes');
});

describe('what is no page says why', () => {
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
    ['{"items":null,"metadata":{"pagination":{}}}', 'the body has no array `items`'],
    ['{"items":{},"metadata":{"pagination":{}}}', 'the body has no array `items`'],
    ['{"data":{"items":[]},"metadata":{"pagination":{}}}', 'the body has no array `items`'],
    ['{"items":[]}', 'the body has no object `metadata.pagination`'],
    ['{"items":[],"metadata":null}', 'the body has no object `metadata.pagination`'],
    ['{"items":[],"metadata":{"pagination":[]}}', 'the body has no object `metadata.pagination`'],
    ['{"items":[],"metadata":{"pagination":null}}', 'the body has no object `metadata.pagination`'],
    ['{"items":[],"pagination":{}}', 'the body has no object `metadata.pagination`'],
    ['{"items":[{"a":1},{}],"metadata":{"pagination":{}}}', 'items[1] is not an object with fields'],
    ['{"items":[null],"metadata":{"pagination":{}}}', 'items[0] is not an object with fields'],
    ['{"items":[[1]],"metadata":{"pagination":{}}}', 'items[0] is not an object with fields'],
    ['{"items":["a"],"metadata":{"pagination":{}}}', 'items[0] is not an object with fields'],
  ])('%s', (body, words) => {
    expect(refusal(body)).toBe(words);
  });
});
