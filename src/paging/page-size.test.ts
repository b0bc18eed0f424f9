import { describe, expect, test } from 'vitest';
import { limitAfter, noteReceived, pageSizeOf, type Limit, type PageSize } from './page-size.ts';

const sizesOf = (size: PageSize, asked: Limit, failures: number): Limit[] =>
  Array.from({ length: failures + 1 }, (_, count) => limitAfter(size, asked, count));

describe('the rows to request after failures', () => {
  test.each<[asked: Limit, largest: number, limits: Limit[]]>([
    [500, 0, [500, 500, 250, 125, 62, 31, 15, 7, 3, 2, 2]],
    [500, 30, [500, 500, 250, 125]], // pages may be short
    [3, 0, [3, 3, 2, 2]],
    [2, 0, [2, 2, 2, 2]],
    [1, 0, [1, 1, 1, 1]],
    [null, 0, [null, null, 100, 50, 25]],
    [null, 1000, [null, null, 500, 250]],
    [null, 2, [null, null, 2, 2]], // these may have been requested as small ones
  ])('%s (the largest page had %i)', (asked, largest, limits) => {
    const size = { ...pageSizeOf(asked), largest };
    expect(sizesOf(size, asked, limits.length - 1)).toStrictEqual(limits);
  });

  test('the smaller size that worked comes next', () => {
    const size = { ...pageSizeOf(500), worked: 62 };
    expect(sizesOf(size, 500, 4)).toStrictEqual([500, 500, 62, 31, 15]);
    expect(sizesOf(size, 40, 3)).toStrictEqual([40, 40, 20, 10]);
  });
});

/** Receives a page that has failed so many times before. */
function receive(size: PageSize, sizeAtStart: PageSize, failures: number) {
  const asked = sizeAtStart.full;
  const limit = limitAfter(sizeAtStart, asked, failures);
  return noteReceived(size, { sizeAtStart, asked, limit, failures, rows: limit ?? 1000, isNews: true });
}

test('a smaller size stays if the next page fails too', () => {
  const first = pageSizeOf(500);
  const second = receive(first, first, 3);
  expect(second.event).toStrictEqual({ kind: 'worked', failed: 500, limit: 125 });
  expect(second.size.full).toBe(500);
  const third = receive(second.size, second.size, 2);
  expect(third.event).toStrictEqual({ kind: 'stays', failed: 500, limit: 125 });
  expect(third.size).toStrictEqual({ configured: 500, full: 125, worked: null, largest: 125 });
  // and so on, where rows become still larger
  const fourth = receive(third.size, third.size, 2);
  const fifth = receive(fourth.size, fourth.size, 2);
  expect(fifth.size.full).toBe(62);
});

test('an outage leaves the size as it was', () => {
  const before = pageSizeOf(500);
  const after = receive(before, before, 9);
  const { size, event } = receive(after.size, after.size, 1);
  expect([size.full, size.worked, event]).toStrictEqual([500, null, null]);
});

test('pages that were requested before the first smaller one arrived do not count against the full size', () => {
  const begun = pageSizeOf(500);
  let { size } = receive(begun, begun, 4);
  for (const failures of [3, 5, 4]) ({ size } = receive(size, begun, failures));
  expect([size.full, size.worked]).toStrictEqual([500, 31]);
});

test('a smaller page that fails from time to time shows that its size is not the reason', () => {
  const size = { ...pageSizeOf(500), full: 62 };
  expect(receive(size, size, 1).event).toStrictEqual({ kind: 'full again', failed: 62, limit: 500 });
  expect(receive(size, size, 0).size).toStrictEqual({ ...size, largest: 62 });
});

test('a page without news says nothing about its size', () => {
  const size = { ...pageSizeOf(500), worked: 62 };
  const page = { sizeAtStart: size, asked: 500, limit: 500, failures: 0, rows: 500, isNews: false };
  expect(noteReceived(size, page).size.worked).toBe(62);
});
