import { describe, expect, test } from 'vitest';
import type { ListClient } from '../api/client.ts';
import { configError } from '../errors.ts';
import { CONFIG, NOTHING, NOW_MS, compared, readFrom } from './cursor-cases.fake.ts';
import {
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  clientOf,
  everyMinute,
  ignoring,
  listed,
  readOnce,
  readings,
  serviceOf,
  textsOf,
  type Listed,
} from './cursor-service.fake.ts';

const PAGE = 25;

/** A row that a service received at a time, and a device created at another one. */
const uploaded = (receivedMs: number, createdMs: number, words: string): Listed =>
  listed(receivedMs, words, new Date(createdMs).toISOString());

/** A row a minute; 60 of them have clocks that are two hours ahead. */
const withFastClocks = (count: number): Listed[] =>
  Array.from({ length: count }, (_, at) => {
    const received = NOW_MS - 10 * HOUR_MS + at * MINUTE_MS;
    const isFast = at >= 100 && at < 160;
    return uploaded(received, received + (isFast ? 2 * HOUR_MS : 0), `row ${at}`);
  });

describe('a created field that is the time of the device, where createdSince refers to that of receipt', () => {
  const before = everyMinute(60, NOW_MS - HOUR_MS);

  test('40 old rows that a read gets first all come, although one clock is hours ahead', async () => {
    const fast = uploaded(NOW_MS - 30 * SECOND_MS, NOW_MS + 2 * HOUR_MS, 'fast clock');
    const service = serviceOf([...before, fast], PAGE);
    const old = Array.from({ length: 40 }, (_, at) =>
      uploaded(NOW_MS + MINUTE_MS + at * SECOND_MS, NOW_MS - 9 * HOUR_MS + at * MINUTE_MS, `old ${at}`),
    );
    const next = everyMinute(10, NOW_MS + 10 * MINUTE_MS).map(({ time }) => listed(time, `next ${time}`));
    const { rows } = await readings(service, CONFIG, [
      () => undefined,
      () => {
        service.nowMs += HOUR_MS;
        service.list.push(...old, ...next);
      },
      () => undefined,
      () => {
        service.nowMs += HOUR_MS;
      },
    ]);
    expect(compared(textsOf(service.list), rows)).toEqual(NOTHING);
  });

  test('old rows come too where the service refuses the bound of the future that would tell whether it ignores bounds', async () => {
    const fast = uploaded(NOW_MS - 30 * SECOND_MS, NOW_MS + 2 * HOUR_MS, 'fast clock');
    const service = serviceOf([...before, fast], PAGE);
    const inner = clientOf(service, SECOND_MS);
    let refused = 0;
    const client: ListClient = {
      get: async (query, check, context) => {
        if (Date.parse(query.get('createdSince') ?? '') <= service.nowMs || !query.has('createdSince'))
          return inner.get(query, check, context);
        refused++;
        throw configError('REQUEST_REFUSED', 'createdSince is in the future');
      },
    };
    const first = await readFrom(client, null, Infinity, CONFIG);
    service.nowMs += HOUR_MS;
    service.list.push(
      ...Array.from({ length: 40 }, (_, at) =>
        uploaded(NOW_MS + MINUTE_MS + at * SECOND_MS, NOW_MS - 9 * HOUR_MS + at * MINUTE_MS, `old ${at}`),
      ),
    );
    const second = await readFrom(client, first.states.at(-1) ?? null, Infinity, CONFIG);
    expect(refused).toBe(1);
    expect(second.logs).not.toContainEqual(expect.stringContaining('ignores'));
    expect(compared(textsOf(service.list), [...first.rows, ...second.rows])).toEqual(NOTHING);
  });

  test.each([
    { kill: 'on their first page', batches: 5, isTold: true },
    { kill: 'on their second page', batches: 6, isTold: true },
    { kill: 'after their last one, where the order breaks', batches: 7, isTold: false },
  ])(
    'what follows 60 rows of a clock that is hours ahead comes after a kill $kill',
    async ({ batches, isTold }) => {
      const service = serviceOf(withFastClocks(300), PAGE);
      const killed = await readOnce(service, null, CONFIG, batches);
      const resumed = await readOnce(service, killed.state, CONFIG, Infinity);
      expect(compared(textsOf(service.list), [...killed.rows, ...resumed.rows])).toEqual(NOTHING);
      expect(resumed.logs.some((line) => line.includes('none of these rows'))).toBe(isTold);
    },
  );

  test.each([3, 8])(
    'nothing is lost by %i chains either, which have returned later rows already, whenever reads are killed',
    async (parallel_chains) => {
      const config = { ...CONFIG, parallel_chains };
      for (let batches = 1; batches <= 12; batches++) {
        const service = serviceOf(withFastClocks(300), PAGE);
        const killed = await readOnce(service, null, config, batches);
        const again = await readOnce(service, killed.state, config, 10);
        const last = await readOnce(service, again.state, config, Infinity);
        const rows = [killed, again, last].flatMap((read) => read.rows);
        expect(compared(textsOf(service.list), rows), `killed after ${batches} pages`).toEqual(NOTHING);
      }
    },
  );

  test('what follows them comes, although a start date leaves part of it out by mistake', async () => {
    const service = serviceOf(withFastClocks(300), PAGE);
    const first = await readOnce(service, null, CONFIG, 3);
    const second = await readOnce(service, first.state, CONFIG, 4);
    expect(second.state).toHaveProperty('confirmed_since', expect.any(String));
    const start = new Date(NOW_MS - 10 * HOUR_MS + 200 * MINUTE_MS).toISOString();
    const wrong = await readOnce(service, second.state, { ...CONFIG, start_date: start }, Infinity);
    const mended = await readOnce(service, wrong.state, CONFIG, Infinity);
    const rows = [first, second, wrong, mended].flatMap((read) => read.rows);
    expect(compared(textsOf(service.list), rows)).toEqual(NOTHING);
  });

  test('a row that becomes visible within the lookback, before the known ones, comes', async () => {
    const service = serviceOf([...before], PAGE);
    const { own } = await readings(service, CONFIG, [
      () => undefined,
      () => {
        service.nowMs += 20 * SECOND_MS;
        service.list.splice(57, 0, uploaded(NOW_MS - 200 * SECOND_MS, NOW_MS - 5 * HOUR_MS, 'hidden'));
      },
    ]);
    expect(own[1]).toEqual([expect.stringContaining('hidden')]);
  });

  test('a row that is late by seven minutes and comes first is emitted, and so are the new ones', async () => {
    const service = serviceOf([...before], PAGE);
    const added = [
      uploaded(NOW_MS + SECOND_MS, NOW_MS - 7 * MINUTE_MS, 'late'),
      ...everyMinute(30, NOW_MS + MINUTE_MS).map(({ time }) => listed(time, `new ${time}`)),
    ];
    const { rows } = await readings(service, CONFIG, [
      () => undefined,
      () => {
        service.nowMs += HOUR_MS;
        service.list.push(...added);
      },
    ]);
    expect(compared(textsOf(service.list), rows)).toEqual(NOTHING);
  });
});

const everySecond = (count: number, fromMs: number): Listed[] =>
  Array.from({ length: count }, (_, at) => listed(fromMs + at * SECOND_MS, `row ${at}`));
const doubts = (logs: readonly string[]): string[] =>
  logs.filter((line) => line.includes('none of these rows'));

describe('a question that is answered is not doubted', () => {
  test('where the first page has only rows that the start date leaves out', async () => {
    const startMs = NOW_MS - HOUR_MS + 30 * SECOND_MS;
    const list = everySecond(600, startMs - 200 * SECOND_MS);
    const service = serviceOf(list, PAGE);
    const config = { ...CONFIG, lookback_seconds: 0, start_date: new Date(startMs).toISOString() };
    const killed = await readOnce(service, null, config, 4);
    expect(killed.state).toHaveProperty('created_since', new Date(startMs - 30 * SECOND_MS).toISOString());
    const resumed = await readOnce(service, killed.state, config, Infinity);
    expect(doubts(resumed.logs)).toEqual([]);
    expect(compared(textsOf(list.slice(200)), [...killed.rows, ...resumed.rows])).toEqual(NOTHING);
  });

  test('where the service ignores createdSince, and returns the oldest rows first', async () => {
    const service = serviceOf(everyMinute(5000, NOW_MS - 5000 * MINUTE_MS), PAGE);
    const killed = await readFrom(ignoring(service), null, 150, CONFIG);
    const resumed = await readFrom(ignoring(service), killed.states.at(-1) ?? null, Infinity, CONFIG);
    expect(doubts(resumed.logs)).toEqual([]);
    expect(compared(textsOf(service.list), [...killed.rows, ...resumed.rows])).toEqual(NOTHING);
  });
});
