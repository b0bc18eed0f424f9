import { describe, expect, test } from 'vitest';
import { newPass, step } from './pass.ts';

const ORDINARY = { isKeyless: false, isAligned: false };

/** Returns whether the end of a list is proven by pages, each requested at the offset that follows from those before it. */
function isProven(pages: readonly (readonly number[])[], total: number | undefined): boolean {
  const pass = newPass([]);
  for (const identities of pages)
    step(pass, { offset: pass.offset, limit: Infinity, identities, total, ...ORDINARY }, 2);
  return pass.isDone;
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
    ['not by these if the total is larger', [full, short, ...again], 9, false],
    [
      'not by these if a short page was followed by more rows',
      [full, [4, 5], short, ...again],
      undefined,
      false,
    ],
  ])('is proven %s', (_, pages, total, isEnd) => {
    expect(isProven(pages, total)).toBe(isEnd);
  });
});
