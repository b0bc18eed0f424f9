import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_INSTANT, MIN_INSTANT } from './instant.ts';
import { cut, holds, isIn, isWanted, joined, withBackfill, withFittingCursors } from './open-ranges.ts';
import type { ChainHint, OpenRange } from './open-ranges.ts';

const INSTANTS = Array.from({ length: 60 }, (_, index) => BigInt(index));

/** Ascending and disjoint ranges, the last one without an upper bound. */
const ranges: fc.Arbitrary<readonly OpenRange[]> = fc
  .uniqueArray(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 16 })
  .chain((borders) => {
    const sorted = borders.toSorted((a, b) => a - b).map(BigInt);
    return fc
      .array(fc.boolean(), { minLength: sorted.length, maxLength: sorted.length })
      .map((isKept): OpenRange[] => [
        ...sorted
          .slice(0, -1)
          .flatMap((since, index) =>
            isKept[index] === true ? [{ since, until: sorted[index + 1] ?? MAX_INSTANT, chain: null }] : [],
          ),
        { since: sorted.at(-1) ?? MIN_INSTANT, until: MAX_INSTANT, chain: null },
      ]);
  });

function held(all: readonly OpenRange[]): bigint[] {
  return INSTANTS.filter((instant) => holds(all, instant));
}

const NOTHING_SEEN = { seen: [], format: null, isFinished: true };

function hint(length: number): ChainHint {
  const started = { at: 0n, clock: 'server' } as const;
  const after = 'x'.repeat(length);
  return { after, createdSince: null, newest: 0n, started, firstRows: [], savedAtMs: 0 };
}

describe('open ranges', () => {
  test('a time at a border belongs only to the later range', () => {
    const times = [9n, 10n, 19n, 20n];
    expect(times.filter((time) => isIn({ since: 10n, until: 20n }, time))).toStrictEqual([10n, 19n]);
    expect(times.filter((time) => isIn({ since: 20n, until: MAX_INSTANT }, time))).toStrictEqual([20n]);
  });

  test('joined ranges contain the same times, and none touches the next', () => {
    fc.assert(
      fc.property(ranges, (all) => {
        const one = joined(all, all.length);
        expect(held(one)).toStrictEqual(held(all));
        expect(one.at(-1)?.until).toBe(MAX_INSTANT);
        for (const [index, { until }] of one.slice(0, -1).entries())
          expect((until ?? 0n) < (one[index + 1]?.since ?? 0n)).toBe(true);
      }),
    );
  });

  test('merged ranges contain no less, and as little more as possible', () => {
    fc.assert(
      fc.property(ranges, fc.integer({ min: 1, max: 5 }), (all, most) => {
        const apart = joined(all, all.length);
        const fewer = joined(all, most);
        expect(fewer.length).toBe(Math.min(most, apart.length));
        expect(held(fewer)).toStrictEqual(expect.arrayContaining(held(all)));
        if (apart.length <= most) expect(fewer).toStrictEqual(apart);
      }),
    );
  });

  test('a start date that became earlier, or was removed, adds one range', () => {
    fc.assert(
      fc.property(ranges, fc.option(fc.integer({ min: 0, max: 50 }), { nil: undefined }), (all, date) => {
        const start = date === undefined ? MIN_INSTANT : BigInt(date);
        const from = all[0]?.since ?? MIN_INSTANT;
        const cover = { createdSince: from, coveredFrom: from, ranges: all, ...NOTHING_SEEN };
        const wider = withBackfill(cover, start);
        const isEarlier = start < from;
        expect(wider.coveredFrom).toBe(isEarlier ? start : from);
        expect(wider.createdSince).toBe(isEarlier ? start : from);
        const wanted = INSTANTS.filter(
          (instant) => holds(all, instant) || (isEarlier && instant < from && instant >= start),
        );
        expect(held(wider.ranges)).toStrictEqual(wanted);
      }),
    );
  });

  test('if it is not known what was read before, a start date adds nothing', () => {
    const cover = {
      createdSince: 9n,
      coveredFrom: MIN_INSTANT,
      ranges: [{ since: 9n, until: MAX_INSTANT, chain: null }],
      ...NOTHING_SEEN,
    };
    expect(withBackfill(cover, 3n)).toBe(cover);
  });

  test.each([
    [{ since: 10n, until: 20n }, MIN_INSTANT, MAX_INSTANT, true],
    [{ since: 10n, until: 20n }, 19n, MAX_INSTANT, true],
    [{ since: 10n, until: 20n }, 20n, MAX_INSTANT, false],
    [{ since: 10n, until: 20n }, MIN_INSTANT, 10n, true],
    [{ since: 10n, until: 20n }, MIN_INSTANT, 9n, false],
    [{ since: MIN_INSTANT, until: MAX_INSTANT }, 100n, 50n, true],
  ])('%o from %s to %s: %s', (range, start, end, isIt) => {
    expect(isWanted(range, start, end)).toBe(isIt);
  });

  test('the longest cursors are dropped if all together are too long', () => {
    const all = [8000, 100, 39_000, 8192].map((length, index): OpenRange => ({
      since: BigInt(index),
      until: BigInt(index + 1),
      chain: hint(length),
    }));
    expect(withFittingCursors(all).map(({ chain }) => chain?.after.length)).toStrictEqual([
      8000,
      100,
      undefined,
      8192,
    ]);
  });
});

describe('cutting time', () => {
  const second = 1_000_000_000n;
  const rest = { at: 1000n * second, to: 2000n * second, pageWidth: 0n };

  test.each([
    [400n, 1],
    [500n, 0],
  ])('1,000 s in parts of at least %s s: %i cuts', (seconds, cuts) => {
    for (const parts of [2, 8]) expect(cut(rest, parts, seconds * second, 1n)).toHaveLength(cuts);
  });
});
