import { describe, expect, test } from 'vitest';
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

const PAGE_SIZE = 25;
const MAY_REPEAT = 'and rows may be repeated';
const everyMinute = (count: number): Listed[] =>
  Array.from({ length: count }, (_, at) => listed(NOW_MS - 5 * DAY_MS + at * 60 * SECOND_MS, `row ${at}`));

/** Reads a list, kills the read after so many batches, and reads again when the server no longer knows the cursor of the first read. */
async function readTwice(list: Listed[], killedAfter: number, config: typeof CONFIG) {
  const service = serviceOf(list, PAGE_SIZE);
  const first = await readOnce(service, null, config, killedAfter);
  service.answer = () => (service.requests === 1 ? 'empty' : undefined);
  service.nowMs += HOUR_MS;
  const second = await readOnce(service, first.state, config, Infinity);
  return { rows: [...first.rows, ...second.rows], logs: second.logs };
}

describe('a list by arrival with a row whose clock is a month ahead', () => {
  // the row is the last one of a page, so a state is written before it is seen to break the order
  const list = everyMinute(400);
  list[99] = listed(NOW_MS + 30 * DAY_MS, 'row of a fast clock');

  test.each([1, 2, 3, 4, 5, 6, 7, 12])('loses nothing if a read is killed after page %i', async (page) => {
    const { rows, logs } = await readTwice(list, page, CONFIG);
    const { lost, repeated } = compared(textsOf(list), rows);
    expect(lost).toEqual([]);
    expect(repeated.length === 0 || logs.some((line) => line.endsWith(MAY_REPEAT))).toBe(true);
  });

  test('is read up to the end date', async () => {
    const config = { ...CONFIG, end_date: new Date(list[300]?.time ?? 0).toISOString() };
    const { rows } = await readTwice(list, Infinity, config);
    const wanted = list.slice(0, 301).filter((_, at) => at !== 99);
    expect(compared(textsOf(wanted), rows)).toEqual(NOTHING);
  });
});

test('a list that ends with an import of old rows is read to its end, and the next read starts again, and says so', async () => {
  const recent = everyMinute(200);
  const imported = Array.from({ length: 40 }, (_, at) =>
    listed((recent[at * 5]?.time ?? 0) + SECOND_MS, `imported ${at}`),
  );
  const service = serviceOf([...recent, ...imported], PAGE_SIZE);
  const first = await readOnce(service, null, CONFIG, Infinity);
  expect(compared(textsOf(service.list), first.rows)).toEqual(NOTHING);
  expect(first.logs).toContainEqual(expect.stringContaining(MAY_REPEAT));
  const { rows } = await readOnce(service, first.state, CONFIG, Infinity);
  expect(rows).toEqual([]);
});

test('an order that is broken is not relied on again before the list ends', async () => {
  const recent = everyMinute(200);
  const old = listed(NOW_MS - 10 * DAY_MS, 'old');
  const service = serviceOf([...recent.slice(0, 60), old, ...recent.slice(60)], PAGE_SIZE);
  const { state } = await readOnce(service, null, CONFIG, 6);
  expect(state).toMatchObject({ created_since: undefined });
});

test('all rows of the end date are emitted, however many were created at it', async () => {
  const list = [
    ...everyMinute(60),
    ...Array.from({ length: 90 }, (_, at) => listed(NOW_MS - DAY_MS, `last ${at}`)),
  ];
  list.push(
    ...Array.from({ length: 90 }, (_, at) => listed(NOW_MS - HOUR_MS + at * SECOND_MS, `later ${at}`)),
  );
  const config = { ...CONFIG, lookback_seconds: 0, end_date: new Date(NOW_MS - DAY_MS).toISOString() };
  const { rows } = await readOnce(serviceOf(list, PAGE_SIZE), null, config, Infinity);
  expect(compared(textsOf(list.slice(0, 150)), rows)).toEqual(NOTHING);
});

test('the rows of a single moment are emitted if it is both the start date and the end date', async () => {
  const list = [...everyMinute(10), ...everyMinute(10).map(({ time }) => listed(time, `twin ${time}`))];
  list.sort((one, other) => one.time - other.time);
  const moment = new Date(list[10]?.time ?? 0).toISOString();
  const config = { ...CONFIG, start_date: moment, end_date: moment };
  const { rows } = await readOnce(serviceOf(list, PAGE_SIZE), null, config, Infinity);
  expect(compared(textsOf(list.slice(10, 12)), rows)).toEqual(NOTHING);
});

test('a read goes on however often its cursor is refused, as long as new rows follow, and says so once', async () => {
  const list = everyMinute(1500);
  const service = serviceOf(list, PAGE_SIZE);
  service.answer = () => (service.requests % 5 === 0 ? 'refused' : undefined);
  const { rows, logs } = await readOnce(service, null, CONFIG, Infinity);
  expect(compared(textsOf(list), rows)).toEqual(NOTHING);
  expect(logs.filter((line) => line.includes('may not know the cursor any more'))).toHaveLength(1);
});

describe('a list that grows by a page per request', () => {
  test('a row that is listed late, behind the place that a chain has reached, is found by the next read', async () => {
    const latest = Array.from({ length: 60 }, (_, at) => listed(NOW_MS - (60 - at) * SECOND_MS, `row ${at}`));
    const service = serviceOf(latest, 20);
    const createdMs = NOW_MS - 100 * SECOND_MS;
    const lateRow = listed(createdMs, 'late');
    let minutes = 0;
    const newRows = (): Listed[] =>
      Array.from({ length: 20 }, (_, at) => listed(service.nowMs + at * 3 * SECOND_MS, `${minutes}.${at}`));
    // each request waits a minute for a limit, ten times
    service.answer = () => {
      if (minutes === 10) return undefined;
      minutes++;
      service.list.push(...newRows());
      service.nowMs += 60 * SECOND_MS;
      const isListed = service.nowMs - createdMs > (CONFIG.lookback_seconds - 60) * SECOND_MS;
      if (isListed && !service.list.includes(lateRow)) {
        service.list.splice(
          service.list.findIndex(({ time }) => time > createdMs),
          0,
          lateRow,
        );
      }
      return undefined;
    };
    const first = await readOnce(service, null, CONFIG, Infinity);
    expect(minutes).toBe(10);
    const second = await readOnce(service, first.state, CONFIG, Infinity);
    expect(second.rows).toContain(lateRow.text);
    expect(compared(textsOf(service.list), [...first.rows, ...second.rows])).toEqual(NOTHING);
  });
});

test('a server that cuts the bound to the hour repeats rows, but the reads do not, and it does not pass for one that ignores it', async () => {
  const list = everyMinute(400);
  const ahead = listed(NOW_MS - 4 * DAY_MS + 12 * HOUR_MS, 'a clock that is more than a day ahead');
  const service = serviceOf([ahead], PAGE_SIZE);
  const emitted: string[] = [];
  const logs: string[] = [];
  let state: StreamState | null = null;
  for (const count of [150, 155, 155, 290, 400]) {
    service.list.splice(-1, 0, ...list.slice(service.list.length - 1, count));
    service.nowMs = (list[count - 1]?.time ?? 0) + SECOND_MS;
    const read: Awaited<ReturnType<typeof readFrom>> = await readFrom(
      clientOf(service, HOUR_MS),
      state,
      Infinity,
      CONFIG,
    );
    emitted.push(...read.rows);
    logs.push(...read.logs);
    state = read.states.at(-1) ?? state;
  }
  expect(compared(textsOf([...list, ahead]), emitted)).toEqual(NOTHING);
  expect(logs.filter((line) => line.includes('ignores'))).toEqual([]);
});

describe('newest first, where the created field is the time of a device, and all recent rows are within the lookback', () => {
  const HALF_HOUR_MS = 30 * 60 * SECOND_MS;
  const recent = Array.from({ length: 8 }, (_, at) =>
    listed(NOW_MS - (8 - at) * 60 * SECOND_MS, `row ${at}`),
  );
  /** Rows that a device has kept for a day. */
  const kept = (count: number): Listed[] =>
    Array.from({ length: count }, (_, at) => {
      const shown = new Date(NOW_MS - DAY_MS + at * 5 * SECOND_MS).toISOString();
      return listed(NOW_MS + HALF_HOUR_MS + at, `kept ${at}`, shown);
    });

  test.each([1, 2, 30])('%i old rows that come first are emitted', async (count) => {
    const list = [...recent, ...kept(count)].toReversed();
    const before = serviceOf(list.slice(count), PAGE_SIZE);
    const config = { ...CONFIG, lookback_seconds: 3600 };
    const first = await readOnce(before, null, config, Infinity);
    const service = { ...before, list, nowMs: NOW_MS + 2 * HALF_HOUR_MS };
    const second = await readOnce(service, first.state, config, Infinity);
    expect(compared(textsOf(list), [...first.rows, ...second.rows])).toEqual(NOTHING);
  });
});

test('a read that repeats old rows, because more of them came at once than a state remembers, says so', async () => {
  const list = Array.from({ length: 9000 }, (_, at) => {
    const shown = at % 2 === 0 ? NOW_MS - DAY_MS - at * SECOND_MS : NOW_MS - 60 * SECOND_MS;
    return listed(NOW_MS - 60 * SECOND_MS, `row ${at}`, new Date(shown).toISOString());
  });
  const service = serviceOf(list, 500);
  const first = await readOnce(service, null, CONFIG, Infinity);
  const second = await readOnce(service, first.state, CONFIG, Infinity);
  const { lost, repeated } = compared(textsOf(list), [...first.rows, ...second.rows]);
  expect(lost).toEqual([]);
  expect(repeated.length).toBeGreaterThan(0);
  const said = second.logs.map((line) =>
    Number(/^up to ([\d,]+) rows may be repeated/.exec(line)?.[1]?.replace(',', '') ?? 0),
  );
  expect(Math.max(...said)).toBe(repeated.length);
});

test.each([2, 8])(
  'old rows before and after the place where a chain jumps in: %i chains lose none',
  async (chains) => {
    const list = everyMinute(3000);
    // old rows take the places of others
    for (const place of [60, 1500, 2800])
      for (let at = place; at < place + 5; at++)
        list[at] = listed((list[0]?.time ?? 0) + (at % 5) * SECOND_MS, `old row ${at}`);
    const service = serviceOf(list, PAGE_SIZE);
    const { rows } = await readOnce(service, null, { ...CONFIG, parallel_chains: chains }, Infinity);
    expect(compared(textsOf(list), rows)).toEqual(NOTHING);
  },
);
