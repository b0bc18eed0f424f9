import { describe, expect, test } from 'vitest';
import { MIN_INSTANT } from '../instant.ts';
import { ENOUGH_ROWS, UNKNOWN_ORDER, ascend, noteTimes } from './order.ts';

const rising = (count: number): bigint[] => Array.from({ length: count }, (_, at) => BigInt(at));

describe('ascending order', () => {
  test.each([
    ['is not proven by the first time of a chain', ENOUGH_ROWS, 'unproven'],
    ['is proven by 16 times that are later than all before them', ENOUGH_ROWS + 1, 'ascending'],
  ])('%s', (_, count, kind) => {
    const course = { newest: MIN_INSTANT, last: [] };
    const precision = { tolerance: 0n, enough: ENOUGH_ROWS };
    expect(noteTimes(UNKNOWN_ORDER, course, rising(count), precision, false).order.kind).toBe(kind);
  });

  test.each([
    [[], false],
    [[1n, 2n], false],
    [[1n, 2n, 2n, 3n], true],
    [[1n, undefined, 2n, 3n], true],
    [[1n, 2n, 3n, 2n], true],
    [[1n, 2n, 3n, 2n, 1n], false],
    [[5n, 4n, 3n], false],
  ])('may be that of a page with the times %s: %s', (times, looksSo) => {
    expect(ascend(times)).toBe(looksSo);
  });
});
