import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { itemText, jsonText } from './json-text.test-support.ts';
import { memberText, scanItems } from './scan-items.ts';

test('elements of `items` of any kind are found, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(jsonText, { maxLength: 5 }), jsonText, (elements, other) => {
      const bytes = Buffer.from(`{"other":${other},"items":[ ${elements.join(' ,\n')}\t]}`);
      const ranges = scanItems(bytes);
      expect(ranges?.map(({ start, end }) => bytes.toString('utf8', start, end))).toStrictEqual(elements);
    }),
  );
});

test.each([
  '[]',
  '"items"',
  '1',
  'null',
  '{}',
  '{"items":"[]"}',
  '{"items":{"items":[]}}',
  '{"a":{"items":[1]}}',
])('%s has no top-level array `items`', (text) => {
  expect(scanItems(Buffer.from(text))).toBeNull();
});

test('the text of a member is found behind any others, the last one of its name', () => {
  fc.assert(
    fc.property(itemText, jsonText, (item, wanted) => {
      const object = `{"wanted":0,"in":{"wanted":1},${item.slice(1, -1)},"w\\u0061nted" : ${wanted} }`;
      const bytes = Buffer.from(`[1,${object}]`);
      const range = { start: 3, end: bytes.length - 1 };
      expect(memberText(bytes, range, 'wanted')).toBe(wanted);
      expect(memberText(bytes, range, 'not there')).toBeUndefined();
    }),
  );
});
