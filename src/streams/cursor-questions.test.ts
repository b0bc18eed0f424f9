import { describe, expect, test } from 'vitest';
import { LateRequestError, type ListClient } from '../api/client.ts';
import type { StreamState } from '../protocol/messages.ts';
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
import type { CursorConfig } from './cursor-stream.ts';

// whatever the question returns and is not known is emitted: docs/how-it-reads.md

const PAGE = 25;

const iso = (ms: number): string => new Date(ms).toISOString();

/** Logs of a read in which a row appears that much late. */
const appearingAfter = async (lateMs: number, config: CursorConfig): Promise<string[]> => {
  const service = serviceOf(everyMinute(60, NOW_MS - HOUR_MS), PAGE);
  const late = listed(NOW_MS - lateMs, 'late');
  const { logs } = await readings(service, config, [
    () => undefined,
    () => {
      service.nowMs += HOUR_MS;
      service.list.push(late, listed(NOW_MS + MINUTE_MS, 'new'));
    },
  ]);
  return logs;
};

describe('rows that appear late', () => {
  test('are told, by how much the latest missed the read before', async () => {
    expect(await appearingAfter(100 * SECOND_MS, CONFIG)).toEqual([
      'a late row appeared 100 s after it was created',
    ]);
  });

  test.each([
    [239, false],
    [240, true],
  ])('are a warning from 80 %% of the lookback on: %i s', async (seconds, isWarning) => {
    const logs = await appearingAfter(seconds * SECOND_MS, CONFIG);
    expect(logs.some((line) => line.includes('set alarms.lookback_seconds'))).toBe(isWarning);
  });

  test('are a warning about its clock where a service is a day ahead of all created times', async () => {
    const service = serviceOf(everyMinute(60, NOW_MS - 25 * HOUR_MS), PAGE);
    const { logs } = await readings(service, CONFIG, [
      () => undefined,
      () => {
        service.nowMs += HOUR_MS;
        service.list.push(...everyMinute(60, NOW_MS - 24 * HOUR_MS));
      },
    ]);
    expect(logs).toContainEqual(
      expect.stringMatching(/latest of 60 late rows .* created 86460 s before .* clock of the service/),
    );
  });
});

test.each([
  ['local times', (ms: number) => new Date(ms).toISOString().slice(0, -1)],
  ['dates', (ms: number) => new Date(ms).toISOString().slice(0, 10)],
])('are not told where the list shows %s, which do not say when a row was created', async (_, shown) => {
  const at = (ms: number, words: string): Listed => listed(ms, words, shown(ms));
  const list = Array.from({ length: 60 }, (__, row) => at(NOW_MS - HOUR_MS + row * MINUTE_MS, `row ${row}`));
  const service = serviceOf(list, PAGE);
  const { logs } = await readings(service, CONFIG, [
    () => undefined,
    () => {
      service.nowMs += HOUR_MS;
      service.list.push(at(NOW_MS - 100 * SECOND_MS, 'late'), at(NOW_MS + MINUTE_MS, 'new'));
    },
  ]);
  expect(logs.filter((line) => line.includes('late'))).toEqual([]);
});

describe('bounds', () => {
  test.each([
    ['an offset', '+02:00', '2026-03-01T23:59:00Z'],
    ['an offset and a name', '+02:00[Europe/Berlin]', '2026-03-01T23:59:00Z'],
    ['no zone', '', '2026-03-02T00:59:00'],
  ])('of times with %s have no plus sign', async (_, zone, since) => {
    const list = [1, 2, 3].map((at) => {
      const shown = iso(NOW_MS + at * SECOND_MS + (zone === '' ? 0 : 2 * HOUR_MS)).slice(0, 19) + zone;
      return listed(NOW_MS + at * SECOND_MS, `row ${at}`, shown);
    });
    const service = serviceOf(list, PAGE);
    service.nowMs += HOUR_MS;
    const config = { ...CONFIG, lookback_seconds: 0 };
    const { state } = await readOnce(service, null, config, Infinity);
    const expected = zone === '' ? '2026-03-01T22:59:00' : since;
    expect(state).toHaveProperty('created_since', expected);
  });

  test('of a start date with an offset have no plus sign', async () => {
    const asked: (string | null)[] = [];
    const inner = clientOf(serviceOf(everyMinute(3, NOW_MS - HOUR_MS), PAGE), SECOND_MS);
    const client: ListClient = {
      get: async (query, check, context) => {
        asked.push(query.get('createdSince'));
        return inner.get(query, check, context);
      },
    };
    await readFrom(client, null, Infinity, { ...CONFIG, start_date: '2026-03-01T12:00:00+02:00' });
    expect(asked).toEqual(['2026-03-01T09:59:00Z']);
  });
});

describe('a service that ignores createdSince', () => {
  test.each([1, 8])(
    'in ascending order, %i chains: no row comes twice, and a line names the parameter',
    async (chains) => {
      const service = serviceOf(everyMinute(5000, NOW_MS - 5000 * MINUTE_MS), PAGE);
      const config = { ...CONFIG, parallel_chains: chains };
      const rows: string[] = [];
      const logs: string[] = [];
      let state: StreamState | null = null;
      for (let hour = 0; hour < 4; hour++) {
        const read: Awaited<ReturnType<typeof readFrom>> = await readFrom(
          ignoring(service),
          state,
          Infinity,
          config,
        );
        rows.push(...read.rows);
        logs.push(...read.logs);
        state = read.states.at(-1) ?? null;
        service.list.push(...everyMinute(60, service.nowMs).map(({ time }) => listed(time, `new ${time}`)));
        service.nowMs += HOUR_MS;
      }
      expect(compared(textsOf(service.list.slice(0, -60)), rows)).toEqual(NOTHING);
      const said = logs.filter((line) => line.includes('ignores this parameter'));
      expect(said).toHaveLength(chains === 1 ? 3 : 4);
      // one chain reads the list each time, once the first page of another one has told
      expect(service.requests).toBeLessThan(4 * 1.1 * (5000 / PAGE));
    },
  );

  test('newest first: what repeats is said', async () => {
    const list = everyMinute(5000, NOW_MS - 5000 * MINUTE_MS).toReversed();
    const service = serviceOf(list, PAGE);
    const first = await readFrom(ignoring(service), null, Infinity, CONFIG);
    const second = await readFrom(ignoring(service), first.states.at(-1) ?? null, Infinity, CONFIG);
    const said = second.logs.filter((line) => /^up to \d+ rows may be repeated/.test(line));
    expect(second.rows.length === 0 || said.length === 1).toBe(true);
    expect(second.rows.length).toBeLessThan(PAGE);
  });
});

test('empty pages behind new cursors are followed to the rows behind them', async () => {
  const list = everyMinute(60, NOW_MS - HOUR_MS);
  const service = serviceOf(list, PAGE);
  const inner = clientOf(service, SECOND_MS);
  let empty = 0;
  const client: ListClient = {
    get: async (query, check, context) => {
      const after = query.get('after');
      if (after === null || !after.startsWith('25') || empty === 120) {
        if (after?.includes('.') === true) query.set('after', '25');
        return inner.get(query, check, context);
      }
      empty++;
      query.set('after', '25');
      const page = await inner.get(query, () => undefined, context);
      return { ...page, rows: [], pagination: { nextCursor: `25.${empty}` } };
    },
  };
  const { rows } = await readFrom(client, null, Infinity, CONFIG);
  expect(empty).toBe(120);
  expect(compared(textsOf(list), rows)).toEqual(NOTHING);
});

test.each(['hasMore', 'hasNext', 'hasNextPage'])('an empty page with %s: false is the end', async (name) => {
  const inner = clientOf(serviceOf(everyMinute(3, NOW_MS - HOUR_MS), PAGE), SECOND_MS);
  let requests = 0;
  const client: ListClient = {
    get: async (query, _, context) => {
      requests++;
      if (query.has('after')) query.set('after', '3');
      const page = await inner.get(query, () => undefined, context);
      const isEmpty = page.rows.length === 0;
      return {
        ...page,
        pagination: { nextCursor: `poll ${requests}`, ...(isEmpty ? { [name]: false } : {}) },
      };
    },
  };
  const { rows } = await readFrom(client, null, Infinity, CONFIG);
  expect([rows.length, requests]).toEqual([3, 2]);
});

test('waits of five minutes before every page need about as many requests as pages', async () => {
  const list = everyMinute(3000, NOW_MS - 3000 * MINUTE_MS);
  const service = serviceOf(list, PAGE);
  const inner = clientOf(service, SECOND_MS);
  const client: ListClient = {
    get: async (query, check, context) => {
      service.nowMs += 5 * MINUTE_MS;
      if (service.nowMs > (context.sendByMs ?? Infinity)) throw new LateRequestError('late');
      return inner.get(query, check, context);
    },
  };
  const { rows } = await readFrom(client, null, Infinity, CONFIG);
  expect(compared(textsOf(list), rows)).toEqual(NOTHING);
  expect(service.requests).toBeLessThan(1.15 * (3000 / PAGE));
});

test.each([
  ['falls', (at: number) => -at],
  ['rises in its first rows, which each chain shows again', (at: number) => (at < 6 ? at : -at)],
])('an end behind an old cursor is not believed in a list that %s', async (_what, place) => {
  // a page is within the lookback, the list is not
  const list = Array.from({ length: 200 }, (_, at) =>
    listed(NOW_MS + place(at) * 10 * SECOND_MS, `row ${at}`),
  );
  const service = serviceOf(list, PAGE);
  const inner = clientOf(service, SECOND_MS);
  const waiting: ListClient = {
    get: async (query, check, context) => {
      service.nowMs += 6 * MINUTE_MS;
      if (service.nowMs > (context.sendByMs ?? Infinity)) throw new LateRequestError('late');
      const isDead = query.has('after');
      const page = await inner.get(query, check, context);
      return isDead ? { ...page, rows: [], pagination: { nextCursor: '' } } : page;
    },
  };
  await expect(readFrom(waiting, null, Infinity, CONFIG)).rejects.toThrow('its cursors had expired, so');
  const parallel = readFrom(waiting, null, Infinity, { ...CONFIG, parallel_chains: 2 });
  await expect(parallel).rejects.toThrow('(alarms.parallel_chains may be too large)');
});

test('a read that is limited to one row goes on from row to row', async () => {
  const list = everyMinute(60, NOW_MS - HOUR_MS);
  for (const order of [list, list.toReversed()]) {
    const client = clientOf(serviceOf(order, PAGE), SECOND_MS);
    const rows: string[] = [];
    let state: StreamState | null = null;
    for (let run = 0; run < 60; run++) {
      const read: Awaited<ReturnType<typeof readFrom>> = await readFrom(client, state, Infinity, CONFIG, {
        limitRows: 1,
      });
      expect(read.rows).toHaveLength(1);
      rows.push(...read.rows);
      state = read.states.at(-1) ?? null;
    }
    expect(compared(textsOf(list), rows)).toEqual(NOTHING);
  }
});

test('where a list has more rows than a state holds, limited reads say that they come round', async () => {
  const list = everyMinute(12_000, NOW_MS - 12_000 * MINUTE_MS).toReversed();
  const client = clientOf(serviceOf(list, 500), SECOND_MS);
  const logs: string[] = [];
  let state: StreamState | null = null;
  for (let run = 0; run < 12; run++) {
    const read: Awaited<ReturnType<typeof readFrom>> = await readFrom(client, state, Infinity, CONFIG, {
      limitRows: 1000,
    });
    logs.push(...read.logs);
    state = read.states.at(-1) ?? null;
  }
  const round = logs.filter((line) => line.includes('come round'));
  expect(round).toHaveLength(2);
});
