import { expect, test } from 'vitest';
import { isConnectorError } from '../errors.ts';
import type { OffsetFinding } from './offset-messages.ts';
import { completenessWarnings, incompleteError, judgeCompleteness } from './offset-outcome.ts';

const FOUND: OffsetFinding = {
  cause: null,
  rows: 30,
  copies: 0,
  expected: 30,
  maxTotal: 30,
  isTotalSteady: true,
  passes: 1,
  limitedAt: null,
  refusal: null,
  hasClash: false,
  isReordered: false,
  cutsPages: false,
  seen: { pages: 4, found: 30, granted: 10, offsets: [0, 29], total: 30, hasCursor: false },
  key: 'assetId',
  list: { name: 'assets', place: 'assets' },
  keyless: null,
};
const REFUSAL = { offset: 29, words: 'status 400: offset + limit must be at most 30' };
const FAIL = { missing_rows: 'fail', min_rows: 0 } as const;
const WARN = { missing_rows: 'warn', min_rows: 0 } as const;

test.each<{
  found: Partial<OffsetFinding>;
  rules: Parameters<typeof incompleteError>[1];
  verdict: string;
}>([
  { found: {}, rules: FAIL, verdict: 'complete' },
  { found: { rows: 31, isTotalSteady: false }, rules: FAIL, verdict: 'complete' },
  { found: { expected: 0, maxTotal: null }, rules: FAIL, verdict: 'complete' },
  { found: { rows: 0, expected: 0 }, rules: FAIL, verdict: 'empty' },
  { found: { expected: 31 }, rules: FAIL, verdict: 'ROWS_MISSING' },
  { found: { rows: 0, expected: 3000 }, rules: FAIL, verdict: 'ROWS_MISSING' },
  { found: { expected: 31 }, rules: WARN, verdict: 'short, as allowed' },
  { found: { rows: 0, expected: 3000 }, rules: WARN, verdict: 'short, as allowed' },
  { found: { expected: 3000, limitedAt: 30 }, rules: FAIL, verdict: 'OFFSET_LIMITED' },
  { found: { limitedAt: 30 }, rules: FAIL, verdict: 'OFFSET_LIMITED' },
  { found: { expected: 3000, limitedAt: 30 }, rules: WARN, verdict: 'short, as allowed' },
  { found: { cause: 'the list changes too fast' }, rules: WARN, verdict: 'LIST_UNSTABLE' },
  { found: { cause: 'the offset is ignored' }, rules: WARN, verdict: 'PAGES_UNUSABLE' },
  { found: { cause: 'one row per page' }, rules: FAIL, verdict: 'PAGES_UNUSABLE' },
  { found: { cause: 'rows cannot be recognized' }, rules: FAIL, verdict: 'PAGES_UNUSABLE' },
  {
    found: { cause: 'nothing is shown beyond an offset', limitedAt: 29 },
    rules: FAIL,
    verdict: 'OFFSET_LIMITED',
  },
  { found: { hasClash: true }, rules: FAIL, verdict: 'complete' },
  { found: { hasClash: true, rows: 31, isTotalSteady: false }, rules: FAIL, verdict: 'ROWS_MISSING' },
  { found: { hasClash: true, expected: 0 }, rules: FAIL, verdict: 'ROWS_MISSING' },
  { found: { hasClash: true, expected: 0, maxTotal: null }, rules: WARN, verdict: 'short, as allowed' },
  { found: {}, rules: { ...FAIL, min_rows: 30 }, verdict: 'complete' },
  { found: {}, rules: { ...FAIL, min_rows: 31 }, verdict: 'TOO_FEW_ROWS' },
  { found: { expected: 31 }, rules: { ...FAIL, min_rows: 40 }, verdict: 'ROWS_MISSING' },
  { found: { expected: 31 }, rules: { ...WARN, min_rows: 40 }, verdict: 'TOO_FEW_ROWS' },
  { found: { rows: 0, expected: 0 }, rules: { ...WARN, min_rows: 1 }, verdict: 'TOO_FEW_ROWS' },
])('$found with $rules is $verdict', ({ found, rules, verdict }) => {
  const all = { ...FOUND, ...found };
  expect(judgeCompleteness(all, rules)).toBe(verdict);
  const error = incompleteError(all, rules);
  expect(isConnectorError(error, null) ? error.code : null).toBe(/^[A-Z_]+$/.test(verdict) ? verdict : null);
  expect(completenessWarnings(all, rules)).toHaveLength(/ |empty/.test(verdict) ? 1 : 0);
});

test('the errors contain both numbers and the key that changes them', () => {
  const said = [
    incompleteError({ ...FOUND, expected: 3000, passes: 2 }, FAIL),
    incompleteError({ ...FOUND, hasClash: true, expected: 0 }, FAIL),
    incompleteError({ ...FOUND, rows: 10_000, expected: 25_000, maxTotal: 25_000, limitedAt: 10_000 }, FAIL),
    incompleteError({ ...FOUND, expected: 3000, isReordered: true }, FAIL),
    incompleteError({ ...FOUND, expected: 3000, cutsPages: true }, FAIL),
    incompleteError({ ...FOUND, cause: 'the offset is ignored' }, FAIL),
    incompleteError({ ...FOUND, cause: 'one row per page' }, FAIL),
    incompleteError({ ...FOUND, cause: 'offsets are multiples of small pages' }, FAIL),
    incompleteError({ ...FOUND, cause: 'rows cannot be recognized', keyless: ['vin', 'seen'] }, FAIL),
    incompleteError({ ...FOUND, cause: 'the list changes too fast', refusal: REFUSAL }, FAIL),
    incompleteError({ ...FOUND, expected: 40, maxTotal: 40, limitedAt: 29, refusal: REFUSAL }, FAIL),
    incompleteError({ ...FOUND, list: { name: 'drivers', place: 'lists[1]' } }, { ...FAIL, min_rows: 100 }),
  ];
  expect(said.map((error) => error?.message).join('\n')).toMatchInlineSnapshot(`
    "assets: the list states 3,000 rows, but 30 distinct rows were found in 2 passes. Rows with the same "assetId", or with the same text if they have none, count as one. The service may have returned only a part of the list, or the order of the list changed while it was read: try again later. If totalCount counts something other than the rows of this list, set assets.missing_rows to "warn".
    assets: 30 distinct rows were found in 1 pass, but different rows of one page have the same "assetId": only the first of them is emitted. If you added this list, set assets.id_field to a field with unique values; otherwise, ask the API's provider for unique values. To accept losing the other rows, set assets.missing_rows to "warn".
    assets: the server returns no rows from offset 10000 on, or none but earlier ones, although it states 25,000 rows: it limits how far the list can be read. Ask the API's provider to lift this limit. If totalCount counts something other than the rows of this list, set assets.missing_rows to "warn".
    assets: the list states 3,000 rows, but 30 distinct rows were found in 1 pass. Rows with the same "assetId", or with the same text if they have none, count as one. Rows changed their order while the list was read. A larger assets.page_size helps, and so does a sort that leaves no ties, such as by created time and then by key: ask the API's provider for it. If totalCount counts something other than the rows of this list, set assets.missing_rows to "warn".
    assets: the list states 3,000 rows, but 30 distinct rows were found in 1 pass. Rows with the same "assetId", or with the same text if they have none, count as one. Pages had fewer rows than others although rows followed: the service may leave rows out after it has cut a page, and count them; ask the API's provider. If totalCount counts something other than the rows of this list, set assets.missing_rows to "warn".
    assets: 4 pages did not reach the end of the list (30 rows found, the list states 30 rows, the latest offsets are from 0 to 29). The server returns the first page at all of these offsets, so pages cannot overlap: it ignores the offset, or allows only multiples of its own page size. Check assets.base_url and any proxy on the way (it may drop the query); otherwise the API's provider must fix it.
    assets: 4 pages did not reach the end of the list (30 rows found, the list states 30 rows, the latest offsets are from 0 to 29). The server returns only one row per page, and such pages cannot overlap. Raise assets.page_size, or ask the API's provider to allow larger pages.
    assets: 4 pages did not reach the end of the list (30 rows found, the list states 30 rows, the latest offsets are from 0 to 29). The server takes only multiples of the limit as offsets, and pages of 10 rows cannot overlap everywhere. Raise assets.page_size, or ask the API's provider to allow any offset.
    assets: 4 pages did not reach the end of the list (30 rows found, the list states 30 rows, the latest offsets are from 0 to 29). Rows of one page were not found again in the next, and have no "assetId" (a string or number) by which to recognize them after a change (they have "vin", "seen"). The API's provider must send "assetId" with each row.
    assets: 4 pages did not reach the end of the list (30 rows found, the list states 30 rows, the latest offsets are from 0 to 29). The list changes faster than it can be read. The server refused offset 29 (status 400: offset + limit must be at most 30). Try again when there is less activity, or with a larger assets.page_size.
    assets: the server returns no rows from offset 29 on, or none but earlier ones, although it states 40 rows: it limits how far the list can be read. It refuses offset 29 (status 400: offset + limit must be at most 30). Ask the API's provider to lift this limit. If totalCount counts something other than the rows of this list, set assets.missing_rows to "warn".
    drivers: the read found 30 rows, fewer than lists[1].min_rows (100). Check what the service lists for this credential; lower min_rows if the list may be that short."
  `);
});

test.each([
  [{ keyless: ['vin'] }, [/some rows have no "assetId" .* may be repeated/]],
  [{ rows: 418 }, [/^418 distinct rows were emitted, but the list never stated more than 30/]],
  [{ rows: 418, maxTotal: 0 }, [/418 distinct rows .* more than 0/]],
  [{ rows: 418, isTotalSteady: false }, []],
  [{ rows: 418, maxTotal: null, expected: 0 }, []],
  [{ refusal: REFUSAL, maxTotal: null, expected: 0 }, [/refuses offset 29 and states no total/]],
  [{ refusal: REFUSAL }, []],
  [{ isReordered: true }, [/^rows changed their order .* larger assets\.page_size .* leaves no ties/]],
  [{ rows: 20, copies: 10 }, [/^10 lines show a row of the same page again/]],
])('warnings about %j', (found, message) => {
  const expected = message.map((one) => expect.stringMatching(one) as unknown);
  expect(completenessWarnings({ ...FOUND, ...found }, FAIL)).toStrictEqual(expected);
});
