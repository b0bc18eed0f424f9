import { expect, test } from 'vitest';
import { rowOf } from '../../rows/row.test-support.ts';
import { checkCursorList } from './check-cursor.ts';

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
  [
    'rows behind empty pages',
    [[], [], SAME],
    'createdSince was not checked: it took 3 requests to find rows',
  ],
  ['one instant', [SAME], 'createdSince was not checked: all rows have about the same time'],
  ['two rows', [SAME.slice(0, 2)], 'createdSince was not checked: there are fewer than 3 rows with a time'],
])('an ok is only said of what was seen: %s', async (_, pages, note) => {
  expect(await check(pages)).toBe(`ok. Note: ${note}.`);
});
