import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../property-runs.test-support.ts';
import { createLoopGuard, type Endless } from './loop-guard.ts';

/** The cause of an endless chain. */
class Stopped extends Error {}
const LIST = {
  endlessError: ({ cause }: Endless): Error => new Stopped(cause),
  isSame: (one: string, other: string): boolean => one === other,
};

/** Returns the pages until the guard ends the chain; null if it accepts `max` pages. */
function pagesUntilStopped(
  page: (index: number) => {
    readonly next: string;
    readonly rows: readonly string[];
    readonly sentAtMs?: number;
    readonly receivedAtMs?: number;
  },
  max: number,
): number | null {
  const guard = createLoopGuard(LIST, null);
  for (let index = 0; index < max; index++) {
    const { next } = page(index);
    try {
      guard.page(next, { sentAtMs: 0, receivedAtMs: 0, ...page(index) });
    } catch (error) {
      expect(error).toBeInstanceOf(Stopped);
      return index + 1;
    }
  }
  return null;
}

const pageOf = (row: string) => ({ rows: [row], sentAtMs: 0, receivedAtMs: 0 });

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** Empty pages, each of which takes a second, after a wait. */
const emptyAfter = (waitMs: number, rowsAt: (index: number) => boolean) => (index: number) => {
  const receivedAtMs = (index + 1) * (waitMs + SECOND_MS);
  return {
    next: `c${index}`,
    rows: rowsAt(index) ? [`p${index}`] : [],
    sentAtMs: receivedAtMs - SECOND_MS,
    receivedAtMs,
  };
};

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
      { numRuns: runs(3000) },
    );
  });

  test('one step back is detected before it is taken, at any point of the chain', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 0, max: 999 }), (pages, back) => {
        const guard = createLoopGuard(LIST, 'c-1');
        for (let index = 0; index < pages; index++) guard.page(`c${index}`, pageOf(`p${index}`));
        const goBack = () => guard.page(`c${Math.max(-1, pages - 1 - back)}`, pageOf('back'));
        expect(goBack).toThrow('an earlier cursor');
        expect(() => guard.page(`c${pages}`, pageOf('on'))).not.toThrow();
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

  test.each([
    ['without waits', 0, 900],
    ['after waits of five minutes, of which a second counts', 5 * MINUTE_MS, 451],
  ])('is stopped after fifteen minutes of empty pages, %s', (_, waitMs, pages) => {
    expect(
      pagesUntilStopped(
        emptyAfter(waitMs, () => false),
        2000,
      ),
    ).toBe(pages);
    expect(
      pagesUntilStopped(
        emptyAfter(waitMs, (at) => at % (pages - 1) === 0),
        5000,
      ),
    ).toBeNull();
  });

  test('goes on past empty pages that take no time', () => {
    expect(pagesUntilStopped((index) => ({ next: `c${index}`, rows: [] }), 100_000)).toBeNull();
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
