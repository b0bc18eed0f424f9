import { expect, test } from 'vitest';
import type { StreamState } from '../protocol/messages.ts';
import { CONFIG, NOTHING, NOW_MS, compared } from './cursor-cases.fake.ts';
import {
  HOUR_MS,
  SECOND_MS,
  listed,
  readOnce,
  serviceOf,
  textsOf,
  type Listed,
} from './cursor-service.fake.ts';

/** A row in local time, 5 hours west of the clock of the server. */
function localAt(minute: number): Listed {
  const ms = NOW_MS - 5 * HOUR_MS + minute * 60 * SECOND_MS;
  return listed(ms, `row ${minute}`, new Date(ms).toISOString().slice(0, -1));
}

/** A place in a list that is in no order of time. */
function placeOf({ time }: Listed): number {
  return ((time / (60 * SECOND_MS)) * 7919) % 1009;
}

test('rows that arrive before a killed read goes on are not lost where times are local and lists in no order', async () => {
  const all = Array.from({ length: 600 }, (_, at) => localAt(at - 100));
  const listAt = (rows: number): Listed[] => all.slice(0, rows).toSorted((a, b) => placeOf(a) - placeOf(b));
  const service = serviceOf(listAt(101), 25);
  const first = await readOnce(service, null, CONFIG, 2);
  const emitted = [...first.rows];
  let { state } = first;
  for (const minutes of [400, 480]) {
    service.list.splice(0, Infinity, ...listAt(101 + minutes));
    service.nowMs = NOW_MS + minutes * 60 * SECOND_MS;
    const next = await readOnce(service, state, CONFIG, Infinity);
    emitted.push(...next.rows);
    ({ state } = next);
  }
  expect(compared(textsOf(service.list), emitted)).toEqual(NOTHING);
});

test.each([
  { lateBy: 'the lookback', lookback_seconds: 3600, west: 0, zone: 'Z' },
  {
    lateBy: 'the hour that daylight saving time may take back',
    lookback_seconds: 0,
    west: 5 * HOUR_MS,
    zone: '',
  },
])('a list by time of receipt repeats no rows that were late by less than $lateBy', async (given) => {
  const { lookback_seconds, west, zone } = given;
  const all = Array.from({ length: 600 }, (_, at) => {
    const received = NOW_MS - 10 * HOUR_MS + at * 60 * SECOND_MS - west;
    const created = received - (at % 7 === 3 ? 50 * 60 * SECOND_MS : 0);
    return listed(received, `row ${at}`, new Date(created).toISOString().slice(0, 23) + zone);
  });
  const service = serviceOf([], 25);
  let state: StreamState | null = null;
  const emitted: string[] = [];
  for (let hour = 1; hour <= 10; hour++) {
    service.list.push(...all.slice((hour - 1) * 60, hour * 60));
    service.nowMs = NOW_MS - (10 - hour) * HOUR_MS;
    const config = { ...CONFIG, lookback_seconds };
    const read: Awaited<ReturnType<typeof readOnce>> = await readOnce(service, state, config, Infinity);
    emitted.push(...read.rows);
    ({ state } = read);
  }
  expect(compared(textsOf(all), emitted)).toEqual(NOTHING);
});
