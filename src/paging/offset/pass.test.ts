import { describe, expect, test } from 'vitest';
import { newPass, step } from './pass.ts';

/** Returns whether the end of a list is proven by pages, each requested at the offset that follows from those before it. */
function isProven(pages: readonly (readonly number[])[], total: number | undefined): boolean {
  const pass = newPass(0, [], 0, false);
  for (const identities of pages)
    step(pass, { offset: pass.offset, limit: 500, identities, total, isKeyless: false }, 2);
  return pass.isDone;
}

describe('the end of a list', () => {
  const full = [1, 2, 3, 4];
  const short = [4, 5, 6];
  // a list that grows by a row or two: the last rows move down with each request
  const again = [
    [5, 6],
    [4, 5, 6],
    [5, 6],
    [4, 5, 6],
  ];
  const same = [
    [3, 4],
    [2, 3, 4],
    [3, 4],
    [2, 3, 4],
  ];
  test.each([
    ['by an empty first page', [[]], undefined, true],
    ['not by a full page, although the total agrees', [full], 4, false],
    ['not by a short page', [full, short], 6, false],
    ['by a row that is alone, if the total agrees', [[1]], 1, true],
    ['by a covered row that is alone', [full, [4]], undefined, true],
    ['not by a covered row that is alone, if the total is larger', [full, [4]], 5, false],
    ['not by an empty page, because rows may have been deleted', [full, []], undefined, false],
    ['not by three short pages with the same last row', [full, ...same.slice(0, 3)], 4, false],
    ['by four of them', [full, ...same], undefined, true],
    ['by four of them even if the total is larger', [full, ...same], 90, true],
    ['not by any if a short page was followed by more rows', [full, [4, 5], short, ...again], 6, false],
    ['not by short pages that end with other covered rows', [full, [3, 4], [2, 3], [1, 2]], undefined, false],
  ])('is proven %s', (_, pages, total, isEnd) => {
    expect(isProven(pages, total)).toBe(isEnd);
  });
});
