import { expect, test } from 'vitest';
import { configError, transientError } from '../errors.ts';
import type { PageRequest } from '../paging/cursor/list.ts';
import { createCutCheck } from './cut-page.ts';

const REQUEST: PageRequest = {
  after: null,
  createdSince: '2026-01-01T00:00:00Z',
  boundFrom: 'state',
  sendByMs: 1,
  serverErrorMs: null,
  mayBeRefused: false,
  limitAfter: () => null,
};

const pageOf = (rows: number, hasCursor: boolean, otherCursors: readonly string[]) => ({
  rows: Array.from({ length: rows }),
  hasCursor,
  otherCursors,
});
type Page = ReturnType<typeof pageOf>;

/** Checks pages of a list that answers a request for half of one; returns what is thrown, and the limits that were sent. */
async function checked(pages: readonly Page[], answer: (limit: number) => Page | Promise<Page>) {
  const limits: unknown[] = [];
  const check = createCutCheck({ name: 'alarms', place: 'alarms' });
  const ask = async (request: PageRequest): Promise<Page> => {
    const limit = request.limitAfter(0);
    limits.push(limit);
    expect(request).toMatchObject({ after: null, createdSince: REQUEST.createdSince, sendByMs: null });
    return answer(Number(limit));
  };
  try {
    for (const [at, page] of pages.entries())
      await check(page, { ...REQUEST, after: at === 0 ? null : 'x' }, ask);
    return { limits, error: null };
  } catch (error) {
    return { limits, error: (error as Error).message };
  }
}

const cut = (limit: number) => pageOf(limit, false, []);

test('a page without a cursor that is cut at half of its rows has no cursor for the others', async () => {
  const { limits, error } = await checked([pageOf(25, false, ['cursor'])], cut);
  expect(limits).toStrictEqual([12]);
  expect(error).toBe(
    'alarms: asked for 12 of 25 rows, the server returns 12, and metadata.pagination has no "nextCursor" but "cursor", so pages may ' +
      "follow that cannot be requested. Ask the API's provider how the pages of this list are requested: by cursor, only " +
      '"nextCursor" is supported.',
  );
});

test('a page without a cursor that is cut may have fewer rows than its limit', async () => {
  const { error } = await checked([pageOf(25, false, [])], (limit) => pageOf(limit - 3, false, []));
  expect(error).toMatch(/asked for 12 of 25 rows, the server returns 9, and/);
});

test.each<[what: string, (limit: number) => Page]>([
  ['has a cursor', (limit) => pageOf(limit, true, [])],
  ['is not cut', () => pageOf(25, false, [])],
  ['is empty, since rows were deleted', () => pageOf(0, false, [])],
])('a page without a cursor may be complete: a smaller one %s', async (_, answer) => {
  // asked once, whatever follows
  const pages = [pageOf(25, false, []), pageOf(25, false, [])];
  expect(await checked(pages, answer)).toStrictEqual({ limits: [12], error: null });
});

test.each([
  ['a limit', configError('REQUEST_REFUSED', 'no')],
  ['any question', configError('NOT_FOUND', 'no')],
])('if the server refuses %s, only another cursor tells', async (_, refusal) => {
  const refuse = () => Promise.reject(refusal);
  expect((await checked([pageOf(25, false, [])], refuse)).error).toBeNull();
  expect((await checked([pageOf(25, false, ['after'])], refuse)).error).toMatch(
    /no "nextCursor" but "after"/,
  );
});

test('if the server ignores the limit, only another cursor tells', async () => {
  const answer = () => pageOf(25, false, ['after']);
  expect((await checked([pageOf(25, false, ['after'])], answer)).error).toMatch(
    /no "nextCursor" but "after"/,
  );
});

test('a failure is none of the paging', async () => {
  const error = transientError('API_UNAVAILABLE', 'down', null);
  expect((await checked([pageOf(25, false, [])], () => Promise.reject(error))).error).toBe('down');
});

test.each<[what: string, pages: Page[]]>([
  ['a page with a cursor', [pageOf(25, true, [])]],
  ['few rows', [pageOf(3, false, ['cursor'])]],
  ['an empty page', [pageOf(0, false, [])]],
  ['the page after one with a cursor', [pageOf(25, true, []), pageOf(25, false, ['cursor'])]],
])('nothing is asked about %s', async (_, pages) => {
  expect(await checked(pages, cut)).toStrictEqual({ limits: [], error: null });
});
