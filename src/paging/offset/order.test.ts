import { describe, expect, test } from 'vitest';
import { isMissing, keepsOrder, missingRows, newOrder } from './seen.ts';

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
    expect(pages.map(([offset, identities]) => keepsOrder(order, { offset, identities }))).toEqual(isKept);
  });
});

describe('rows that were shown', () => {
  const begin: readonly Shown[] = [
    [0, [1, 2, 3, 4, 5]],
    [4, [5, 6, 7, 8, 9]],
  ];
  const more: Shown = [2, [3, 10, 11, 12]];
  const again: Shown = [5, [12, 4, 5, 6, 7, 8, 9]];
  test.each<
    [
      what: string,
      later: readonly Shown[],
      found: readonly [offset: number, rows: readonly number[], later: number] | null,
    ]
  >([
    ['are missing where new ones follow an earlier one', [more], [4, [5, 6, 7, 8, 9], 2]],
    ['are missing between two others', [[1, [2, 3, 5]]], [0, [4], 1]],
    ['are not if nothing follows', [[0, [1, 2, 3]]], null],
    ['are not if the page begins behind them', [[4, [6, 7, 8, 9, 10]]], null],
    ['are not if they were shown after that', [more, again], null],
    ['are not if thousands of rows follow these', [more, again, [11, [9, 5000]]], null],
    ['are missing if others were shown', [more, [5, [12, 8, 9]]], [4, [5, 6, 7], 2]],
    [
      'are those of the page that has most',
      [
        [3, [4, 10]],
        [1, [2, 13]],
      ],
      [4, [5, 6, 7, 8, 9], 1],
    ],
    [
      'are none of an earlier list',
      [
        [0, [20, 21]],
        [1, [21, 3, 22]],
      ],
      null,
    ],
  ])('%s', (_, later, found) => {
    const order = newOrder();
    for (const [offset, identities] of [...begin, ...later]) keepsOrder(order, { offset, identities });
    const missing = found && { offset: found[0], identities: found[1], laterOffset: found[2] };
    expect(missingRows(order)).toStrictEqual(missing);
  });

  test.each<[what: string, page: readonly number[], isStill: boolean]>([
    ['is missing between others', [3, 6], true],
    ['is missing before new ones', [3, 99], true],
    ['is shown', [3, 4, 6], false],
    ['stands before the page', [5, 6], false],
    ['stands behind the page', [2, 3], false],
    ['may stand before a page that begins with a new one', [99, 6], false],
    ['is missing where new ones come before', [99, 3, 6], true],
    ['is not if the others come the other way round', [6, 3], false],
    ['is missing from no empty page', [], false],
  ])('a row %s', (_, page, isStill) => {
    const order = newOrder();
    for (const [offset, identities] of begin) keepsOrder(order, { offset, identities });
    expect(isMissing(order, [4], page)).toBe(isStill);
  });
});
