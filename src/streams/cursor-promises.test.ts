import { describe, expect, test } from 'vitest';
import { LateRequestError, type ListClient } from '../api/client.ts';
import { configError } from '../errors.ts';
import { CURSOR_STATE } from '../limits.ts';
import type { StreamState } from '../protocol/messages.ts';
import { CONFIG, NOTHING, NOW_MS, compared, readFrom } from './cursor-cases.fake.ts';
import {
  DAY_MS,
  HOUR_MS,
  SECOND_MS,
  clientOf,
  listed,
  readOnce,
  serviceOf,
  textsOf,
} from './cursor-service.fake.ts';
import type { Listed } from './cursor-service.fake.ts';

/** Receipts every 30 seconds; one row in ten was created up to 48 hours earlier. */
const receipts = (count: number): Listed[] =>
  Array.from({ length: count }, (_, at) => {
    const ms = NOW_MS - 10 * DAY_MS + at * 30 * SECOND_MS;
    const created = at % 10 === 7 ? ms - ((at * 7919) % 48) * HOUR_MS : ms;
    return listed(ms, `row ${at}`, new Date(created).toISOString());
  });

const everySecond = (count: number): Listed[] =>
  Array.from({ length: count }, (_, at) => listed(NOW_MS - (count - at) * SECOND_MS, `row ${at}`));

const rowAt = (at: number): Listed => listed(NOW_MS - 20 * DAY_MS + at * 86 * SECOND_MS, `row ${at}`);

describe('a burst', () => {
  test.each([
    ['of one instant', '2026-02-28T10:00:00.000Z'],
    ['of one day, in times without a time of day', '2026-02-28'],
  ])('of 12,000 rows %s is read once, in as many requests as pages', async (_, shown) => {
    const time = Date.parse(shown);
    const list = Array.from({ length: 12_000 }, (__, at) => listed(time, `row ${at}`, shown));
    const service = serviceOf(list, 500);
    service.nowMs = time + 12 * HOUR_MS;
    const first = await readOnce(service, null, CONFIG, Infinity);
    expect(compared(textsOf(list), first.rows)).toEqual(NOTHING);
    expect(first.requests).toBe(24);
    // the next read repeats what the state could not remember, and says so
    const second = await readOnce(service, first.state, CONFIG, Infinity);
    expect(second.rows).toHaveLength(12_000 - CURSOR_STATE.maxSeen);
    expect(second.requests).toBe(24);
    expect(second.logs).toContainEqual(expect.stringMatching(/^up to 2,000 rows may be repeated: /));
  });

  test('of 12,000 rows whose first read was killed is forgotten once it is over, so that later reads repeat nothing', async () => {
    const time = NOW_MS - HOUR_MS;
    const service = serviceOf(
      Array.from({ length: 12_000 }, (_, at) => listed(time, `row ${at}`)),
      200,
    );
    const emitted: string[] = [];
    const said: string[] = [];
    let state: StreamState | null = null;
    for (const killedAfter of [55, Infinity, Infinity, Infinity, Infinity]) {
      const read: Awaited<ReturnType<typeof readOnce>> = await readOnce(service, state, CONFIG, killedAfter);
      said.push(...read.logs.filter((line) => line.startsWith('up to')));
      emitted.push(...read.rows);
      state = read.state;
      service.nowMs += HOUR_MS;
      service.list.push(
        listed(service.nowMs - 30 * SECOND_MS, `new ${emitted.length}`),
        listed(service.nowMs - 10 * SECOND_MS, `newer ${emitted.length}`),
      );
    }
    const last = await readOnce(service, state, CONFIG, Infinity);
    const { lost, repeated } = compared(textsOf(service.list), [...emitted, ...last.rows]);
    expect(lost).toEqual([]);
    // only the read that resumed met rows that its state had no room for, and it said so
    expect(repeated.length === 0 || said.length === 1).toBe(true);
    expect(repeated.every((text) => text.includes('"row '))).toBe(true);
    expect(last.rows).toHaveLength(2);
  });

  test('12,000 alarms a day without a time of day: a read every four hours asks for two days, and repeats only what exceeds 10,000', async () => {
    const service = serviceOf([], 500);
    const start = Date.parse('2026-02-01T00:00:00Z');
    let state: StreamState | null = null;
    const emitted: string[] = [];
    for (let at = 0; at < 8; at++) {
      const rowsBefore = at * 2000;
      service.nowMs = start + (at + 1) * 4 * HOUR_MS;
      const day = new Date(service.nowMs - 1).toISOString().slice(0, 10);
      for (let row = 0; row < 2000; row++) service.list.push(listed(Date.parse(day), `${at}.${row}`, day));
      const read: Awaited<ReturnType<typeof readOnce>> = await readOnce(service, state, CONFIG, Infinity);
      expect(read.rows.length, `read ${at}`).toBe(2000 + Math.max(0, rowsBefore - CURSOR_STATE.maxSeen));
      emitted.push(...read.rows);
      state = read.state;
    }
    expect(compared(textsOf(service.list), [...new Set(emitted)])).toEqual(NOTHING);
  });
});

describe('a created field that is not the time of createdSince', () => {
  test('hourly reads lose and repeat nothing, in any order of kills, and a log line names the field', async () => {
    const all = receipts(2400);
    const service = serviceOf([], 25);
    let state: StreamState | null = null;
    const emitted: string[] = [];
    const logs: string[] = [];
    for (let hour = 1; hour <= 20; hour++) {
      service.list.push(...all.slice((hour - 1) * 120, hour * 120));
      service.nowMs = NOW_MS - 10 * DAY_MS + hour * HOUR_MS;
      const killedAfter = hour % 3 === 0 ? 1 + (hour % 4) : Infinity;
      const read: Awaited<ReturnType<typeof readOnce>> = await readOnce(service, state, CONFIG, killedAfter);
      emitted.push(...read.rows);
      logs.push(...read.logs);
      state = read.state;
    }
    const last = await readOnce(service, state, CONFIG, Infinity);
    expect(compared(textsOf(all), [...emitted, ...last.rows])).toEqual(NOTHING);
    expect(logs).toContainEqual(
      expect.stringMatching(
        /^emitted \d+ rows? whose time in "createdDate" is earlier .* \(alarms\.created_field\)/,
      ),
    );
  });

  test.each(['ascending', 'newest first'])(
    'an old row that comes first is emitted although the list was quiet and clocks are fast: %s',
    async (order) => {
      const late = listed(NOW_MS + HOUR_MS, 'late', new Date(NOW_MS - 26 * HOUR_MS).toISOString());
      const before = Array.from({ length: 40 }, (_, at) =>
        listed(
          NOW_MS - 60 * SECOND_MS * (41 - at),
          `row ${at}`,
          new Date(NOW_MS - 60 * SECOND_MS * (41 - at) + 2 * HOUR_MS).toISOString(),
        ),
      );
      const after = [late, ...[1, 2, 3].map((at) => listed(late.time + at * SECOND_MS, `new ${at}`))];
      const inOrder = (list: Listed[]): Listed[] => (order === 'ascending' ? list : list.toReversed());
      const service = serviceOf(inOrder(before), 25);
      const config = { ...CONFIG, lookback_seconds: 60 };
      const first = await readOnce(service, null, config, Infinity);
      service.nowMs = NOW_MS + 50 * 60 * SECOND_MS;
      const quiet = await readOnce(service, first.state, config, Infinity);
      const more = serviceOf(inOrder([...before, ...after]), 25);
      more.nowMs = NOW_MS + 2 * HOUR_MS;
      const last = await readOnce(more, quiet.state, config, Infinity);
      expect(compared(textsOf(more.list), [...first.rows, ...quiet.rows, ...last.rows])).toEqual(NOTHING);
    },
  );

  test('after a long first read, newest first, the next read says that it may repeat the latest receipts', async () => {
    const service = serviceOf(receipts(5000).toReversed(), 100);
    service.nowMs = NOW_MS - 10 * DAY_MS + 5000 * 30 * SECOND_MS;
    const first = await readOnce(service, null, CONFIG, Infinity);
    service.nowMs += HOUR_MS;
    const second = await readOnce(service, first.state, CONFIG, Infinity);
    const { lost, repeated } = compared(textsOf(service.list), [...first.rows, ...second.rows]);
    expect(lost).toEqual([]);
    expect(second.logs).toContainEqual(
      expect.stringMatching(new RegExp(`^up to ${repeated.length} rows may be repeated: `)),
    );
  });

  test.each([5, 30])('%d hours ahead: three chains lose nothing', async (hours) => {
    const list = Array.from({ length: 400 }, (_, at) => {
      const ms = NOW_MS - 8 * DAY_MS + at * 20 * 60 * SECOND_MS;
      return listed(ms, `row ${at}`, new Date(ms + hours * HOUR_MS).toISOString());
    });
    const { rows } = await readOnce(serviceOf(list, 10), null, { ...CONFIG, parallel_chains: 3 }, Infinity);
    expect(compared(textsOf(list), rows).lost).toEqual([]);
  });
});

describe('requests', () => {
  test('a read without new rows needs the pages from the bound on, and no more', async () => {
    const service = serviceOf(everySecond(2000), 25);
    const first = await readOnce(service, null, CONFIG, Infinity);
    expect(first.requests).toBe(80);
    const second = await readOnce(service, first.state, CONFIG, Infinity);
    expect(second.rows).toEqual([]);
    // the lookback of 300 seconds, and at most two minutes below it
    expect(second.requests).toBeLessThanOrEqual(17);
  });

  test('four chains need few requests more than pages where rows come in bursts', async () => {
    const list = Array.from({ length: 1200 }, (_, at) =>
      listed(NOW_MS - 20 * DAY_MS + Math.floor(at / 30) * 11 * HOUR_MS + (at % 30) * SECOND_MS, `row ${at}`),
    );
    const service = serviceOf(list, 20);
    const { rows, requests } = await readOnce(service, null, { ...CONFIG, parallel_chains: 4 }, Infinity);
    expect(compared(textsOf(list), rows)).toEqual(NOTHING);
    expect(requests).toBeLessThan(2.5 * (1200 / 20));
  });

  test('a state of a newest-first list between its last page and its end does not rest on the order', async () => {
    const service = serviceOf(everySecond(100).toReversed(), 25);
    const first = await readOnce(service, null, CONFIG, 4);
    const second = await readOnce(service, first.state, CONFIG, Infinity);
    expect(compared(textsOf(service.list), [...first.rows, ...second.rows])).toEqual(NOTHING);
    expect([...first.logs, ...second.logs].filter((line) => line.includes('repeated'))).toEqual([]);
  });

  test('an empty page that returns the cursor it was requested with ends the list', async () => {
    const service = serviceOf(everySecond(60), 25);
    service.list.push(...everySecond(1));
    service.answer = (_, from) => (from >= 50 ? 'empty' : undefined);
    const first = await readOnce(service, null, CONFIG, Infinity);
    expect(first.rows).toHaveLength(50);
    expect(first.requests).toBe(3);
  });
});

test('a killed first read of 20,000 rows, newest first, starts over, and says that rows beyond 10,000 may be repeated', async () => {
  const list = Array.from({ length: 20_000 }, (_, at) => rowAt(19_999 - at));
  const service = serviceOf(list, 200);
  service.nowMs = (list[0]?.time ?? 0) + SECOND_MS;
  const killed = await readOnce(service, null, CONFIG, 60);
  expect(killed.rows).toHaveLength(12_000);
  const second = await readOnce(service, killed.state, CONFIG, Infinity);
  const { lost, repeated } = compared(textsOf(list), [...killed.rows, ...second.rows]);
  expect(lost).toEqual([]);
  expect(repeated).toHaveLength(2000);
  expect(second.logs).toContainEqual(expect.stringMatching(/^up to 2,000 rows may be repeated: /));
  // before the rows are written, because a read that is killed never comes to its count
  const again = await readOnce(service, killed.state, CONFIG, 60);
  expect(again.logs.filter((line) => line.startsWith('rows may be repeated: '))).toHaveLength(1);
  service.list.unshift(rowAt(20_000));
  const third = await readOnce(service, second.state, CONFIG, Infinity);
  expect(third.rows).toHaveLength(1);
});

describe('a cursor that dies after five minutes', () => {
  test.each(['refused', 'end', 'first page'] as const)(
    'is not used after four, or its end is not believed: %s',
    async (death) => {
      // newest first, a chain that is led back to its first page fails the read
      for (const order of death === 'first page' ? ['ascending'] : ['ascending', 'descending']) {
        const list = Array.from({ length: 300 }, (_, at) =>
          listed(NOW_MS - DAY_MS + at * 60 * SECOND_MS, `row ${at}`),
        );
        const service = serviceOf(order === 'ascending' ? list : list.toReversed(), 10);
        let born = NOW_MS;
        let pages = 0;
        service.answer = () => (service.nowMs - born > 5 * 60 * SECOND_MS ? death : undefined);
        const inner = clientOf(service, SECOND_MS);
        const client: ListClient = {
          get: async (query, check, context) => {
            if (service.nowMs > (context.sendByMs ?? Infinity)) throw new LateRequestError('late');
            const isDead = query.has('after') && service.nowMs - born > 5 * 60 * SECOND_MS;
            if (isDead && death === 'refused') {
              born = service.nowMs;
              throw configError('REQUEST_REFUSED', 'the cursor has expired');
            }
            const answer = await inner.get(query, check, context);
            born = service.nowMs;
            return answer;
          },
        };
        // the writer stalls now and then
        const stall = (): void => {
          pages++;
          if (pages % 7 === 0) service.nowMs += (pages % 2 === 0 ? 10 : 5.5) * 60 * SECOND_MS;
        };
        const { rows } = await readFrom(client, null, Infinity, CONFIG, { onBatch: stall });
        expect(compared(textsOf(list), rows), order).toEqual(NOTHING);
      }
    },
  );
});
