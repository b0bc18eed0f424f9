import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isConnectorError } from '../errors.ts';
import { createLoopGuard } from './loop-guard.ts';

const isEqual = (one: string, other: string): boolean => one === other;

/** Returns the pages until the guard ends the chain; null if it accepts `max` pages. */
function pagesUntilStopped(
  page: (index: number) => { next: string; rows: readonly string[] },
  max: number,
): number | null {
  const guard = createLoopGuard('alarms', null, isEqual);
  for (let index = 0; index < max; index++) {
    const { next, rows } = page(index);
    try {
      guard.page(next, rows);
    } catch (error) {
      expect(isConnectorError(error, 'CURSOR_LOOP')).toBe(true);
      return index + 1;
    }
  }
  return null;
}

const empty = (count: number) => (index: number) => ({
  next: `c${index}`,
  rows: index < count ? [] : [`p${index}`],
});

/** Rows on every 50th page. */
const nowAndThen = (index: number) => ({ next: `c${index}`, rows: index % 50 === 49 ? [`p${index}`] : [] });

describe('a chain of cursors', () => {
  test('P11: a loop of any period, after a lead of any length, is found within a few rounds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 300 }), (lead, period) => {
        const stopped = pagesUntilStopped((index) => {
          const at = index < lead ? index : lead + ((index - lead) % period);
          return { next: `cursor ${at}`, rows: [`page ${index}`] };
        }, 5000);
        expect(stopped).not.toBeNull();
        expect(stopped).toBeLessThanOrEqual(2 * Math.max(lead, period) + 2 * period + 2);
      }),
      { numRuns: 3000 },
    );
  });

  test('one step back is detected before it is taken, at any point of the chain', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 0, max: 999 }), (pages, back) => {
        const guard = createLoopGuard('alarms', 'c-1', isEqual);
        for (let index = 0; index < pages; index++) guard.page(`c${index}`, [`p${index}`]);
        const goBack = () => guard.page(`c${Math.max(-1, pages - 1 - back)}`, ['back']);
        expect(goBack).toThrow('returns to an earlier cursor');
        expect(() => guard.page(`c${pages}`, ['on'])).not.toThrow();
      }),
    );
  });

  test('with only new cursors is followed to its end', () => {
    expect(pagesUntilStopped((index) => ({ next: `c${index}`, rows: [`p${index}`] }), 20_000)).toBeNull();
  });

  test.each([1, 2, 3, 7])('that repeats the same %i pages under new cursors is stopped', (period) => {
    const stopped = pagesUntilStopped(
      (index) => ({ next: `c${index}`, rows: [`p${index % period}`] }),
      20_000,
    );
    expect(stopped).not.toBeNull();
  });

  test('is stopped after 50 empty pages, not after 49', () => {
    expect(pagesUntilStopped(empty(49), 200)).toBeNull();
    expect(pagesUntilStopped(empty(50), 200)).toBe(50);
    expect(pagesUntilStopped(nowAndThen, 2000)).toBeNull();
  });
});

/** Each page is compared with the latest one at a power of two. */
const isMilestone = (index: number): boolean => Number.isInteger(Math.log2(index + 1));

test.each([
  [['a', 'b'], ['a']],
  [
    ['a', 'b'],
    ['a', 'c'],
  ],
  [
    ['a', 'b'],
    ['c', 'b'],
  ],
])('pages %j and %j are different', (milestone, other) => {
  const page = (index: number): { next: string; rows: readonly string[] } => ({
    next: `c${index}`,
    rows: isMilestone(index) ? milestone : other,
  });
  expect(pagesUntilStopped(page, 2000)).toBeNull();
  expect(pagesUntilStopped((index) => ({ ...page(index), rows: other }), 2000)).not.toBeNull();
});
