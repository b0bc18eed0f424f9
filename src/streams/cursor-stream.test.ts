import { expect, test } from 'vitest';

import type { ListClient } from '../api/client.ts';
import { rowOf } from '../protocol/row.test-support.ts';
import { cursorStream } from './cursor-stream.ts';

const LIST = { name: 'alarms', created: 'createdDate', schema: { title: 'Alarm', properties: {} } };
const START = '2026-01-01T00:00:00Z';
const CONFIG = { created_field: 'createdDate', start_date: START, lookback_seconds: 0, parallel_chains: 1 };

const ignored = async (): Promise<void> => undefined;

test('each page of a chain is asked for with the createdSince of its first one', async () => {
  const asked: string[] = [];
  const client: ListClient = {
    get: async (query) => {
      asked.push(query.toString());
      const nextCursor = asked.length < 3 ? `c${asked.length}` : null;
      const rows = [rowOf({ createdDate: `2026-01-0${asked.length}T00:00:00Z` })];
      return { rows, pagination: { nextCursor }, serverTimeMs: Date.parse('2026-02-01'), sentAtMs: 0 };
    },
  };
  const batches = cursorStream(LIST, CONFIG, client).read({
    syncMode: 'incremental',
    state: null,
    signal: new AbortController().signal,
    now: () => 0,
    info: ignored,
    warn: ignored,
    onWait: ignored,
  });
  let rows = 0;
  for await (const batch of batches) rows += batch.rows.length;
  const since = 'createdSince=2025-12-31T23%3A59%3A59Z';
  expect(asked).toStrictEqual([since, `after=c1&${since}`, `after=c2&${since}`]);
  expect(rows).toBe(3);
});
