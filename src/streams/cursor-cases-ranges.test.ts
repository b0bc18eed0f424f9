import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ListClient } from '../api/client.ts';
import { rowsOf } from '../rows/row.test-support.ts';
import { firstOf, isLong } from '../property-runs.test-support.ts';
import { CONFIG, MINUTE_MS, NOTHING, NOW_MS, REST, START_MS } from './cursor-cases.fake.ts';
import { alarm, alarmsOf, clientOf, compared, readFrom, timeAt } from './cursor-cases.fake.ts';
import {
  HOUR_MS,
  SECOND_MS,
  listed,
  readOnce,
  serviceOf,
  textsOf,
  type Listed,
} from './cursor-service.fake.ts';

test.each(firstOf(1, [8, 2, 32]))(
  '%i chains: a read ends if the server refuses times without alarms',
  async (chains) => {
    const alarms = Array.from({ length: 2000 }, (_, row) => alarm(row / 2));
    const client = clientOf({ ...REST, alarms, refusesSilence: true });
    const config = { ...CONFIG, lookback_seconds: 1, parallel_chains: chains };
    const first = await readFrom(client, null, 60, config);
    const next = await readFrom(client, first.states.at(-1) ?? null, Infinity, config);
    expect(compared(alarms, [...first.rows, ...next.rows])).toEqual(NOTHING);
  },
);

test('an alarm that arrives just after its time was refused does not fail the read', async () => {
  for (let arrival = 2; arrival < 120; arrival += isLong ? 1 : 4) {
    const alarms = Array.from({ length: 400 }, (_, row) => alarm(row / 2));
    const onRequest = (request: number): void => {
      if (request === arrival) alarms.push(alarm(1439));
    };
    const client = clientOf({ ...REST, alarms, refusesSilence: true, onRequest });
    const slow: ListClient = {
      get: async (query, check, context) => {
        const answer = client.get(query, check, context);
        // a refusal arrives late: it was retried
        await answer.catch(() => setTimeout(1));
        return answer;
      },
    };
    const config = { ...CONFIG, lookback_seconds: 1, parallel_chains: 8 };
    const { rows } = await readFrom(slow, null, Infinity, config);
    expect(compared(alarms.slice(0, 400), rows).lost, `request ${arrival}`).toEqual([]);
  }
});

/** An alarm whose time is shown in whole minutes. */
const inMinutes = (minute: number, words: string): string => alarm(minute, words).replace(':00.000Z', 'Z');

test('a start date finer than the created times of alarms does not hide later alarms of the same minute', async () => {
  const newest = inMinutes(60, 'from a fast clock');
  const alarms = [inMinutes(1, 'first'), inMinutes(5, 'second'), newest];
  const client = clientOf({ ...REST, alarms, serverMs: () => START_MS + 5 * MINUTE_MS + 813 });
  const config = { ...CONFIG, start_date: timeAt(0).replace('.000', '.345'), lookback_seconds: 0 };
  const first = await readFrom(client, null, Infinity, config);
  alarms.splice(2, 0, inMinutes(5, 'third'));
  const second = await readFrom(client, first.states.at(-1) ?? null, Infinity, config);
  expect(compared(alarms, [...first.rows, ...second.rows])).toEqual(NOTHING);
});

const dated = (date: string, words: string): Listed => listed(Date.parse(date), words, date);

test('nor does it hide those of the day before, where times are dates', async () => {
  const list = Array.from({ length: 5 }, (_, at) => dated(`2026-02-2${at + 1}`, `day ${at}`));
  const service = serviceOf([...list, dated('2026-03-01', 'first')], 25);
  service.nowMs = Date.parse('2026-03-01T00:02:00Z');
  const config = { ...CONFIG, start_date: '2026-02-20T00:00:00Z' };
  const first = await readOnce(service, null, config, Infinity);
  service.nowMs += MINUTE_MS;
  service.list.splice(-1, 0, dated('2026-02-28', 'two minutes late'));
  const second = await readOnce(service, first.state, config, Infinity);
  expect(compared(textsOf(service.list), [...first.rows, ...second.rows])).toEqual(NOTHING);
});

test('alarms without a time at the beginning of a list do not make it unreadable', async () => {
  const timeless = Array.from({ length: 60 }, (_, at) => JSON.stringify({ createdDate: null, at }));
  const timed = alarmsOf(10);
  const times = { serverTimeMs: NOW_MS, sentAtMs: NOW_MS, receivedAtMs: NOW_MS };
  const get: ListClient['get'] = async (query) => {
    const isFirst = !query.has('after') && !query.has('createdSince');
    const pagination = { nextCursor: isFirst ? 'next' : '' };
    return { rows: rowsOf(isFirst ? timeless : timed), pagination, ...times };
  };
  const { rows } = await readFrom({ get }, null, Infinity, CONFIG);
  expect(compared([...timeless, ...timed], rows)).toEqual(NOTHING);
  // nor a state that is written after the first page
  const killed = await readFrom({ get }, null, 1, CONFIG);
  const resumed = await readFrom({ get }, killed.states.at(-1) ?? null, Infinity, CONFIG);
  expect(compared([...timeless, ...timed], [...killed.rows, ...resumed.rows])).toEqual(NOTHING);
});

describe('a read that resumes in mid-list', () => {
  test('finds the alarms after a former end date', async () => {
    const client = clientOf({ ...REST, alarms: alarmsOf(200) });
    const first = await readFrom(client, null, 2, { ...CONFIG, end_date: timeAt(30) });
    const second = await readFrom(client, first.states.at(-1) ?? null, Infinity, CONFIG);
    expect(compared(alarmsOf(200), [...first.rows, ...second.rows])).toEqual(NOTHING);
  });

  test('finds an alarm that is late', async () => {
    const alarms = alarmsOf(200);
    alarms.splice(27, 0, alarm(22.5, 'late'));
    const client = clientOf({ ...REST, alarms });
    const first = await readFrom(client, null, 1, CONFIG);
    const second = await readFrom(client, first.states.at(-1) ?? null, Infinity, CONFIG);
    expect(compared(alarms, [...first.rows, ...second.rows])).toEqual(NOTHING);
  });
});

test('a daily read by four chains needs at most two requests more than pages, although the day before ended with a burst', async () => {
  const burst = Array.from({ length: 30 }, (_, row) =>
    listed(NOW_MS + (row - 20) * SECOND_MS, `burst ${row}`),
  );
  const day = Array.from({ length: 30 }, (_, row) =>
    listed(NOW_MS + (row + 1) * 0.75 * HOUR_MS, `day ${row}`),
  );
  const service = serviceOf(burst.slice(0, 20), 25);
  const config = { ...CONFIG, parallel_chains: 4 };
  const first = await readOnce(service, null, config, Infinity);
  service.list.push(...burst.slice(20), ...day);
  service.nowMs += 24 * HOUR_MS;
  const second = await readOnce(service, first.state, config, Infinity);
  expect(compared(textsOf(service.list), [...first.rows, ...second.rows])).toEqual(NOTHING);
  expect(second.requests).toBeLessThanOrEqual(3 + 2);
});
