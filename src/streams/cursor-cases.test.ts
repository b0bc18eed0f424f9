import { describe, expect, test } from 'vitest';
import type { StreamState } from '../protocol/messages.ts';
import {
  CONFIG,
  NOTHING,
  NOW_MS,
  REST,
  alarm,
  alarmsOf,
  never,
  clientOf,
  compared,
  readFrom,
  timeAt,
  timeOf,
} from './cursor-cases.fake.ts';
import type { Server } from './cursor-cases.fake.ts';

/** Such a copy is only known if it is within the lookback. */
const LATE = 'of which one is late';

/** A list with identical alarms, in pages of a few rows, by kind of order. */
const LISTS_WITH_COPIES: readonly (readonly [string, readonly number[], number])[] = [
  [
    'that fill more than a page',
    [...Array.from({ length: 26 }, () => 0), ...Array.from({ length: 40 }, (_, at) => at)],
    25,
  ],
  ['of few times in no order', Array.from({ length: 40 }, (_, at) => (at * at * 7 + at * 3) % 8), 3],
  ['on the first two pages in no order', [20, 5, 22, 60, 61, 5, 22, 6, 7, 8, 9, 10], 5],
  [LATE, [...Array.from({ length: 60 }, (_, at) => at), 0], 25],
];

describe('identical alarms', () => {
  test.each(LISTS_WITH_COPIES)('%s are emitted once, and counted', async (kind, minutes, pageSize) => {
    const alarms = minutes.map((minute) => alarm(minute));
    for (const lookback_seconds of kind === LATE ? [86_400] : [2, 86_400]) {
      const client = clientOf({ ...REST, alarms, pageSize, cursors: 'indexes' });
      const { rows, logs } = await readFrom(client, null, Infinity, { ...CONFIG, lookback_seconds });
      expect(compared([...new Set(alarms)], rows)).toEqual(NOTHING);
      const copies = alarms.length - new Set(alarms).size;
      expect(logs).toContainEqual(expect.stringContaining(`returned ${copies} row`));
    }
  });

  test.each([1, 2, 3, 4])('around the page where a read was killed, after %i pages', async (pages) => {
    for (const place of [24, 25, 26, 49, 50, 74]) {
      const alarms = alarmsOf(200);
      alarms.splice(place, 0, ...Array.from({ length: 3 }, () => alarms[place] as string));
      const client = clientOf({ ...REST, alarms });
      const first = await readFrom(client, null, pages, CONFIG);
      const second = await readFrom(client, first.states.at(-1) ?? null, Infinity, CONFIG);
      expect(compared([...new Set(alarms)], [...first.rows, ...second.rows]), `copies at ${place}`).toEqual(
        NOTHING,
      );
    }
  });
});

const shifting = (): Server => ({
  ...REST,
  alarms: alarmsOf(100),
  cursors: 'indexes',
  onRequest: (at, { alarms }) => {
    if (at === 3) alarms.splice(48, 0, alarm(47.5), alarm(47.6));
  },
});

describe('cursors that are positions', () => {
  test('repeat nothing, and the rows that the server has returned twice are counted', async () => {
    const { rows, logs } = await readFrom(clientOf(shifting()), null, Infinity, CONFIG);
    expect(rows).toHaveLength(new Set(rows).size);
    expect(logs).toContainEqual(expect.stringMatching(/^the server returned 2 rows more than once/));
  });

  test('do not pass for expired ones where alarms with an id arrive at the head of the list', async () => {
    const alarms = alarmsOf(40).toReversed();
    const onRequest = (at: number): void => {
      if (at < 250) alarms.unshift(alarm(100 + at), alarm(100.5 + at));
    };
    const client = clientOf({ ...REST, alarms, pageSize: 4, cursors: 'indexes', onRequest });
    const { rows } = await readFrom(client, null, Infinity, { ...CONFIG, id_field: 'words' });
    expect(compared(alarmsOf(40), rows).lost).toEqual([]);
  });
});

/** Reads once, lets alarms arrive late, and reads again; the records' clock is `behindMs` behind the server's. */
async function readTwice(behindMs: number, clocks: Pick<Server, 'serverMs' | 'localMs'>): Promise<string[]> {
  const lookback_seconds = 10;
  const second = (at: number): string =>
    JSON.stringify({ createdDate: new Date(NOW_MS - behindMs + at * 1000).toISOString(), at });
  const alarms = Array.from({ length: 60 }, (_, at) => second(at - 60));
  const client = clientOf({ ...REST, ...clocks, alarms });
  const first = await readFrom(client, null, Infinity, { ...CONFIG, lookback_seconds });
  // it was created within the lookback, and shows after a newer one was read
  alarms.splice(54, 0, second(-5.5));
  alarms.push(second(3));
  const next = await readFrom(client, first.states.at(-1) ?? null, Infinity, {
    ...CONFIG,
    lookback_seconds,
  });
  return compared(alarms, [...first.rows, ...next.rows]).lost;
}

const local = (minute: number): string => {
  // the clock shows the hour from 2:00 to 3:00 twice
  const shown = minute < 180 ? minute : minute - 60;
  const createdDate = timeAt(shown).replace('Z', '');
  return JSON.stringify({ createdDate, minute });
};
const byTime = (one: string, other: string): number => timeOf(one) - timeOf(other);

describe('clocks that differ', () => {
  test.each([
    ['the records are behind the server', 60_000, {}],
    ['the records are ahead of the server', -60_000, {}],
    [
      'the local clock is ahead, and the server sends no time',
      0,
      { serverMs: never, localMs: () => NOW_MS + 600_000 },
    ],
    [
      'the local clock is ahead, and the server sends no time with its first response',
      0,
      { serverMs: (at: number) => (at === 1 ? undefined : NOW_MS), localMs: () => NOW_MS + 600_000 },
    ],
    [
      'the records are behind the server, which sends its time once, and the local clock is behind both',
      60_000,
      { serverMs: (at: number) => (at === 1 ? NOW_MS : undefined), localMs: () => NOW_MS - 600_000 },
    ],
  ])('%s: an alarm that comes late within the lookback is found', async (_, behindMs, clocks) => {
    expect(await readTwice(behindMs, clocks)).toEqual([]);
  });

  test('local times without a zone fall back by an hour when DST ends', async () => {
    const all = Array.from({ length: 300 }, (_, minute) => local(minute));
    const alarms = all.slice(0, 178);
    const config = { ...CONFIG, lookback_seconds: 60 };
    const emitted: string[] = [];
    let state: StreamState | null = null;
    for (const shown of [178, 200, 230, 300]) {
      alarms.splice(0, alarms.length, ...all.slice(0, shown).toSorted(byTime));
      const result = await readFrom(clientOf({ ...REST, alarms }), state, Infinity, config);
      emitted.push(...result.rows);
      state = result.states.at(-1) ?? null;
    }
    expect(compared(all, emitted)).toEqual(NOTHING);
  });
});

test('an empty list needs no warning', async () => {
  const { logs } = await readFrom(clientOf({ ...REST, alarms: [] }), null, Infinity, CONFIG);
  expect(logs).toEqual([]);
});

test.each([
  [60, {}],
  // all alarms are later, and too few to prove an order
  [12, { start_date: '2025-12-01T00:00:00Z', end_date: '2026-01-01T00:00:00Z' }],
])(
  '%d alarms whose text changes with every request do not keep a read going, with %o',
  async (count, dates) => {
    const alarms = alarmsOf(count);
    const onRequest = (at: number): void => {
      for (const row of alarms.keys()) alarms[row] = alarm(row, `seen ${at}`);
    };
    const client = clientOf({ ...REST, alarms, pageSize: 10, onRequest, cursors: 'indexes' });
    await readFrom(client, null, Infinity, { ...CONFIG, ...dates, lookback_seconds: 86_400 });
    expect(client.requests()).toBeLessThan(40);
  },
);

test('cursors that expire repeatedly do not make a list count as ordered because it begins so', async () => {
  const alarms = [20, 21, 22, 60, 61, 5, 6, 7, 8, 9].map((minute) => alarm(minute));
  const client = clientOf({
    ...REST,
    pageSize: 5,
    cursors: 'indexes',
    alarms,
    expiredAt: (at) => (at <= 12 ? 'refused' : undefined),
  });
  const { rows } = await readFrom(client, null, Infinity, { ...CONFIG, lookback_seconds: 1800 });
  expect(compared(alarms, rows)).toEqual(NOTHING);
});

test('a state with an alarm in the last hours of 9999, newest first, is accepted again', async () => {
  const last = JSON.stringify({ createdDate: '9999-12-31T23:59:59-05:00' });
  const client = clientOf({
    ...REST,
    alarms: [last, ...alarmsOf(60).toReversed()],
    pageSize: 31,
    cursors: 'indexes',
  });
  const first = await readFrom(client, null, 1, CONFIG);
  await expect(readFrom(client, first.states.at(-1) ?? null, Infinity, CONFIG)).resolves.toBeDefined();
});

test('a created_field without times is refused despite a start date', async () => {
  const config = { ...CONFIG, created_field: 'words', start_date: '2026-01-01T00:00:00Z' };
  await expect(readFrom(clientOf({ ...REST, alarms: alarmsOf(60) }), null, Infinity, config)).rejects.toThrow(
    '"words" (alarms.created_field) has no readable time in any of 60 rows checked: its values, such as',
  );
});
