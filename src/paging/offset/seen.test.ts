import { describe, expect, test } from 'vitest';
import { numberedPage as page } from './numbered-page.test-support.ts';
import type { NumberedPage } from './pass.ts';
import { countLines, keepsOrder, moveOf, newOrder, repeatedLines, rowsLeftOut, type Move } from './seen.ts';

type Shown = readonly [offset: number, identities: readonly number[]];

describe('the order of a list', () => {
  test.each<[what: string, pages: readonly Shown[], isKept: readonly boolean[]]>([
    [
      'is kept by pages that follow',
      [
        [0, [1, 2, 3]],
        [2, [3, 4, 5]],
        [4, [5]],
      ],
      [true, true, true],
    ],
    [
      'is kept if the same page comes again',
      [
        [0, [1, 2, 3]],
        [0, [1, 2, 3]],
      ],
      [true, true],
    ],
    [
      'changes if two rows change their places',
      [
        [0, [1, 2, 3]],
        [0, [1, 3, 2]],
      ],
      [true, false],
    ],
    [
      'changes if they do on the first two places',
      [
        [0, [1, 2, 3]],
        [0, [2, 1, 3]],
      ],
      [true, false],
    ],
    [
      'changes if a later page shows an earlier row',
      [
        [0, [1, 2, 3]],
        [2, [3, 4, 5]],
        [4, [5, 2]],
      ],
      [true, true, false],
    ],
    [
      'is kept if rows are deleted',
      [
        [0, [1, 2, 3, 4]],
        [0, [1, 4]],
      ],
      [true, true],
    ],
    [
      'is kept by rows at the head',
      [
        [0, [1, 2]],
        [0, [8, 9, 1, 2]],
        [1, [9, 1]],
      ],
      [true, true, true],
    ],
    [
      'changes if rows at the head do',
      [
        [0, [1, 2]],
        [0, [8, 9, 1, 2]],
        [0, [9, 8, 1]],
      ],
      [true, true, false],
    ],
    [
      'changes if rows of the head stand behind it',
      [
        [0, [1, 2]],
        [0, [9, 1, 2]],
        [0, [1, 9]],
      ],
      [true, true, false],
    ],
    [
      'is kept by a row between others',
      [
        [0, [1, 2]],
        [0, [1, 9, 2]],
        [0, [1, 9]],
      ],
      [true, true, true],
    ],
    [
      'changes if that row moves up',
      [
        [0, [1, 2]],
        [0, [1, 9, 2]],
        [0, [9, 1]],
      ],
      [true, true, false],
    ],
    [
      'changes if that row moves down',
      [
        [0, [1, 2]],
        [0, [1, 9, 2]],
        [0, [2, 9]],
      ],
      [true, true, false],
    ],
    [
      'changes if two rows between others do',
      [
        [0, [1, 2]],
        [0, [1, 8, 9, 2]],
        [0, [9, 8]],
      ],
      [true, true, false],
    ],
    [
      'begins anew if no row of the first page is known',
      [
        [0, [1, 2, 3]],
        [0, [7, 8]],
        [1, [8, 3, 2]],
      ],
      [true, true, true],
    ],
    [
      'does not begin anew elsewhere',
      [
        [0, [1, 2, 3]],
        [3, [7, 8]],
        [2, [3, 2]],
      ],
      [true, true, false],
    ],
    [
      'is not known of rows behind a known one that is not the last',
      [
        [0, [1, 2, 3, 4]],
        [0, [1, 8]],
        [4, [8, 4]],
      ],
      [true, true, true],
    ],
    [
      'is known of rows behind the last one',
      [
        [0, [1, 2]],
        [1, [2, 8]],
        [0, [8, 2]],
      ],
      [true, true, false],
    ],
    [
      'is known of a page behind all others',
      [
        [0, [1, 2]],
        [2, [8, 9]],
        [2, [9, 8]],
      ],
      [true, true, false],
    ],
    [
      'is kept if a row that was left out comes again',
      [
        [0, [1, 2, 3, 4]],
        [1, [2, 4, 5]],
        [1, [2, 3, 4]],
      ],
      [true, true, true],
    ],
    [
      'is not known of one before their end',
      [
        [0, [1, 2, 3]],
        [1, [8, 9]],
        [1, [9, 8]],
      ],
      [true, true, true],
    ],
    [
      'is known of thousands of rows',
      [
        [0, [1, 5000]],
        [1, [5000, 9000]],
        [0, [9000, 5000]],
      ],
      [true, true, false],
    ],
  ])('%s', (_, pages, isKept) => {
    const order = newOrder();
    expect(pages.map(([offset, identities]) => keepsOrder(order, offset, identities))).toEqual(isKept);
  });
});

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
