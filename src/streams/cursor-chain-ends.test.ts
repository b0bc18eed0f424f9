import { describe, expect, test } from 'vitest';
import type { ListClient } from '../api/client.ts';
import { configError, transientError } from '../errors.ts';
import {
  CONFIG,
  NOTHING,
  NOW_MS,
  REST,
  alarmsOf,
  clientOf,
  compared,
  readFrom,
} from './cursor-cases.fake.ts';
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  clientOf as clientOfService,
  everyMinute,
  listed,
  readOnce,
  serviceOf,
  textsOf,
} from './cursor-service.fake.ts';

// what ends a chain, and what a position is worth: docs/how-it-reads.md

const PAGE = 25;

const atTheSecond = (request: number) => (request === 2 ? 'failed' : undefined);
const atTheFifth = (request: number) => (request === 5 ? 'failed' : undefined);

test('a cursor on which the server breaks, after pages with rows, is given up like one that is refused', async () => {
  const alarms = alarmsOf(200);
  const client = clientOf({ ...REST, alarms, expiredAt: atTheFifth });
  const { rows } = await readFrom(client, null, Infinity, CONFIG);
  expect(compared(alarms, rows)).toEqual(NOTHING);
});

test('a cursor on which the server breaks after a page of known rows is given up too', async () => {
  const alarms = alarmsOf(200);
  const first = await readFrom(clientOf({ ...REST, alarms }), null, Infinity, CONFIG);
  const client = clientOf({ ...REST, pageSize: 2, alarms, expiredAt: atTheSecond });
  const second = await readFrom(client, first.states.at(-1) ?? null, Infinity, CONFIG);
  expect([second.rows, client.requests() > 3]).toEqual([[], true]);
});

test('a 500 is taken for a dead cursor after half a minute, unless it was the last time without new rows', async () => {
  const inner = clientOf({ ...REST, pageSize: 10, alarms: alarmsOf(200), expiredAt: atTheSecond });
  const limits: (number | undefined)[] = [];
  const client: ListClient = {
    get: (query, check, context) => {
      limits.push(context.serverErrorMs);
      return inner.get(query, check, context);
    },
  };
  await readFrom(client, null, Infinity, CONFIG);
  // the first and the third request have no cursor; the third brings nothing new
  expect(limits.slice(0, 5)).toEqual([undefined, 30_000, undefined, undefined, 30_000]);
});

test('another failure in mid-list ends the read, and no request follows', async () => {
  const service = serviceOf(everyMinute(200, NOW_MS - DAY_MS), PAGE);
  const inner = clientOfService(service, SECOND_MS);
  const client: ListClient = {
    get: async (query, check, context) => {
      if (service.requests < 4) return inner.get(query, check, context);
      service.requests++;
      throw transientError('API_UNAVAILABLE', 'the network is down', null);
    },
  };
  await expect(readFrom(client, null, Infinity, CONFIG)).rejects.toThrow('the network is down');
  expect(service.requests).toBe(5);
});

test('a service that knows none of its cursors fails the read as a loop', async () => {
  const service = serviceOf(everyMinute(60, NOW_MS - DAY_MS), 10);
  const inner = clientOfService(service, SECOND_MS);
  const client: ListClient = {
    get: async (query, check, context) => {
      if (query.has('after')) throw configError('REQUEST_REFUSED', 'unknown cursor');
      return inner.get(query, check, context);
    },
  };
  await expect(readFrom(client, null, Infinity, CONFIG)).rejects.toThrow(
    /because its cursors were refused \(unknown cursor\)/,
  );
  expect(service.requests).toBeLessThanOrEqual(11);
});

/** Passes on the first page of a service, and then pages without rows, each received a minute after its request. */
const emptyAfterFirst = (nextCursor: (request: number) => string): ListClient => {
  const service = serviceOf(everyMinute(60, NOW_MS - DAY_MS), PAGE);
  const inner = clientOfService(service, SECOND_MS);
  return {
    get: async (query, check, context) => {
      const page = await inner.get(query, check, context);
      service.nowMs += MINUTE_MS;
      const next = { ...page, pagination: { nextCursor: nextCursor(service.requests) } };
      return query.has('after') ? { ...next, rows: [], receivedAtMs: page.sentAtMs + MINUTE_MS } : next;
    },
  };
};

describe('a chain that cannot end fails the read', () => {
  test.each([
    ['if it returns to a cursor', (request: number) => `${request % 4}`, 'returns to an earlier cursor'],
    ['after fifteen minutes of empty pages', String, 'has had only empty pages for 15 min'],
  ])('%s', async (_, nextCursor, problem) => {
    const client = emptyAfterFirst(nextCursor);
    await expect(readFrom(client, null, Infinity, CONFIG)).rejects.toThrow(problem);
  });
});

test('a killed read of small pages goes on near where it was', async () => {
  const list = everyMinute(600, NOW_MS - DAY_MS);
  const service = serviceOf(list, 7);
  const killed = await readOnce(service, null, CONFIG, 60);
  const resumed = await readOnce(service, killed.state, CONFIG, Infinity);
  expect(compared(textsOf(list), [...killed.rows, ...resumed.rows])).toEqual(NOTHING);
  // 180 rows, and those of the last 16 rows, the lookback and two minutes
  expect(resumed.requests).toBeLessThan((180 + 16 + 7 + 7) / 7 + 1);
});

test('rows of one time prove no order: a killed read of the newest rows first loses nothing', async () => {
  const ties = Array.from({ length: 60 }, (_, at) => listed(NOW_MS - MINUTE_MS, `tie ${at}`));
  const list = [...ties, ...everyMinute(200, NOW_MS - DAY_MS).toReversed()];
  for (const batches of [1, 2, 3]) {
    const service = serviceOf(list, PAGE);
    const killed = await readOnce(service, null, CONFIG, batches);
    const resumed = await readOnce(service, killed.state, CONFIG, Infinity);
    expect(compared(textsOf(list), [...killed.rows, ...resumed.rows])).toEqual(NOTHING);
  }
});

test('rows with old times of a device are known as long as the question returns them, however many they are', async () => {
  const service = serviceOf(everyMinute(60, NOW_MS - HOUR_MS), 500);
  const first = await readOnce(service, null, CONFIG, Infinity);
  const uploaded = Array.from({ length: 2500 }, (_, at) => {
    const created = NOW_MS - 9 * HOUR_MS + at * SECOND_MS;
    return listed(NOW_MS + at, `uploaded ${at}`, new Date(created).toISOString());
  });
  service.list.push(...uploaded, listed(NOW_MS + MINUTE_MS, 'last'));
  service.nowMs += 2 * MINUTE_MS;
  const second = await readOnce(service, first.state, CONFIG, Infinity);
  expect(second.rows).toHaveLength(2501);
  const third = await readOnce(service, second.state, CONFIG, Infinity);
  expect(third.rows).toEqual([]);
});
