import { describe, expect, test } from 'vitest';
import type { ListClient } from '../api/client.ts';
import {
  CONFIG,
  MINUTE_MS,
  NOTHING,
  NOW_MS,
  REST,
  START_MS,
  alarm,
  alarmsOf,
  clientOf,
  compared,
  readFrom,
  timeAt,
  timeOf,
} from './cursor-cases.fake.ts';
import type { ExpiredAnswer } from './cursor-cases.fake.ts';

/** A list that never issues a cursor twice. */
function withNewCursors(inner: ReturnType<typeof clientOf>): ListClient {
  return {
    get: async (query, check, context) => {
      const known = new URLSearchParams(query);
      const after = query.get('after');
      if (after !== null) known.set('after', after.slice(after.indexOf('|') + 1));
      const answer = await inner.get(known, check, context);
      const next = String(answer.pagination['nextCursor']);
      return { ...answer, pagination: { nextCursor: next && `${inner.requests()}|${next}` } };
    },
  };
}

/** A list whose first pages are empty, with these cursors. */
function withEmptyPages(inner: ReturnType<typeof clientOf>, cursors: readonly string[]): ListClient {
  return {
    get: async (query, check, context) => {
      const answer = await inner.get(query, check, context);
      const nextCursor = cursors[inner.requests() - 1];
      return nextCursor === undefined ? answer : { ...answer, rows: [], pagination: { nextCursor } };
    },
  };
}

describe('a cursor that expires', () => {
  const EXPIRED_ANSWERS: readonly ExpiredAnswer[] = [
    'refused',
    'first page',
    'first page of everything',
    'empty last page',
    'half a page',
  ];

  test.each(EXPIRED_ANSWERS)('answered with %s', async (expired) => {
    for (const start of [undefined, timeAt(40)])
      for (const request of [2, 3, 5]) {
        const alarms = alarmsOf(200);
        const client = clientOf({
          ...REST,
          alarms,
          expiredAt: (at) => (at === request ? expired : undefined),
        });
        const config = { ...CONFIG, ...(start === undefined ? {} : { start_date: start }) };
        const { rows, logs } = await readFrom(client, null, Infinity, config);
        const wanted = alarms.filter((text) => timeOf(text) >= Date.parse(start ?? '1970-01-01'));
        expect(compared(wanted, rows), `request ${request} from ${start}`).toEqual(NOTHING);
        // the list is in order
        expect(logs).not.toContainEqual(expect.stringContaining('ascending'));
      }
  });

  test.each([0.3, 1])(
    'answered with an empty last page, even during confirmation: %d of all',
    async (share) => {
      const alarms = alarmsOf(200);
      let random = 1;
      const expires = (): boolean => {
        random = (random * 48_271) % 2_147_483_647;
        return random / 2_147_483_647 < share;
      };
      const client = clientOf({
        ...REST,
        alarms,
        expiredAt: () => (expires() ? 'empty last page' : undefined),
      });
      const { rows } = await readFrom(client, null, Infinity, CONFIG);
      expect(compared(alarms, rows)).toEqual(NOTHING);
    },
  );

  test('slowly is not taken for the end of a list that grows', async () => {
    const alarms = Array.from({ length: 200 }, (_, second) => alarm(second / 60));
    const client = clientOf({
      ...REST,
      alarms,
      expiredAt: (at) => (at === 3 || at === 7 ? 'empty last page' : undefined),
      serverMs: (at) => NOW_MS + (at < 7 ? 0 : 240_000),
      localMs: (at) => NOW_MS + (at < 7 ? 0 : 240_000),
    });
    const { rows } = await readFrom(client, null, Infinity, CONFIG);
    expect(compared(alarms, rows)).toEqual(NOTHING);
  });

  test('is not suspected forever if alarms keep arriving after the end date', async () => {
    const alarms = alarmsOf(100);
    const client = clientOf({
      ...REST,
      alarms,
      onRequest: (at, server) => void (at < 400 && server.alarms.push(alarm(99 + at / 60))),
      serverMs: (at) => NOW_MS + at * 1000,
    });
    const end_date = timeAt(70);
    await readFrom(client, null, Infinity, { ...CONFIG, lookback_seconds: 86_400, end_date });
    expect(client.requests()).toBeLessThan(20);
  });

  test('before any alarm was seen does not end the read', async () => {
    const client = withEmptyPages(clientOf({ ...REST, alarms: alarmsOf(60) }), ['place', '']);
    const { rows } = await readFrom(client, null, Infinity, CONFIG);
    expect(compared(alarmsOf(60), rows)).toEqual(NOTHING);
  });

  test('before any alarm was seen, answered with alarms before the start date, hides none', async () => {
    const inner = clientOf({
      ...REST,
      cursors: 'indexes',
      alarms: alarmsOf(200),
      expiredAt: (at) => (at === 2 ? 'first page of everything' : undefined),
      localMs: (at) => NOW_MS + (at < 2 ? 0 : 90 * MINUTE_MS),
    });
    const config = { ...CONFIG, start_date: timeAt(40), lookback_seconds: 3600 };
    const { rows } = await readFrom(withEmptyPages(inner, ['0']), null, Infinity, config);
    expect(compared(alarmsOf(200).slice(40), rows)).toEqual(NOTHING);
  });

  test('of old age does not end the read of alarms without times', async () => {
    const alarms = alarmsOf(9);
    const client = clientOf({
      ...REST,
      pageSize: 5,
      alarms,
      expiredAt: (at) => (at === 2 ? 'empty last page' : undefined),
      localMs: (at) => NOW_MS + (at < 2 ? 0 : MINUTE_MS),
    });
    const { rows } = await readFrom(client, null, Infinity, { ...CONFIG, created_field: 'unknown' });
    expect(compared(alarms, rows)).toEqual(NOTHING);
  });

  test('repeatedly while time passes ends the read with an error', async () => {
    const client = clientOf({
      ...REST,
      alarms: alarmsOf(60),
      expiredAt: (at) => (at > 2 ? 'first page' : undefined),
      serverMs: (at) => START_MS + 400_000 + at,
    });
    const config = { ...CONFIG, lookback_seconds: 0 };
    await expect(readFrom(client, null, Infinity, config)).rejects.toThrow('cannot be reached');
  });

  test('does not end at a row that another chain has passed', async () => {
    const alarms = alarmsOf(200);
    // a late alarm makes confirmations begin a lookback earlier, at the first page
    alarms.splice(12, 0, alarm(8.5));
    // the cursor of a chain of five pages expires, and then those of two of one page each; the first of these brings an alarm that has come late
    const client = clientOf({
      ...REST,
      alarms,
      expiredAt: (at) => (at === 6 || at === 8 || at === 10 ? 'empty last page' : undefined),
      onRequest: (at) => void (at === 7 && alarms.splice(6, 0, alarm(5.5))),
    });
    const config = { ...CONFIG, start_date: timeAt(0), lookback_seconds: 86_400 };
    const { rows } = await readFrom(client, null, Infinity, config);
    expect(compared(alarms, rows)).toEqual(NOTHING);
  });

  test('while an end is confirmed does not discard that end', async () => {
    const alarms = alarmsOf(200);
    // a late alarm makes confirmations begin a lookback earlier, at the first page
    alarms.splice(12, 0, alarm(8.5));
    // chains of nine pages end, and the cursor of each one after them expires
    const client = clientOf({
      ...REST,
      alarms,
      expiredAt: (at) => (at % 12 === 0 ? 'refused' : undefined),
    });
    const { rows } = await readFrom(client, null, Infinity, { ...CONFIG, lookback_seconds: 86_400 });
    expect(compared(alarms, rows)).toEqual(NOTHING);
    expect(client.requests()).toBe(21);
  });

  test('a burst of identical alarms longer than a page costs a few requests more', async () => {
    const alarms = [
      ...alarmsOf(20),
      ...Array.from({ length: 60 }, () => alarm(20)),
      ...alarmsOf(100).slice(21),
    ];
    const client = clientOf({ ...REST, alarms });
    const { rows } = await readFrom(client, null, Infinity, CONFIG);
    expect(compared(alarms, rows)).toEqual(NOTHING);
    expect(client.requests()).toBeLessThan(14);
  });

  test('fails a read that it keeps from ending', async () => {
    const alarms = Array.from({ length: 200 }, (_, row) => alarm(row < 60 ? row : 60, `alarm ${row}`));
    const client = clientOf({ ...REST, alarms, expiredAt: (at) => (at > 4 ? 'empty last page' : undefined) });
    await expect(readFrom(client, null, Infinity, CONFIG)).rejects.toThrow('cannot be reached');
  });

  test.each(EXPIRED_ANSWERS)('of each of four chains, answered with %s', async (expired) => {
    const alarms = Array.from({ length: 600 }, (_, row) => alarm(2 * row));
    const client = clientOf({ ...REST, alarms, expiredAt: (at) => (at % 11 === 0 ? expired : undefined) });
    const { rows } = await readFrom(client, null, Infinity, { ...CONFIG, parallel_chains: 4 });
    expect(compared(alarms, rows)).toEqual(NOTHING);
  });

  test('that makes the server fail is replaced, but not twice at the same created time', async () => {
    const alarms = alarmsOf(100).toReversed();
    const passing = clientOf({ ...REST, alarms, expiredAt: (at) => (at === 3 ? 'failed' : undefined) });
    expect(compared(alarms, (await readFrom(passing, null, Infinity, CONFIG)).rows)).toEqual(NOTHING);
    const failing = clientOf({ ...REST, alarms, expiredAt: (at) => (at >= 3 ? 'failed' : undefined) });
    await expect(readFrom(failing, null, Infinity, CONFIG)).rejects.toThrow('the API failed');
    expect(failing.requests()).toBeLessThan(10);
  });

  test.each(['ascending', 'descending'])(
    'answered with the first page of one alarm is noticed at the second, in %s order',
    async (order) => {
      const alarms = order === 'ascending' ? alarmsOf(60) : alarmsOf(60).toReversed();
      const inner = clientOf({
        ...REST,
        pageSize: 1,
        alarms,
        expiredAt: (at) => (at % 40 === 39 ? 'first page' : undefined),
      });
      const read = readFrom(withNewCursors(inner), null, Infinity, { ...CONFIG, lookback_seconds: 86_400 });
      await expect(read).rejects.toThrow('was interrupted repeatedly');
      expect(inner.requests()).toBeLessThan(1000);
    },
  );

  test('because each batch takes longer to write than a cursor is valid costs a restart for every two pages', async () => {
    const alarms = alarmsOf(200);
    let batches = 0;
    const sent: number[] = []; // batches before each request
    const client = clientOf({
      ...REST,
      alarms,
      onRequest: () => void sent.push(batches),
      expiredAt: (at) => (sent[at - 1] === sent[at - 2] ? undefined : 'refused'),
    });
    const onBatch = (): void => {
      batches++;
    };
    const { rows } = await readFrom(client, null, Infinity, { ...CONFIG, lookback_seconds: 86_400 }, onBatch);
    expect(compared(alarms, rows)).toEqual(NOTHING);
  });

  test('answered with the first page in descending order is noticed by the age of the cursor', async () => {
    const inner = clientOf({
      ...REST,
      pageSize: 5,
      alarms: alarmsOf(60).toReversed(),
      expiredAt: (at) => (at % 10 === 9 ? 'first page' : undefined),
      localMs: (at) => NOW_MS + Math.floor((at + 1) / 10) * 60_000,
    });
    const read = readFrom(withNewCursors(inner), null, Infinity, { ...CONFIG, lookback_seconds: 86_400 });
    await expect(read).rejects.toThrow('was interrupted repeatedly');
    expect(inner.requests()).toBeLessThan(200);
  });

  test('answered with the first page after its first alarm was deleted', async () => {
    const alarms = alarmsOf(200);
    const client = clientOf({
      ...REST,
      alarms,
      expiredAt: (at) => (at === 4 ? 'first page' : undefined),
      onRequest: (at) => void (at === 4 && alarms.shift()),
    });
    const { rows } = await readFrom(client, null, Infinity, CONFIG);
    expect(compared([alarm(0), ...alarms], rows)).toEqual(NOTHING);
  });

  test('during a loop check', async () => {
    const alarms = alarmsOf(100);
    const inner = clientOf({
      ...REST,
      alarms,
      expiredAt: (at) => (at === 4 || at === 5 ? 'refused' : undefined),
    });
    const client: ListClient = {
      get: async (query, check, context) => {
        const answer = await inner.get(query, check, context);
        const isThird = inner.requests() === 3;
        return isThird ? { ...answer, pagination: { nextCursor: query.get('after') } } : answer;
      },
    };
    const { rows } = await readFrom(client, null, Infinity, CONFIG);
    expect(compared(alarms, rows)).toEqual(NOTHING);
  });
});
