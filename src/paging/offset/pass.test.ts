import { describe, expect, test } from 'vitest';
import { numberedPage } from './numbered-page.test-support.ts';
import { newPass, step, type Pass } from './pass.ts';

type Pages = readonly (readonly number[])[];

/** Returns a pass that has taken pages, each requested at the offset that follows from those before it. */
function passOf(pages: Pages, total: number | undefined): Pass {
  const pass = newPass([]);
  for (const identities of pages)
    step(pass, { ...numberedPage(pass.offset, identities, Infinity), total }, 2);
  return pass;
}

describe('the end of a list', () => {
  const full = [1, 2, 3, 4];
  const short = [4, 5, 6];
  // a list that moves: a page that is shown twice in a row may be the answer to any offset
  const again = [[5, 6], short, [5, 6], short];
  test.each([
    ['by an empty first page', [[]], undefined, true],
    ['not by a full page, although the total agrees', [full], 4, false],
    ['not by a short page', [full, short], 6, false],
    ['by a row that is alone, if the total agrees', [full, [4]], 4, true],
    ['not by a row that is alone, if there is no total', [full, [4]], undefined, false],
    ['by a row that is alone, if nothing follows it', [full, [4], []], undefined, true],
    ['not by a row that is alone, if more follow it', [full, [4], short], undefined, false],
    ['by a row that is alone twice', [full, [4], [7], [4]], undefined, true],
    ['not by three short pages without a new row', [full, short, ...again.slice(1)], undefined, false],
    ['by four short pages without a new row', [full, short, ...again], undefined, true],
    [
      'not by these if they end with different rows',
      [full, short, [4, 5], short, [4, 5], short, [4, 5]],
      undefined,
      false,
    ],
    ['not by these if the total is larger', [full, short, ...again], 9, false],
    [
      'not by these if a short page was followed by more rows',
      [full, [4, 5], short, ...again],
      undefined,
      false,
    ],
  ])('is proven %s', (_, pages, total, isEnd) => {
    expect(passOf(pages, total).isDone).toBe(isEnd);
  });
});

test.each<[what: string, totals: readonly number[], isEnd: boolean]>([
  ['is', [6, 6, 6], true],
  ['is not, if it has grown, as one that counts what was shown', [4, 6, 6], false],
  ['is not, if the list has more rows', [7, 7, 7], false],
])('the end of a list of multiples %s proven by one page with its total', (_, totals, isEnd) => {
  const pass = newPass([]);
  for (const [index, [offset, ...identities]] of [
    [0, 1, 2, 3, 4],
    [3, 4, 5, 6],
    [4, 5, 6],
  ].entries()) {
    const page = numberedPage(offset ?? 0, identities, 4);
    step(pass, { ...page, total: totals[index], isAligned: true }, 2);
  }
  expect(pass.isDone).toBe(isEnd);
});

test.each<[what: string, pages: Pages, offset: number]>([
  ['begins with the last row', [[1, 2, 3, 4]], 3],
  [
    'begins with all lines of the last row',
    [
      [1, 2, 3, 3],
      [3, 3, 4, 5, 5],
    ],
    5,
  ],
  ['moves on if all rows of a page have one key', [[1, 1, 1]], 1],
  [
    'is where the last row is next if it goes on moving, if no row is new',
    [
      [1, 2, 3, 4],
      [2, 3, 4],
    ],
    7,
  ],
  [
    'is before a page without a known row',
    [
      [1, 2, 3, 4],
      [8, 9],
    ],
    2,
  ],
])('the next page %s', (_, pages, offset) => {
  expect(passOf(pages, undefined).offset).toBe(offset);
});

test.each<[what: string, pages: Pages, hidden: number]>([
  ['after its last page', [[1, 2, 3]], 6],
  [
    'although a page without new rows is shown later on',
    [
      [1, 2, 3, 4],
      [4, 5],
      [4, 5],
      [4, 5],
    ],
    4,
  ],
  [
    'less those that are further lines of its last row',
    [
      [1, 2, 3, 4],
      [4, 4],
    ],
    4,
  ],
])('a list of nine rows hides those %s', (_, pages, hidden) => {
  expect(passOf(pages, 9).hidden).toBe(hidden);
});

test.each<[what: string, pages: Pages, isAppended: boolean]>([
  [
    'rows follow each other',
    [
      [1, 2, 3, 4],
      [4, 5, 6],
    ],
    true,
  ],
  [
    'a new row is shown before a known one',
    [
      [1, 2, 3, 4],
      [4, 9, 3, 5],
    ],
    false,
  ],
  [
    'a row is shown twice',
    [
      [1, 2, 3, 4],
      [4, 5, 5],
    ],
    false,
  ],
])('whether a read can go on after the last row where %s: %j', (_, pages, isAppended) => {
  expect(passOf(pages, undefined).isAppended).toBe(isAppended);
});

test('a read cannot go on after the last row of a list all whose rows were deleted', () => {
  const pass = passOf([[1, 2, 3, 4]], undefined);
  for (const identities of [[], [7, 8]]) step(pass, numberedPage(0, identities, Infinity), 2);
  expect(pass.isAppended).toBe(false);
});
