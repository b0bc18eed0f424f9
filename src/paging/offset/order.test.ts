import { describe, expect, test } from 'vitest';
import { keepsOrder, newOrder, rowsNotShownAgain } from './seen.ts';

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
      'is kept by two rows that were inserted far down',
      [
        [0, [1, 2, 3]],
        [0, [1, 2, 8, 9, 3]],
        [3, [9, 3]],
      ],
      [true, true, true],
    ],
    [
      'changes if an added row stands before the end',
      [
        [0, [1, 2, 3, 4]],
        [1, [2, 3, 4, 5]],
        [0, [1, 5, 4]],
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
      'changes if such a row stands before an earlier one',
      [
        [0, [1, 2, 3, 4]],
        [0, [3, 8]],
        [0, [8, 2]],
      ],
      [true, true, false],
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
      'is kept by the row after the first thousand',
      [
        [0, [1, 1024]],
        [0, [1, 1024]],
      ],
      [true, true],
    ],
    [
      'is known of thousands of rows',
      [
        [0, [1, 5000]],
        [1, [5000, 9000]],
        [0, [5000, 1]],
      ],
      [true, true, false],
    ],
  ])('%s', (_, pages, isKept) => {
    const order = newOrder();
    expect(pages.map(([offset, identities]) => keepsOrder(order, { offset, identities }, 25))).toEqual(
      isKept,
    );
  });
});

describe('rows that stood behind a row that new ones follow now', () => {
  const begin: readonly Shown[] = [
    [0, [1, 2, 3, 4, 5]],
    [4, [5, 6, 7, 8, 9]],
    [2, [3, 10, 11, 12]],
  ];
  const again: Shown = [5, [12, 4, 5, 6, 7, 8, 9]];
  test.each<[what: string, pages: readonly Shown[], most: number, count: number]>([
    ['were not shown again', begin, 5, 6],
    ['were so few that they may have been deleted', begin, 6, 0],
    ['were shown after these', [...begin, again], 5, 0],
    ['are none if no new ones follow', [...begin.slice(0, 2), [0, [1, 2, 3]]], 5, 0],
    ['were shown after these, before thousands of others', [...begin, again, [11, [9, 5000]]], 5, 0],
    ['were shown in part', [...begin, [5, [12, 8, 9]]], 5, 4],
    ['are counted where most stood behind one', [...begin, [1, [2, 13]]], 5, 7],
  ])('%s', (_, pages, most, count) => {
    const order = newOrder();
    for (const [offset, identities] of pages) keepsOrder(order, { offset, identities }, most);
    expect(rowsNotShownAgain(order)).toBe(count);
  });
});
