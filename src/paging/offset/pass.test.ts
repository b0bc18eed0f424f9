import { describe, expect, test } from 'vitest';
import { newPass, step } from './pass.ts';

/** Returns whether the end of a list is proven by pages, each requested at the offset that follows from those before it. */
function isProven(pages: readonly (readonly number[])[], total: number | undefined): boolean {
  const pass = newPass(0, [], 0);
  for (const identities of pages)
    step(pass, { offset: pass.offset, limit: 500, identities, total, isKeyless: false }, 2);
  return pass.isDone;
}

describe('the end of a list', () => {
  const full = [1, 2, 3, 4];
  const short = [4, 5, 6];
  // a list that grows: the last rows move down with each request
  const again = [
    [5, 6],
    [5, 6],
    [5, 6],
  ];
  test.each([
    ['by an empty first page', [[]], undefined, true],
    ['not by a full page, although the total agrees', [full], 4, false],
    ['not by a short page', [full, short], 6, false],
    ['by a row that is alone, if the total agrees', [[1]], 1, true],
    ['by a covered row that is alone', [full, [4]], undefined, true],
    ['not by a covered row that is alone, if the total is larger', [full, [4]], 5, false],
    ['not by an empty page, because rows may have been deleted', [full, []], undefined, false],
    ['not by two short pages without a new row', [full, [3, 4], [3, 4]], undefined, false],
    ['by three of them', [full, [3, 4], [3, 4], [3, 4]], undefined, true],
    ['not by three of them if the total is larger', [full, [3, 4], [3, 4], [3, 4]], 90, false],
    [
      'not by three of them if a short page was followed by more rows',
      [full, [4, 5], short, ...again],
      6,
      false,
    ],
    ['by four of them whatever the total is', [full, [3, 4], [3, 4], [3, 4], [3, 4]], 90, true],
  ])('is proven %s', (_, pages, total, isEnd) => {
    expect(isProven(pages, total)).toBe(isEnd);
  });
});
