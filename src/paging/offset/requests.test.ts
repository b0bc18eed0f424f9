import { describe, expect, test } from 'vitest';
import { numberedPage } from './numbered-page.test-support.ts';
import {
  adaptRequests,
  alignedReach,
  alignedRequest,
  changeAlignment,
  isBeyondReach,
  learn,
  newRequests,
  requestAt,
  type Requests,
} from './requests.ts';
import { newPass, step, type NumberedPage } from './pass.ts';

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);

/** The multiples of limits at which a page of at most `size` rows shows the row at an offset. */
const pagesWith = (offset: number, size: number) =>
  range(2, size + 1).map((limit) => ({ offset: offset - (offset % limit), atMost: limit }));

const endOf = ({ offset, atMost }: { readonly offset: number; readonly atMost: number }): number =>
  offset + atMost;

test.each([3, 8])('a page of at most %d rows at a multiple of its limit reaches farthest', (size) => {
  for (const offset of range(0, 200)) {
    const request = alignedRequest(offset, size);
    const pages = pagesWith(offset, size);
    expect(pages).toContainEqual(request);
    const farthest = pages.filter((page) => endOf(page) === Math.max(...pages.map(endOf)));
    expect(request).toEqual(farthest.at(-1));
  }
});

test.each([3, 6])(
  'pages of at most %d rows at multiples overlap up to where a page of each size ends',
  (size) => {
    const isEnd = (offset: number): boolean =>
      pagesWith(offset - 1, size).every((page) => endOf(page) === offset);
    const reach = range(1, 1000).find(isEnd);
    expect(alignedReach(size)).toBe(reach);
    expect(isBeyondReach(size, alignedReach(size) - size)).toBe(false);
    expect(isBeyondReach(size, alignedReach(size) - size + 1)).toBe(true);
  },
);

test('pages of 23 rows and more overlap in all lists', () => {
  expect(alignedReach(23)).toBeGreaterThan(2 ** 32);
  expect(isBeyondReach(500, 2 ** 32)).toBe(false);
});

const PAGE = { bytes: 1, total: undefined };

/** What some answers teach; null rows: a refusal. */
const after = (
  answers: readonly [offset: number, atMost: number, rows: number | null, total?: number][],
): Requests => {
  const requests = newRequests(null);
  for (const [offset, atMost, rows, total] of answers) {
    const page = { ...PAGE, rows: range(0, rows ?? 0), total };
    learn(requests, { offset, atMost }, rows === null ? { ...page, isRefused: true } : page);
  }
  return requests;
};

describe('a request', () => {
  test.each<[what: string, requests: Requests, offset: number, atMost: number]>([
    ['asks for a whole page', newRequests(null), 40, Infinity],
    ['also after the first page, which may come from a cache', after([[0, Infinity, 10, 45]]), 40, Infinity],
    ['and after an empty one', after([[10, Infinity, 0, 45]]), 40, Infinity],
    ['and after the last one', after([[35, Infinity, 10, 45]]), 40, Infinity],
    ['and after one that states no total', after([[10, Infinity, 10]]), 40, Infinity],
    ['asks for one row more than the list has', after([[10, Infinity, 10, 45]]), 40, 6],
    [
      'also after a refusal',
      after([
        [0, Infinity, 10, 45],
        [9, Infinity, null],
      ]),
      40,
      6,
    ],
    [
      'not by a total before its rows',
      after([
        [0, Infinity, 10, 5],
        [9, Infinity, null],
      ]),
      40,
      Infinity,
    ],
    [
      'nor by one of an empty page',
      after([
        [0, Infinity, 10],
        [60, Infinity, 0, 70],
        [9, Infinity, null],
      ]),
      40,
      Infinity,
    ],
    ['for two at least', after([[10, Infinity, 10, 45]]), 44, 2],
    [
      'for more if those were all filled',
      after([
        [10, Infinity, 10, 45],
        [40, 6, 6],
      ]),
      40,
      7,
    ],
    [
      'not if they were not',
      after([
        [10, Infinity, 10, 45],
        [40, 6, 5],
      ]),
      40,
      6,
    ],
    ['for a whole page past the total', after([[10, Infinity, 10, 45]]), 45, Infinity],
    ['for one at a multiple', newRequests(10), 49, 8],
  ])('%s', (_, requests, offset, atMost) => {
    expect(requestAt(requests, offset).atMost).toBe(atMost);
  });
});

const pageOf = (
  offset: number,
  identities: readonly number[],
  isRefused: boolean,
): NumberedPage & { isRefused?: true } => ({
  ...numberedPage(offset, identities, 10),
  ...(isRefused ? { isRefused: true } : {}),
});

describe('multiples of the limit', () => {
  const FIRST = pageOf(0, range(1, 11), false);
  const REFUSED = pageOf(9, [], true);
  test.each<
    [what: string, pages: readonly NumberedPage[], next: ReturnType<typeof pageOf>, isTried: boolean]
  >([
    ['are tried if the second page is refused', [FIRST], REFUSED, true],
    ['are tried if it is the first one', [FIRST], pageOf(9, range(1, 11), false), true],
    [
      'are tried if few rows were inserted before it',
      [FIRST],
      pageOf(9, [97, 98, 99, ...range(1, 8)], false),
      true,
    ],
    ['are not if many were', [FIRST], pageOf(9, [96, 97, 98, 99, ...range(1, 7)], false), false],
    ['are not if it follows', [FIRST], pageOf(9, range(10, 20), false), false],
    ['are not if it is empty', [FIRST], pageOf(9, [], false), false],
    ['are not if the first page is refused', [], REFUSED, false],
    ['are not if the first page comes again', [FIRST], FIRST, false],
    ['are not past the rows that were seen', [FIRST], pageOf(10, [], true), false],
    ['are not after a second page', [FIRST, pageOf(9, range(10, 20), false)], pageOf(18, [], true), false],
    [
      'are tried after a page that was not accepted',
      [FIRST, pageOf(9, range(50, 60), false)],
      pageOf(7, [], true),
      true,
    ],
    ['are not after three rows', [pageOf(0, range(1, 4), false)], pageOf(2, [], true), false],
    ['are tried after four rows', [pageOf(0, range(1, 5), false)], pageOf(3, [], true), true],
  ])('%s', (_, pages, next, isTried) => {
    const requests = newRequests(null);
    const pass = newPass([]);
    for (const page of pages) step(pass, page, 2);
    const multiples = isTried ? (pages[0]?.identities.length ?? null) : null;
    expect(adaptRequests(requests, next, pass)).toBe(isTried);
    expect(requests).toMatchObject({ multiples, aligned: multiples });
    expect(adaptRequests(requests, next, pass)).toBe(false);
  });

  test('are given up, and tried again, after each eight pages without progress', () => {
    const requests = newRequests(10);
    const aligned = range(0, 25).map((idle) => {
      changeAlignment(requests, { idle });
      return requests.aligned;
    });
    expect(aligned).toEqual([...Array(8).fill(10), ...Array(8).fill(null), ...Array(8).fill(10), null]);
  });
});
