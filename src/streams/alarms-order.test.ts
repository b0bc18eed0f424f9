import { describe, expect, test } from 'vitest';
import { writeTime, type TimeFormat } from '../paging/instant.ts';
import { FORMATS, NOW, SECOND } from './alarm-server.arbitraries.fake.ts';
import { createAlarmServer, type AlarmServer, type FakeAlarm } from './alarm-server.fake.ts';
import { CONFIG, WHOLE, readOnce } from './alarms-runs.fake.ts';

const ROWS = 60;
const SECONDS = FORMATS['seconds'] as TimeFormat;
const SPACING = 30n; // seconds between two rows; the whole list is long before now
const FIRST = NOW - (NOW % SECOND) - 10_000n * SECOND;

/** Alarms in ascending order except for one, which follows alarms that are newer by more than the lookback. */
function listWith(late: number, place: number): AlarmServer {
  const ids = Array.from({ length: ROWS }, (_, id) => id).filter((id) => id !== late);
  ids.splice(place, 0, late);
  return serverOf(ids.map(alarmOf), 5);
}

function alarmOf(id: number): FakeAlarm {
  const created = FIRST + BigInt(id) * SPACING * SECOND;
  return { id, created, visible: created };
}

function serverOf(alarms: readonly FakeAlarm[], pageSize: number): AlarmServer {
  return createAlarmServer({
    alarms,
    format: SECONDS,
    pageSize,
    bound: 'inclusive',
    precision: 1n,
    order: 'given',
    now: NOW,
    steps: [],
    delays: [],
    cursorLife: Number.POSITIVE_INFINITY,
    staleCursor: 'refuse',
  });
}

const all = Array.from({ length: ROWS }, (_, id) => id);
const missing = (rows: readonly number[]): number[] => all.filter((id) => !rows.includes(id));

describe('a list that turns out to be unordered late', () => {
  test('a single chain that began at the start continues without repeating rows', async () => {
    const { rows, complete } = await readOnce(listWith(3, 45), null, WHOLE, CONFIG);
    expect(complete).toBe(true);
    expect(rows.toSorted((a, b) => a - b)).toStrictEqual(all);
  });
});

describe('a row that is late by less than the lookback', () => {
  const PATIENT = { ...CONFIG, lookback_seconds: 20 * Number(SPACING) };

  test('is found after rows beyond the end date', async () => {
    const config = { ...PATIENT, end_date: writeTime(alarmOf(16).created, SECONDS) };
    const { rows, complete } = await readOnce(listWith(15, 35), null, WHOLE, config);
    expect(complete).toBe(true);
    expect(rows.toSorted((a, b) => a - b)).toStrictEqual(all.slice(0, 17));
  });

  test('is found by a read that resumes from a state before it', async () => {
    const api = listWith(20, 30);
    const first = await readOnce(api, null, { killedAfter: 6, states: [true] }, PATIENT);
    expect(first.rows).not.toContain(20);
    const next = await readOnce(api, first.state, WHOLE, PATIENT);
    expect(missing([...first.rows, ...next.rows])).toStrictEqual([]);
  });
});

test.each([1, 4])('an alarm with a time in the future does not end a read by %i chains', async (chains) => {
  const ids = all.filter((id) => id !== 55);
  ids.splice(25, 0, 55);
  const end = writeTime(alarmOf(40).created, SECONDS);
  const config = { ...CONFIG, end_date: end, parallel_chains: chains };
  const { rows, complete } = await readOnce(serverOf(ids.map(alarmOf), 5), null, WHOLE, config);
  expect(complete).toBe(true);
  expect([...new Set(rows)].toSorted((a, b) => a - b)).toStrictEqual(all.slice(0, 41));
});

describe('a list without recent rows', () => {
  test.each([1, 2, 8])('%i chains leave the state at its newest row, and find a late one', async (chains) => {
    const created = FIRST + 8_000n * SECOND;
    const late = { id: ROWS, created, visible: NOW + 3_600n * SECOND };
    const api = serverOf([...all.map(alarmOf), late], 5);
    const config = { ...CONFIG, parallel_chains: chains };
    const first = await readOnce(api, null, WHOLE, config);
    expect(first.rows).toHaveLength(ROWS);
    api.pass(3_600n * SECOND);
    expect((await readOnce(api, first.state, WHOLE, config)).rows).toStrictEqual([ROWS]);
  });
});
