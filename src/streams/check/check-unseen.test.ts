import { expect, test } from 'vitest';
import { rowOf } from '../../rows/row.test-support.ts';
import { configError } from '../../errors.ts';
import { checkCursorList, type FetchLimited } from './check-cursor.ts';

const LIST = { name: 'alarms', place: 'alarms', path: '/v1/alarms' };
const CONFIG = { created_field: 'createdDate', id_field: 'alarmId', lookback_seconds: 300 };

/** Checks a list whose pages have these rows, and then more. */
function check(pages: readonly (readonly string[])[]): Promise<string> {
  let requests = 0;
  return checkCursorList(LIST, CONFIG, async (limit) => {
    const rows = (pages[requests++] ?? []).map(rowOf);
    return { rows, next: `c${requests}`, time: 0n, sentAtMs: 0, receivedAtMs: 0, limit };
  });
}

const at = (createdDate: string, id: number): string => JSON.stringify({ alarmId: `a${id}`, createdDate });
const SAME = Array.from({ length: 30 }, (_, id) => at('2026-03-01T00:00:00Z', id));

test.each<[what: string, pages: readonly (readonly string[])[], note: string]>([
  ['empty pages', [], 'the first 3 pages are empty, so no field was checked'],
  ['rows behind empty pages', [[], SAME], 'createdSince was not checked: all rows have about the same time'],
])('an ok is only said of what was seen: %s', async (_, pages, note) => {
  expect(await check(pages)).toBe(`ok. Note: ${note}.`);
});

test('a list whose cursor returns its first page again fails', async () => {
  const rows = SAME.map(rowOf);
  const ignoring: FetchLimited = async (limit) => ({
    rows,
    next: 'c1',
    time: 0n,
    sentAtMs: 0,
    receivedAtMs: 0,
    limit,
  });
  await expect(checkCursorList(LIST, CONFIG, ignoring)).rejects.toThrow(
    /^alarms: the server returns its first page again for the cursor of that page, so no read would get past it\. Check alarms\.base_url/,
  );
});

test('a list that refuses its cursor fails', async () => {
  const rows = SAME.map(rowOf);
  const refusing: FetchLimited = async (limit, { after }) => {
    if (after !== null) throw configError('REQUEST_REFUSED', 'alarms: cursor refused');
    return { rows, next: 'c1', time: 0n, sentAtMs: 0, receivedAtMs: 0, limit };
  };
  await expect(checkCursorList(LIST, CONFIG, refusing)).rejects.toThrow('alarms: cursor refused');
});
