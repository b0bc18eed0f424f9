import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { isJson, jsonText } from './json-text.test-support.ts';
import { INVALID, scannerOf } from './json-scanner.ts';

function isAccepted(text: string): boolean {
  const bytes = Buffer.from(text);
  const { skipSpace, skipValue } = scannerOf(bytes);
  const end = skipValue(skipSpace(0));
  return end !== INVALID && skipSpace(end) === bytes.length;
}

const PIECES = [
  ...'{}[],:"\\ \n\t0123456789.-+eEtfnua/'.split(''),
  '\\u12',
  '\\u12fG',
  '\\x',
  '\u0000',
  '\u001f',
  '\u007f',
  '\u00a0',
  '\u2028',
  '\ufeff',
  '\v',
  'true',
  'nul',
  '-',
  '01',
  '1.',
  '.5',
  '1e',
  '1e+',
  '[]',
  '{}',
  '""',
  '{"a":',
  '"a":1',
  ',,',
  'NaN',
  'Infinity',
  "'a'",
  '/**/',
];

/** A JSON text in which one piece has been put in, put over others, or cut out. */
const damaged = fc
  .record({
    text: jsonText,
    place: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.nat({ max: 3 }),
    piece: fc.oneof(fc.constantFrom('', ...PIECES), fc.string({ maxLength: 2 })),
  })
  .map(({ text, place, cut, piece }) => {
    const at = Math.floor(place * text.length);
    return text.slice(0, at) + piece + text.slice(at + cut);
  });

test('what JSON.parse takes is skipped, and what it refuses is refused', () => {
  const seen = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(damaged, (text) => {
      // a lone surrogate is no UTF-8: what is sent cannot hold one
      const sent = Buffer.from(text).toString();
      seen[isJson(sent) ? 'accepted' : 'refused']++;
      expect(isAccepted(sent)).toBe(isJson(sent));
    }),
    { numRuns: 5000 },
  );
  expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(200);
});

test('texts of a few pieces are judged as JSON.parse judges them', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }), (pieces) => {
      const text = pieces.join('');
      expect(isAccepted(text)).toBe(isJson(text));
    }),
    { numRuns: 20_000 },
  );
});

test('what an earlier, longer text left behind completes nothing', () => {
  const longer = `{"a":[1,"b",{"c":true}],"d":${'[1,2],'.repeat(50)}0}`;
  for (let length = 0; length < longer.length; length++) {
    expect(isAccepted(longer.replaceAll(',0}', ']}'))).toBe(false);
    const text = longer.slice(0, length);
    expect(isAccepted(text), text).toBe(isJson(text));
  }
});

test('a text may be nested as deep as it is long', () => {
  const depth = 300_000;
  const deep = '[{"a":'.repeat(depth) + '0' + '}]'.repeat(depth);
  expect(isAccepted(deep)).toBe(true);
  expect(isAccepted(deep.slice(0, -1))).toBe(false);
  expect(isAccepted(`${deep.slice(0, -1)}}`)).toBe(false);
});

test('more items than memory was made for are all found', () => {
  const count = 400_000;
  const text = Buffer.from(`[${'{"a":1},'.repeat(count)}{}]`);
  const { skipItems, items } = scannerOf(text);
  expect(skipItems(0)).toBe(text.length);
  const places = items();
  expect(places).toHaveLength(count * 5 + 3);
  expect([...places.subarray(-8)]).toStrictEqual([
    text.length - 11,
    text.length - 4,
    1,
    text.length - 10,
    text.length - 6,
    text.length - 3,
    text.length - 1,
    0,
  ]);
});
