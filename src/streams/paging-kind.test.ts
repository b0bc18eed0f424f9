import { describe, expect, test } from 'vitest';
import { OtherShapeError, type Extra } from '../rows/page.ts';
import {
  checkCursorPaging,
  checkOffsetPaging,
  nextCursorOf,
  otherCursors,
  type Pagination,
} from './paging-kind.ts';

const ENTRY = { name: 'trips', place: 'lists[1]', path: '/v1/trips' };
const PREDEFINED = { name: 'assets', place: 'assets', path: '/v1/assets' };
/** As documented. */
const OFFSET = { offset: 0, limit: 25, nextOffset: 25, currentPage: 1, pageCount: 4, totalCount: 99 };

/** What the last page of a list by cursor may have. */
const ENDS: readonly Pagination[] = [
  {},
  { nextCursor: null },
  { nextCursor: '' },
  { nextCursor: ' ' },
  { nextCursor: false },
  { nextCursor: {} },
  { nextCursor: [] },
  { nextCursor: 'null' },
];

/** The check of a page of 25 rows, requested without or with a cursor. */
const first = (pagination: Pagination, list: typeof ENTRY) =>
  checkCursorPaging({ pagination, extras: [], rows: 25, isFirst: true }, list);
const later = (pagination: Pagination, list: typeof ENTRY) =>
  checkCursorPaging({ pagination, extras: [], rows: 25, isFirst: false }, list);

/** Returns what is wrong and the cure; null if the pagination is accepted. */
function problemOf(check: typeof checkOffsetPaging, pagination: Pagination, list: typeof ENTRY) {
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
    { nextCursor: 'x', hasMore: true, ...OFFSET },
    { limit: 25, totalCount: 9 },
    { offset: 0, limit: 25 },
    { next: null, hasMore: false, links: { next: null, self: '/1' } },
    { next: '', hasMore: 'false', nextOffset: 0, nextPage: 0 },
    { page: 4, pages: 4 },
    { page: 1, pageSize: 25 },
    { more: false, isTruncated: false, last: true, isLast: 'true' },
    { cursor: 'x', after: 'x', endCursor: 'x', cursors: { after: 'x' } },
    { links: [{ rel: 'self', href: '/1' }], next: { href: null } },
  ])('%j is accepted, also with an end of any kind', (pagination) => {
    for (const end of ENDS) {
      expect(problemOf(first, { ...end, ...pagination }, ENTRY)).toBeNull();
      expect(problemOf(later, { ...end, ...pagination }, ENTRY)).toBeNull();
    }
  });

  test.each<Pagination>([
    { ...OFFSET, pageCount: 1, totalCount: 25 },
    { offset: 0, totalCount: 0, nextOffset: 0 },
  ])('%j, which counts the rows of a whole list, is accepted beside an end', (pagination) => {
    for (const end of ENDS) {
      const isShared = 'nextCursor' in end;
      expect(problemOf(first, { ...end, ...pagination }, ENTRY) === null).toBe(isShared);
      expect(problemOf(later, { ...end, ...pagination }, ENTRY)).toBeNull();
    }
  });

  test.each(ENDS)('a list by offset, with %j', (end) => {
    expect(problemOf(first, { ...end, ...OFFSET }, ENTRY)).toStrictEqual([
      'metadata.pagination has "offset" and "totalCount", and no "nextCursor", so this list is paged by offset',
      'Set lists[1].paging to "offset", and lists[1].id_field to the field that identifies a row.',
    ]);
  });

  test.each<[Pagination, RegExp]>([
    [{ nextCursor: true }, /nextCursor is a boolean, not a string/],
    [{ nextCursor: [1, 'a'] }, /nextCursor is an object, not a string/],
    [{ next: 'https://api.example/2' }, /has "next", and no "nextCursor"/],
    [{ nextPageToken: 'x', total: 3 }, /has "nextPageToken", and/],
    [{ links: { next: '/2' } }, /has "links", and/],
    [{ links: [{ rel: 'next', href: '/2' }] }, /has "links", and/],
    [{ next: { href: '/2' } }, /has "next", and/],
    [{ has_more: true }, /has "has_more", and/],
    [{ more: true }, /has "more", and/],
    [{ isTruncated: true }, /has "isTruncated", and/],
    [{ last: false }, /has "last", and/],
    [{ hasMore: true, offset: 0, totalCount: 25 }, /has "hasMore", and|paged by offset/],
    [{ page: 2, totalPages: 9 }, /has "page", "totalPages", and no "nextCursor", so pages follow/],
    [{ offset: 25, totalCount: 99 }, /has "offset".* "totalCount"/],
  ])('%j, on any page and with an end of any kind', (pagination, problem) => {
    for (const end of ENDS) {
      expect(problemOf(first, { ...end, ...pagination }, ENTRY)?.[0]).toMatch(problem);
      expect(problemOf(later, { ...end, ...pagination }, ENTRY)?.[0]).toMatch(problem);
    }
  });

  test.each<[Pagination, RegExp]>([
    [OFFSET, /paged by offset/],
    [{ nextPage: 2 }, /has "nextPage", and/],
    [{ page: 1, totalPages: 9 }, /has "page", "totalPages", and/],
  ])(
    '%j on the first page only: behind a cursor, such counts do not count the list',
    (pagination, problem) => {
      for (const end of ENDS) {
        expect(problemOf(first, { ...end, ...pagination }, ENTRY)?.[0]).toMatch(problem);
        expect(problemOf(later, { ...end, ...pagination }, ENTRY)).toBeNull();
      }
    },
  );
});

/** The check of a page with members beside its rows, and an end of any kind. */
const beside = (level: Extra['level'], end: Pagination) => (members: Pagination, list: typeof ENTRY) => {
  const extras = Object.entries(members).map(([name, value]): Extra => {
    return { level, name, json: Buffer.from(JSON.stringify(value)) };
  });
  checkCursorPaging({ pagination: end, extras, rows: 25, isFirst: true }, list);
};

test.each<Pagination>([
  { nextCursor: 'x' },
  { nextCursor: 25 },
  { nextPageToken: 'x' },
  { links: { next: '/2' } },
  { _links: { next: { href: '/2' } } },
  { paging: { next: { after: 'x' } } },
  { pagination: { nextCursor: 'x' } },
  { '@odata.nextLink': '/2' },
  { hasMore: true },
  { more: true },
  { isTruncated: true },
  { last: false },
])('%j beside the rows or the pagination object says that pages follow', (members) => {
  const [name = ''] = Object.keys(members);
  for (const end of ENDS) {
    expect(problemOf(beside('page', end), members, ENTRY)?.[0]).toContain(`the page has "${name}", and no`);
    expect(problemOf(beside('metadata', end), members, ENTRY)?.[0]).toContain(`has "metadata.${name}", and`);
  }
  expect(problemOf(beside('page', { nextCursor: 'x' }), members, ENTRY)).toBeNull();
});

test.each<Pagination>([
  { nextCursor: '' },
  { nextCursor: null },
  { hasMore: false, more: 0, last: true, isTruncated: 'false' },
  { links: { self: '/1', next: null }, _links: { next: { href: '' } } },
  { nextMaintenance: '2026-05-01', nextUpdate: 9, next: 2 },
  { continuation: 'x', linkedRows: ['x'], lastPage: 4, after: 'x' },
])('%j beside the rows or the pagination object of an end is accepted', (members) => {
  for (const level of ['page', 'metadata'] as const)
    for (const end of ENDS) expect(problemOf(beside(level, end), members, ENTRY)).toBeNull();
});

test.each<[Pagination, names: string[]]>([
  [{ cursor: '25', limit: 25 }, ['cursor']],
  [{ after: '25' }, ['after']],
  [{ cursors: { after: '25', before: null } }, ['cursors']],
  [{ cursors: { before: '1' }, cursor: '', endCursor: null, pageSize: 'x' }, []],
])('the other cursors of %j are %j', (pagination, names) => {
  expect(otherCursors(pagination)).toStrictEqual(names);
});

test.each([
  ['x', 'x'],
  ['nullable', 'nullable'],
  ['0', '0'],
  ['null', null],
  [' undefined', null],
  ['None', null],
  [{}, null],
  [[], null],
  [false, null],
  ['', null],
  [' ', null],
  [null, null],
  [undefined, null],
])('the next cursor of %j is %j', (nextCursor, expected) => {
  expect(nextCursorOf({ nextCursor })).toBe(expected);
});
