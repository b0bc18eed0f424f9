import { expect, test } from 'vitest';
import type { StreamState } from '../protocol/messages.ts';
import {
  CONFIG,
  MINUTE_MS,
  NOTHING,
  REST,
  START_MS,
  alarm,
  clientOf,
  compared,
  readFrom,
} from './cursor-cases.fake.ts';

const minute = (at: number): string => new Date(START_MS + at * MINUTE_MS).toISOString();

test('a read that cuts its only range never saves more ranges than a state accepts', async () => {
  const alarms = Array.from({ length: 3000 }, (_, row) => alarm(row / 50));
  // what several reads with other dates have left open
  const left = Array.from({ length: 60 }, (_, at) => {
    const since = at === 0 ? 0 : 60 + 2 * at;
    return { since: minute(since), until: at === 59 ? undefined : minute(at === 0 ? 60 : since + 1) };
  });
  let state: StreamState = { created_since: minute(0), created_field: 'createdDate', seen: [], open: left };
  const config = { ...CONFIG, lookback_seconds: 1, parallel_chains: 32 };
  const client = clientOf({ ...REST, alarms, pageSize: 10 });
  const first = await readFrom(client, state, 60, { ...config, end_date: minute(59) });
  const counts = first.states.map(({ open }) => (open as unknown[]).length);
  expect(Math.max(...counts)).toBe(64);
  state = first.states.at(-1) ?? state;
  const next = await readFrom(client, state, Infinity, config);
  expect(compared(alarms, [...first.rows, ...next.rows])).toEqual(NOTHING);
});

test.each([2, 8, 32])(
  '%i chains end a read also where the server refuses times without alarms',
  async (chains) => {
    const alarms = Array.from({ length: 2000 }, (_, row) => alarm(row / 2));
    const client = clientOf({ ...REST, alarms, refusesSilence: true });
    const config = { ...CONFIG, lookback_seconds: 1, parallel_chains: chains };
    const first = await readFrom(client, null, 60, config);
    const next = await readFrom(client, first.states.at(-1) ?? null, Infinity, config);
    expect(compared(alarms, [...first.rows, ...next.rows])).toEqual(NOTHING);
  },
);
