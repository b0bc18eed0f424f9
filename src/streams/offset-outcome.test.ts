import { expect, test } from 'vitest';
import { isConnectorError } from '../errors.ts';
import { completenessWarnings, incompleteError } from './messages/offset.ts';
import { judgeCompleteness, type Found } from './offset-outcome.ts';

const FOUND: Found = {
  rows: 30,
  expected: 30,
  maxTotal: 30,
  isTotalSteady: true,
  hasShrunk: false,
  passes: 1,
  limitedAt: null,
  beyond: null,
  refusedAt: null,
  refusal: null,
  hasClash: false,
  repeatedLines: 0,
  reordered: 0,
  cutsPages: false,
  leftOut: 0,
  statedLater: 0,
  hidden: 0,
  key: 'assetId',
  list: { name: 'assets', place: 'assets' },
  hasKeyless: false,
};
const FAIL = { missing_rows: 'fail', min_rows: 0 } as const;
const WARN = { missing_rows: 'warn', min_rows: 0 } as const;

test.each([
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
  // rows that change their order seem to be hidden
  { found: { expected: 3000, limitedAt: 30, reordered: 3 }, rules: FAIL, verdict: 'ROWS_MISSING' },
  { found: { hidden: 3 }, rules: FAIL, verdict: 'ROWS_MISSING' },
  { found: { hidden: 3 }, rules: WARN, verdict: 'short, as allowed' },
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
    incompleteError({ ...FOUND, hidden: 3 }, FAIL),
    incompleteError({ ...FOUND, hasClash: true, expected: 0 }, FAIL),
    incompleteError({ ...FOUND, rows: 10_000, expected: 25_000, limitedAt: 10_000 }, FAIL),
    incompleteError({ ...FOUND, list: { name: 'drivers', place: 'lists[1]' } }, { ...FAIL, min_rows: 100 }),
  ];
  expect(said.map((error) => error?.message).join('\n')).toMatchInlineSnapshot(`
    "assets: the list states 3,000 rows, but 30 distinct rows were found in 2 passes. Rows with the same "assetId", or with the same text if they have none, count as one. The total may be out of date, the service may have returned only a part of the list, or the order of the list changed while it was read: try again later. If totalCount counts something other than the rows of this list, set assets.missing_rows to "warn".
    assets: the list states 3 rows more after the last one that it returns. The total may be out of date: try again later. If it still states more rows then, the service limits how far the list can be read: ask the API's provider to lift this limit. If totalCount counts something other than the rows of this list, set assets.missing_rows to "warn".
    assets: 30 distinct rows were found in 1 pass, but different rows of one page have the same "assetId": only the first of them is emitted. If you added this list, set assets.id_field to a field with unique values; otherwise, ask the API's provider for unique values. To accept losing the other rows, set assets.missing_rows to "warn".
    assets: the server returns no rows from offset 10000 on, or none but earlier ones, although it states 25,000 rows: it limits how far the list can be read, counts the offset in pages instead of rows, or returns an empty page wherever a certain row belongs. Ask the API's provider to lift this limit. If totalCount counts something other than the rows of this list, set assets.missing_rows to "warn".
    drivers: the read found 30 rows, fewer than lists[1].min_rows (100). Check what the service lists for this credential; lower min_rows if the list may be that short."
  `);
});

test.each([
  [{ hasKeyless: true }, [/some rows have no "assetId" .* may be repeated/]],
  [{ rows: 418 }, [/^418 distinct rows were emitted, but the list never stated more than 30/]],
  [{ rows: 418, maxTotal: 0 }, [/418 distinct rows .* more than 0/]],
  [{ rows: 418, isTotalSteady: false }, []],
  [{ rows: 418, maxTotal: null, expected: 0 }, []],
  [{ refusedAt: 30, maxTotal: null, expected: 0 }, [/refuses offset 30 and states no total/]],
  [{ refusedAt: 30 }, []],
])('warnings about %j', (found, message) => {
  const expected = message.map((one) => expect.stringMatching(one) as unknown);
  expect(completenessWarnings({ ...FOUND, ...found }, FAIL)).toStrictEqual(expected);
});
