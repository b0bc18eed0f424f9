import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../property-runs.test-support.ts';
import { NONE, scannerOf } from './json-scanner.ts';
import { alikeItems, isJson, jsonText } from './json-text.test-support.ts';
import { ValueKind } from './value-kind.ts';

function isAccepted(text: string): boolean {
  const bytes = Buffer.from(text);
  const { invalid, skipSpace, skipValue } = scannerOf(bytes);
  const end = skipValue(skipSpace(0));
  return end !== invalid && skipSpace(end) === bytes.length;
}

/** More than there are in any text. */
const ENOUGH = 1_000_000;

function itemsAlone(text: string): Uint32Array {
  const { skipItems, items } = scannerOf(Buffer.from(`[${text}]`));
  skipItems(0, ENOUGH);
  return items();
}

interface Element {
  readonly text: string;
  /** Each name as it is written. */
  readonly names: readonly string[];
  readonly alikeSince: number;
}

/** The elements as the scanner's table has them. */
function elementsIn(bytes: Buffer, table: Uint32Array): readonly Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < table.length;) {
    const [start, end, members = 0, alikeSince = -1] = table.subarray(at, at + 4);
    const places = table.subarray(at + 4, at + 4 + 3 * members);
    const names = Array.from({ length: members }, (_, index) =>
      bytes.toString('utf8', places[3 * index], places[3 * index + 1]).replace(/[\s:]*$/, ''),
    );
    elements.push({ text: bytes.toString('utf8', start, end), names, alikeSince });
    at += 4 + 3 * members;
  }
  return elements;
}

const OPEN_BRACKET = 0x5b;

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
const damagedOf = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .record({
      text: texts,
      place: fc.double({ min: 0, max: 1, noNaN: true }),
      cut: fc.nat({ max: 3 }),
      piece: fc.oneof(fc.constantFrom('', ...PIECES), fc.string({ maxLength: 2 })),
    })
    .map(({ text, place, cut, piece }) => {
      const at = Math.floor(place * text.length);
      return text.slice(0, at) + piece + text.slice(at + cut);
    });

test('text is accepted or rejected as by JSON.parse', () => {
  const seen = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(damagedOf(jsonText), (text) => {
      // UTF-8 cannot contain a lone surrogate
      const sent = Buffer.from(text).toString();
      seen[isJson(sent) ? 'accepted' : 'refused']++;
      expect(isAccepted(sent)).toBe(isJson(sent));
    }),
    { numRuns: runs(5000, 1 / 10) },
  );
  expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(40);
});

test('items with the same names are scanned as strictly, and recognized', () => {
  const seen = { accepted: 0, refused: 0, alike: 0 };
  const array = alikeItems.map((items) => `[${items.join(',')}]`);
  fc.assert(
    fc.property(damagedOf(array), (damaged) => {
      const sent = Buffer.from(damaged);
      const { invalid, skipItems, skipSpace, items } = scannerOf(sent);
      fc.pre(sent[0] === OPEN_BRACKET);
      const end = skipItems(0, ENOUGH);
      const isTaken = end !== invalid && skipSpace(end) === sent.length;
      expect(isTaken).toBe(isJson(sent.toString()));
      seen[isTaken ? 'accepted' : 'refused']++;
      if (!isTaken) return;
      let first: readonly string[] = [];
      for (const [index, { text, names, alikeSince }] of elementsIn(sent, items()).entries()) {
        const [alone] = elementsIn(Buffer.from(`[${text}]`), itemsAlone(text));
        expect(names).toStrictEqual(alone?.names);
        if (alikeSince === index) first = names;
        else {
          seen.alike++;
          expect(names).toStrictEqual(first);
        }
      }
    }),
    { numRuns: runs(1500, 1 / 4) },
  );
  expect(Math.min(seen.accepted, seen.refused, seen.alike)).toBeGreaterThan(20);
});

test('texts of a few tokens are accepted or rejected as by JSON.parse', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }), (pieces) => {
      const text = pieces.join('');
      expect(isAccepted(text)).toBe(isJson(text));
    }),
    { numRuns: runs(20_000) },
  );
});

test('the remains of an earlier, longer text have no effect', () => {
  const longer = `{"a":[1,"b",{"c":true}],"d":${'[1,2],'.repeat(50)}0}`;
  for (let length = 0; length < longer.length; length++) {
    expect(isAccepted(longer.replaceAll(',0}', ']}'))).toBe(false);
    const text = longer.slice(0, length);
    expect(isAccepted(text), text).toBe(isJson(text));
  }
});

test('nesting is limited only by the length of the text', () => {
  const depth = 300_000;
  const deep = '[{"a":'.repeat(depth) + '0' + '}]'.repeat(depth);
  expect(isAccepted(deep)).toBe(true);
  expect(isAccepted(deep.slice(0, -1))).toBe(false);
  expect(isAccepted(`${deep.slice(0, -1)}}`)).toBe(false);
});

test('the memory grows with the number of items', () => {
  const count = 400_000;
  const text = Buffer.from(`[${'{"a":1},'.repeat(count)}{"b":2}]`);
  const { skipItems, oddItem, items } = scannerOf(text);
  expect(skipItems(0, ENOUGH)).toBe(text.length);
  expect(oddItem.value).toBe(NONE);
  const places = items();
  expect(places).toHaveLength((count + 1) * 7);
  const [next, last] = [text.length - 16, text.length - 8];
  const { integer } = ValueKind;
  expect([...places.subarray(-14, -7)]).toStrictEqual([next, next + 7, 1, 0, next + 1, next + 5, integer]);
  expect([...places.subarray(-7)]).toStrictEqual([last, last + 7, 1, count, last + 1, last + 5, integer]);
});

test.each([
  ['1,1', 0],
  ['{}', 0],
  ['{"a":1},[{"b":2}],{"c":3}', 1],
  ['{"a":1},{"b":2},{ },{}', 2],
  ['{"a":1},{"b":2},{"c":3},{"d":4}', 3],
  ['{"a":1},{"b":2},{"c":3},4', 3],
])('the table of [%s] ends before the odd item or the fourth', (text, odd) => {
  const bytes = Buffer.from(`[${text}]`);
  const { skipItems, oddItem, items } = scannerOf(bytes);
  expect(skipItems(0, 3)).toBe(bytes.length);
  expect(oddItem.value).toBe(odd);
  expect(elementsIn(bytes, items()).map((element) => element.text)).toStrictEqual(
    ['{"a":1}', '{"b":2}', '{"c":3}'].slice(0, odd),
  );
});

test('the text after an odd item must be valid JSON too', () => {
  for (const [text, max] of [
    ['[1,{"a":}]', 3],
    ['[{"a":1},{"b":2},nul]', 1],
  ] as const) {
    const { skipItems, invalid } = scannerOf(Buffer.from(text));
    expect(skipItems(0, max)).toBe(invalid);
  }
});
