import { describe, expect, test } from 'vitest';
import { OtherShapeError } from '../rows/page.ts';
import { checkCursorPaging, checkOffsetPaging, nextCursorOf, type Pagination } from './paging-kind.ts';

const ENTRY = { name: 'trips', place: 'lists[1]', path: '/v1/trips' };
const PREDEFINED = { name: 'assets', place: 'assets', path: '/v1/assets' };
/** As documented. */
const OFFSET = { offset: 0, limit: 25, nextOffset: 25, currentPage: 1, pageCount: 4, totalCount: 99 };

/** Returns what is wrong and the cure; null if the pagination is accepted. */
function problemOf(check: typeof checkCursorPaging, pagination: Pagination, list: typeof ENTRY) {
  try {
    check(pagination, list);
    return null;
  } catch (error) {
    if (!(error instanceof OtherShapeError)) throw error;
    return [error.message, error.cure];
  }
}

describe('paging: offset', () => {
  test.each<Pagination>([
    OFFSET,
    {},
    { offset: '0' },
    { totalCount: 9, nextCursor: 'x' },
    { offset: 0, nextCursor: 'x' },
    { nextCursor: '' },
    { nextCursor: null },
    { page: 1, pages: 9 },
  ])('%j is accepted', (pagination) => {
    expect(problemOf(checkOffsetPaging, pagination, ENTRY)).toBeNull();
  });

  test('a list by cursor', () => {
    const found =
      'metadata.pagination has "nextCursor", and neither "offset" nor "totalCount", so this list is paged by cursor';
    expect(problemOf(checkOffsetPaging, { nextCursor: 'x' }, ENTRY)).toStrictEqual([
      found,
      'Set lists[1].paging to "cursor", and lists[1].created_field to the field with the created time.',
    ]);
    expect(problemOf(checkOffsetPaging, { nextCursor: 'x', totalCount: null }, PREDEFINED)).toStrictEqual([
      found,
      'Remove "assets" from the config, and add an entry to "lists" with another "name", "paging": "cursor", "path": "/v1/assets" ' +
        'and "created_field": the field with the created time.',
    ]);
  });
});

describe('paging: cursor', () => {
  test.each<Pagination>([
    { nextCursor: 'x' },
    { nextCursor: false },
    { nextCursor: ' ' },
    { nextCursor: '' },
    { nextCursor: null },
    {},
    { nextCursor: '', ...OFFSET },
    { limit: 25, totalCount: 9 },
    { offset: 0, limit: 25 },
    { next: null, hasMore: false, links: { next: null, self: '/1' } },
    { page: 4, pages: 4 },
    { page: 1, pageSize: 25 },
  ])('%j is accepted', (pagination) => {
    expect(problemOf(checkCursorPaging, pagination, ENTRY)).toBeNull();
  });

  test('a list by offset', () => {
    expect(problemOf(checkCursorPaging, OFFSET, ENTRY)).toStrictEqual([
      'metadata.pagination has "offset" and "totalCount", and no "nextCursor", so this list is paged by offset',
      'Set lists[1].paging to "offset", and lists[1].id_field to the field that identifies a row.',
    ]);
  });

  test.each<[Pagination, RegExp]>([
    [{ nextCursor: true }, /nextCursor is a boolean, not a string/],
    [{ nextCursor: [1, 'a'] }, /nextCursor is an object, not a string/],
    [{ next: 'https://api.example/2' }, /has "next", and no "nextCursor"/],
    [{ nextPageToken: 'x', total: 3 }, /has "nextPageToken", and/],
    [{ nextPage: 2 }, /has "nextPage", and/],
    [{ links: { next: '/2' } }, /has "links", and/],
    [{ has_more: true }, /has "has_more", and/],
    [{ page: 1, totalPages: 9 }, /has "page", "totalPages", and no "nextCursor", so pages follow/],
  ])('%j', (pagination, problem) => {
    expect(problemOf(checkCursorPaging, pagination, ENTRY)?.[0]).toMatch(problem);
  });
});

test.each([
  ['x', 'x'],
  ['0', '0'],
  [false, null],
  ['', null],
  [' ', null],
  [null, null],
  [undefined, null],
])('the next cursor of %j is %j', (nextCursor, expected) => {
  expect(nextCursorOf({ nextCursor })).toBe(expected);
});
