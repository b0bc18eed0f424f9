import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../property-runs.test-support.ts';
import { alikeItems, itemText } from './json-text.test-support.ts';
import { rowOf, rowsOf, rowValue } from './row.test-support.ts';
import { MEMBER, memberName, partsOf, scalarMember, valueText, type Row } from './row.ts';

/** Where the row's members are among its places. */
function membersOf({ firstPlace, endPlace }: Row): number[] {
  return Array.from({ length: (endPlace - firstPlace) / MEMBER }, (_, index) => firstPlace + index * MEMBER);
}

function memberNames(row: Row): string[] {
  return membersOf(row).map((at) => memberName(row, at));
}

test('a scalar member equals the result of JSON.parse, but a number keeps all digits', () => {
  fc.assert(
    fc.property(itemText, (item) => {
      const row = rowOf(item);
      const value = rowValue(row);
      expect([...new Set(memberNames(row))].toSorted()).toStrictEqual(Object.keys(value).toSorted());
      for (const [name, expected] of Object.entries(value)) {
        const member = scalarMember(row, name);
        if (typeof expected === 'string') expect(member).toStrictEqual({ kind: 'text', text: expected });
        else if (typeof expected === 'number') {
          expect(member?.kind).toBe('number');
          expect(Object.is(JSON.parse(member?.text ?? ''), expected)).toBe(true);
          expect(item).toContain(member?.text);
        } else expect(member).toBeUndefined();
      }
      expect(scalarMember(row, 'not there')).toBeUndefined();
    }),
    { numRuns: runs(1000) },
  );
});

test('members are found in items with the same names and in others between them', () => {
  fc.assert(
    fc.property(alikeItems, (items) => {
      const [rows, alone] = [rowsOf(items), items.map(rowOf)];
      // one name in all of them in turn, as paging asks: what was found in one item must not be taken for the next
      for (const name of new Set([...alone.flatMap(memberNames), 'not there'])) {
        const expected = alone.map((row) => scalarMember(row, name));
        expect(rows.map((row) => scalarMember(row, name))).toStrictEqual(expected);
      }
    }),
    { numRuns: runs(1000) },
  );
});

test.each<[item: string, name: string, text: string | undefined]>([
  ['{"wanted":0,"in":{"wanted":1},"w\\u0061nted" : 9007199254740993 }', 'wanted', '9007199254740993'],
  ['{"wanted":1.10}', 'wanted', '1.10'],
  ['{"wanted":-0.0\n}', 'wanted', '-0.0'],
  ['{"wanted":1E-7 ,"a":2}', 'wanted', '1E-7'],
  ['{"wanted":"1","wanted":null}', 'wanted', undefined],
  ['{"wanted2":1}', 'wanted', undefined],
  ['{"want":1}', 'wanted', undefined],
  ['{"größe":"ja"}', 'größe', 'ja'],
  ['{"gr\\u00f6ße":"j\\u0061"}', 'größe', 'ja'],
  ['{"\u9000":1}', 'é\u0080\u0080', undefined],
  ['{"a\\"b":7}', 'a"b', '7'],
  ['{"":"empty"}', '', 'empty'],
])('%s: %s', (item, name, text) => {
  expect(scalarMember(rowOf(item), name)?.text).toBe(text);
});

test('the names of members and the texts of their values have no surrounding whitespace', () => {
  const row = rowOf('{ "a" : "x, }" ,"b":[1, {"c":2} ]\n,"b" : -1.0e5 }');
  expect(membersOf(row).map((at) => valueText(row, at))).toStrictEqual(['"x, }"', '[1, {"c":2} ]', '-1.0e5']);
  expect(memberNames(row)).toStrictEqual(['a', 'b', 'b']);
});

test('a large item is split into objects of a few members, without its largest values', () => {
  const [row] = [rowOf({ a: 1, b: 'x'.repeat(100), c: [{ d: 'y'.repeat(300) }], 'e"': null })];
  expect([...partsOf(row, 1000)].map((part) => JSON.parse(part) as unknown)).toStrictEqual([rowValue(row)]);
  const parts = [...partsOf(row, 110)].map((part) => JSON.parse(part) as Record<string, unknown>);
  expect(parts.length).toBeGreaterThan(1);
  expect(Object.fromEntries(parts.flatMap(Object.entries))).toStrictEqual({
    a: 1,
    b: 'x'.repeat(100),
    c: [],
    'e"': null,
  });
});
