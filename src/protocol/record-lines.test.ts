import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../property-runs.test-support.ts';
import { pageText } from '../rows/json-text.test-support.ts';
import { parsePage } from '../rows/page.ts';
import type { Row } from '../rows/row.ts';
import { isOneLine } from './line-ends.test-support.ts';
import { recordLines } from './record-lines.ts';

const roomFor = (length: number): Buffer => Buffer.allocUnsafe(length);

const HEAD = '{"type":"RECORD","record":{"stream":"assets","emitted_at":7,"data":';

function linesOf(rows: readonly Row[]): string {
  return recordLines('assets', rows, 7, roomFor).toString();
}

function dataOf(pageBody: string): string[] {
  const text = linesOf(parsePage(Buffer.from(pageBody)).rows);
  if (text === '') return [];
  expect(text.endsWith('}}\n')).toBe(true);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => {
      expect(isOneLine(line)).toBe(true);
      expect(line.startsWith(HEAD)).toBe(true);
      return line.slice(HEAD.length, -2);
    });
}

/** The item's text with the replacements that `recordLines` makes, and nothing else changed. */
function onOneLine(item: string): string {
  return item
    .replaceAll(/[\n\r]/g, ' ')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
    .replaceAll('\u0085', '\\u0085');
}

test('the data of each line is the text of its item, except for what would break the line', () => {
  fc.assert(
    fc.property(pageText, ({ text, items }) => {
      const data = dataOf(text);
      expect(data).toStrictEqual(items.map(onOneLine));
      // toStrictEqual takes a member named constructor for a class
      expect(isDeepStrictEqual(JSON.parse(`[${data.join(',')}]`), JSON.parse(`[${items.join(',')}]`))).toBe(
        true,
      );
    }),
    { numRuns: runs(500) },
  );
});

test('what would break a line is found anywhere in a page', () => {
  for (const breaking of ['\u0085', '\u2028', '\u2029'])
    for (let before = 0; before < 20; before++) {
      const text = `${'x'.repeat(before)}${breaking.repeat(1 + 99 * (before % 2))}y`;
      for (const item of [`{"a":"${text}"}`, `{"${text}":1}`, `{"a":{"b":["\\"${text}"]}}`])
        expect(dataOf(`{"items":[{"a":1},${item}],"metadata":{"pagination":{}}}`)[1]).toBe(onOneLine(item));
    }
  for (const breaking of ['\n', '\r'])
    for (const item of [
      `{${breaking}"a":1}`,
      `{"a"${breaking}:1}`,
      `{"a":${breaking}1}`,
      `{"a":[ 1${breaking}]}`,
    ])
      expect(dataOf(`{"items":[{"a":1},${item}],"metadata":{"pagination":{}}}`)[1]).toBe(onOneLine(item));
});

test('numbers keep all digits, keys their order, and strings their escapes', () => {
  const item =
    '{"b":9007199254740993,"a":[1.10,-0.0,1E-7,1e400],"2":0,"1":0,"a":"\\u00e9\\/\\ud800","t":"\tend"}'.replace(
      '\t',
      '\\t',
    );
  expect(dataOf(`{"items":[${item}],"metadata":{"pagination":{}}}`)).toStrictEqual([item]);
});

test('each line is a complete RECORD message of one row', () => {
  const page = parsePage(
    Buffer.from('{"items":[{"a":1},\r\n{"b":{\n"c":"\u2028"}}],"metadata":{"pagination":{}}}'),
  );
  const lines = recordLines('a "quoted"\u2028 stream', page.rows, 1_700_000_000_000, roomFor).toString();
  expect(
    lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toStrictEqual(
    [{ a: 1 }, { b: { c: '\u2028' } }].map((data) => ({
      type: 'RECORD',
      record: { stream: 'a "quoted"\u2028 stream', emitted_at: 1_700_000_000_000, data },
    })),
  );
});

test('rows of several pages keep their own bytes, and no rows result in no bytes', () => {
  const one = parsePage(Buffer.from('{"items":[{"a":"\u0085"}],"metadata":{"pagination":{}}}'));
  const two = parsePage(Buffer.from('{"items":[{"b":1.0}],"metadata":{"pagination":{}}}'));
  const lines = linesOf([...two.rows, ...one.rows, ...two.rows]);
  expect(lines).toBe([`${HEAD}{"b":1.0}}}\n`, `${HEAD}{"a":"\\u0085"}}}\n`, `${HEAD}{"b":1.0}}}\n`].join(''));
  expect(linesOf([])).toBe('');
});

test('rows of one page may be written in any order', () => {
  const page = parsePage(
    Buffer.from('{"items":[{"a":"\u0085"},{"b":"\u2028"},{"c":1}],"metadata":{"pagination":{}}}'),
  );
  const [a, b, c] = page.rows.map((row) => linesOf([row]));
  expect(linesOf(page.rows.toReversed())).toBe(`${c}${b}${a}`);
  expect(a).toBe(`${HEAD}{"a":"\\u0085"}}}\n`);
});
