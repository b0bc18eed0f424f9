import { describe, expect, test } from 'vitest';
import { numberedPage as page } from './numbered-page.test-support.ts';
import type { NumberedPage } from './pass.ts';
import { countLines, moveOf, newOrder, repeatedLines, rowsLeftOut, type Move } from './seen.ts';

describe('a list', () => {
  const FIRST = page(0, [1, 2, 3, 4, 5], 6);
  test.each<[what: string, pages: readonly NumberedPage[], moves: readonly Move[]]>([
    ['has not moved before its second page', [FIRST], []],
    ['has not moved if the last row stands where it was', [FIRST, page(4, [5, 6, 7], 5)], []],
    ['has moved down', [FIRST, page(4, [4, 5, 6], 5)], [{ by: 1, count: 5, limit: 6 }]],
    ['has moved down by two', [FIRST, page(3, [2, 3, 4, 5, 6], 5)], [{ by: 2, count: 5, limit: 6 }]],
    ['has moved up', [FIRST, page(3, [5, 6], 5)], []],
    ['may only show its end', [FIRST, page(4, [3, 4, 5], 5)], []],
    ['may not show the last row', [FIRST, page(4, [6, 7], 5)], []],
    ['may not show it behind that', [FIRST, page(7, [6, 7], 5)], []],
    [
      'is not moved by an empty page',
      [FIRST, page(9, [], 5), page(4, [4, 5, 6], 5)],
      [{ by: 1, count: 5, limit: 6 }],
    ],
    ['shows the last line of a row', [FIRST, page(4, [5, 5, 6], 5)], [{ by: 1, count: 5, limit: 6 }]],
    [
      'has moved twice',
      [FIRST, page(4, [4, 5, 6], 5), page(6, [5, 6, 7], 5)],
      [
        { by: 1, count: 5, limit: 6 },
        { by: 1, count: 3, limit: 5 },
      ],
    ],
  ])('%s', (_, pages, moves) => {
    const order = newOrder();
    expect(pages.flatMap((each) => moveOf(order, each))).toEqual(moves);
  });

  test.each<[what: string, moves: readonly Move[], leftOut: number]>([
    ['that has not moved', [], 0],
    [
      'that has moved after short pages',
      [
        { by: 2, count: 3, limit: 5 },
        { by: 3, count: 4, limit: 5 },
      ],
      5,
    ],
    [
      'that has moved after a full one, too',
      [
        { by: 2, count: 3, limit: 5 },
        { by: 3, count: 5, limit: 5 },
      ],
      0,
    ],
    ['that has moved after as many rows as were requested', [{ by: 2, count: 3, limit: 3 }], 0],
    ['that has moved after as many rows as a page has', [{ by: 2, count: 5, limit: 9 }], 0],
  ])('%s leaves rows out or not', (_, moves, leftOut) => {
    expect(rowsLeftOut(moves, 5)).toBe(leftOut);
  });
});

const isSame = (one: string, other: string): boolean => one === other;

test('lines that repeat rows are counted by the page that has most, and rows with one key are told from them', () => {
  const lines = new Map<number, number>();
  const count = (texts: readonly [number, string][]) =>
    countLines(lines, { identities: texts.map(([key]) => key), rows: texts.map(([, text]) => text) }, isSame);
  expect(
    count([
      [1, 'a'],
      [2, 'b'],
      [1, 'a'],
      [1, 'a'],
      [2, 'b'],
    ]),
  ).toBeUndefined();
  expect(repeatedLines(lines)).toBe(3);
  expect(
    count([
      [1, 'a'],
      [1, 'a'],
      [3, 'c'],
      [3, 'c'],
    ]),
  ).toBeUndefined();
  expect(repeatedLines(lines)).toBe(4);
  expect(
    count([
      [4, 'd'],
      [4, 'e'],
      [4, 'f'],
      [5, 'g'],
      [5, 'h'],
    ]),
  ).toBe('e');
  expect(repeatedLines(lines)).toBe(4);
});
