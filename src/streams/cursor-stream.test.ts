import { expect, test } from 'vitest';
import type { ListClient } from '../api/client.ts';
import { CURSOR_STATE } from '../limits.ts';
import type { StreamState } from '../protocol/messages.ts';
import { rowOf, rowsOf } from '../rows/row.test-support.ts';
import { rowBytes } from '../rows/row.ts';
import { cursorStream } from './cursor-stream.ts';

const LIST = { name: 'alarms', place: 'alarms', path: '/v1/list', schema: { properties: {} } };
const START = '2026-01-01T00:00:00Z';
const CONFIG = { created_field: 'createdDate', start_date: START, lookback_seconds: 0, parallel_chains: 1 };

const ignored = async (): Promise<void> => undefined;

test('each page of a chain is requested with the createdSince of the first, and none more than once', async () => {
  const asked: string[] = [];
  const client: ListClient = {
    get: async (query) => {
      asked.push(query.toString());
      const nextCursor = asked.length < 3 ? `c${asked.length}` : null;
      const rows = [rowOf({ createdDate: `2026-01-0${asked.length}T00:00:00Z` })];
      return {
        rows,
        pagination: { nextCursor },
        serverTimeMs: Date.parse('2026-02-01'),
        sentAtMs: 0,
        receivedAtMs: 0,
      };
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
  const since = 'createdSince=2025-12-31T23%3A59%3A00Z';
  expect(asked).toStrictEqual([since, `after=c1&${since}`, `after=c2&${since}`]);
  expect(rows).toBe(3);
});

test('times in a state are written like those in rows, even if the rest of a chain is empty and the server time has fractions', async () => {
  const now = Date.parse('2026-01-05T11:00:01.500Z');
  const client: ListClient = {
    get: async (query) => {
      const rows = query.has('after') ? [] : [rowOf({ createdDate: '2026-01-05T12:00:01+01:00' })];
      const nextCursor = query.has('after') ? null : 'c1';
      return { rows, pagination: { nextCursor }, serverTimeMs: now, sentAtMs: now, receivedAtMs: now };
    },
  };
  const { start_date: _, ...config } = { ...CONFIG, lookback_seconds: 1 };
  const statesFrom = async (state: StreamState | null): Promise<(StreamState | undefined)[]> => {
    const states: (StreamState | undefined)[] = [];
    const context = { signal: new AbortController().signal, now: () => now, info: ignored, warn: ignored };
    const read = cursorStream(LIST, config, client).read;
    for await (const batch of read({ ...context, syncMode: 'incremental', state, onWait: ignored }))
      states.push(batch.state?.());
    return states;
  };
  const [killed = null] = await statesFrom(null);
  expect(killed).toHaveProperty('open.0.chain.after', 'c1');
  expect((await statesFrom(killed)).at(-1)).toHaveProperty('created_since', '2026-01-05T12:00:00+01:00');
});

test('rows within the lookback that a state cannot remember are repeated with a warning', async () => {
  const now = Date.parse('2026-02-01');
  const beyond = 500;
  const count = CURSOR_STATE.maxSeen + beyond;
  const list = Array.from({ length: count }, (_, row) => {
    const createdDate = new Date(now - 2000 * (count - row)).toISOString();
    return JSON.stringify({ alarmId: row, status: 'open', createdDate });
  });
  const client: ListClient = {
    get: async () => ({
      rows: rowsOf(list),
      pagination: { nextCursor: null },
      serverTimeMs: now,
      sentAtMs: 0,
      receivedAtMs: 0,
    }),
  };
  const warnings: string[] = [];
  const read = async (from: StreamState | null): Promise<{ rows: string[]; state: StreamState | null }> => {
    const rows: string[] = [];
    let state = from;
    const batches = cursorStream(LIST, { ...CONFIG, lookback_seconds: 30 * 86_400 }, client).read({
      syncMode: 'incremental',
      state,
      signal: new AbortController().signal,
      now: () => now,
      info: ignored,
      warn: async (words) => void warnings.push(words),
      onWait: ignored,
    });
    for await (const batch of batches) {
      rows.push(...batch.rows.map((row) => rowBytes(row).toString()));
      state = batch.state?.() ?? state;
    }
    return { rows, state };
  };
  const first = await read(null);
  expect(first.rows).toHaveLength(count);
  expect(warnings).toEqual([]);
  const changed = (list.pop() ?? '').replace('open', 'closed');
  list.push(changed);
  const second = await read(first.state);
  expect(second.rows).toContain(changed);
  expect(second.rows.length - beyond).toBeOneOf([0, 1]);
  expect(warnings).toStrictEqual([expect.stringMatching(/^up to 500 rows may be repeated: /)]);
});

test('the time before a former start date stays open while the list is empty', async () => {
  const client: ListClient = {
    get: async () => ({
      rows: [],
      pagination: {},
      serverTimeMs: undefined,
      sentAtMs: Date.parse(START),
      receivedAtMs: Date.parse(START),
    }),
  };
  const config = { created_field: 'createdDate', lookback_seconds: 0, parallel_chains: 1 };
  const batches = cursorStream(LIST, config, client).read({
    syncMode: 'incremental',
    state: { created_since: '2025-12-02T00:00:00Z', covered_from: '2025-12-01T00:00:00Z' },
    signal: new AbortController().signal,
    now: () => Date.parse(START),
    info: ignored,
    warn: ignored,
    onWait: ignored,
  });
  let state: StreamState | undefined;
  for await (const batch of batches) state = batch.state?.();
  expect(state).toMatchObject({ created_since: undefined, covered_from: undefined, seen: [] });
});
