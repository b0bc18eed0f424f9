import type { ListClient } from '../api/client.ts';
import { describe, expect, test } from 'vitest';
import { isLong } from '../property-runs.test-support.ts';
import { rowsOf } from '../rows/row.test-support.ts';
import { CONFIG, NOTHING, NOW_MS, compared, readFrom } from './cursor-cases.fake.ts';
import {
  DAY_MS,
  clientOf,
  everyMinute,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  listed,
  readOnce,
  serviceOf,
  textsOf,
  type Listed,
} from './cursor-service.fake.ts';
import type { CursorConfig } from './cursor-stream.ts';

const PAGE = 25;
/** Of the rows that a date is before. */
const STEP = isLong ? 1 : 5;

const iso = (ms: number): string => new Date(ms).toISOString();

describe('dates', () => {
  const list = everyMinute(120, NOW_MS - 3 * HOUR_MS);
  const startAt = (at: number): CursorConfig => ({ ...CONFIG, start_date: iso(list[at]?.time ?? 0) });

  test('a start date that is later by mistake, and mended, loses nothing', async () => {
    const typed = list.flatMap((_, at) =>
      at % STEP === 0 ? [1, 2, Infinity].map((batches) => ({ at, batches })) : [],
    );
    for (const { at, batches } of typed) {
      const service = serviceOf(list, PAGE);
      const first = await readOnce(service, null, startAt(0), 2);
      const wrong = await readOnce(service, first.state, startAt(at), batches);
      const mended = await readOnce(service, wrong.state, startAt(0), Infinity);
      expect(compared(textsOf(list), [...first.rows, ...wrong.rows, ...mended.rows])).toEqual(NOTHING);
      const last = await readOnce(service, mended.state, startAt(0), Infinity);
      expect(last.rows).toEqual([]);
    }
  });

  test('a later start date goes on where it is, where the service does not accept the question of the state', async () => {
    const service = serviceOf(list, PAGE);
    const first = await readOnce(service, null, CONFIG, 2);
    const later = await readOnce(service, first.state, startAt(100), Infinity);
    expect(later.rows).toEqual(textsOf(list.slice(100)));
    // it is asked from the newest row on, not from the start date again
    const next = await readOnce(service, later.state, startAt(100), Infinity);
    expect(next).toMatchObject({ rows: [], requests: 1 });
    expect(next.logs).not.toContainEqual(expect.stringContaining('had left out'));
  });

  test('what a start date leaves out after the question of the state was not answered is asked for once the date is earlier', async () => {
    const service = serviceOf(list, PAGE);
    const at = (index: number): string => iso(list[index]?.time ?? 0);
    const unknown = 'AAAAAAAAAAA:0';
    const state = { version: 2, created_since: at(60), confirmed_since: at(0), seen: [unknown] };
    const later = await readOnce(service, { ...state, created_field: 'createdDate' }, startAt(30), Infinity);
    const mended = await readOnce(service, later.state, startAt(0), Infinity);
    expect(compared(textsOf(list), [...later.rows, ...mended.rows])).toEqual(NOTHING);
  });

  test('the same where the question before it had no bound: nothing from the question of the state on is lost', async () => {
    const service = serviceOf(list, PAGE);
    const since = iso(list[60]?.time ?? 0);
    const state = { version: 2, created_since: since, confirmed_since: null, seen: ['AAAAAAAAAAA:0'] };
    const later = await readOnce(service, { ...state, created_field: 'createdDate' }, startAt(61), Infinity);
    const mended = await readOnce(service, later.state, startAt(0), Infinity);
    expect(compared(textsOf(list.slice(60)), [...later.rows, ...mended.rows])).toMatchObject({ lost: [] });
  });

  test('an earlier start date than the state changes nothing, and a line says how to read earlier rows', async () => {
    const service = serviceOf(list, PAGE);
    const first = await readOnce(service, null, startAt(100), Infinity);
    const second = await readOnce(service, first.state, startAt(0), Infinity);
    expect(second.rows).toEqual([]);
    expect(second.logs).toEqual([
      expect.stringMatching(/^start_date .* is before the state, .*run once with end_date/),
    ]);
  });

  test('a start date in the future is refused', async () => {
    const config = { ...CONFIG, start_date: iso(NOW_MS + DAY_MS) };
    await expect(readOnce(serviceOf(list, PAGE), null, config, Infinity)).rejects.toThrow(
      /^alarms\.start_date \(.*\) is in the future, so nothing would be read/,
    );
  });

  test('two runs that share a date share it exactly', async () => {
    const middle = iso(list[60]?.time ?? 0);
    const early = await readOnce(serviceOf(list, PAGE), null, { ...CONFIG, end_date: middle }, Infinity);
    const late = await readOnce(serviceOf(list, PAGE), null, { ...CONFIG, start_date: middle }, Infinity);
    expect(early.rows).toEqual(textsOf(list.slice(0, 61)));
    expect(late.rows).toEqual(textsOf(list.slice(60)));
  });

  test('a state of created_since alone emits no row created before it, then or later', async () => {
    const service = serviceOf(list, PAGE);
    const byHand = { created_since: iso((list[60]?.time ?? 0) + 40 * SECOND_MS) };
    const first = await readOnce(service, byHand, CONFIG, Infinity);
    expect(first.rows).toEqual(textsOf(list.slice(61)));
    expect(first.logs).toEqual([
      expect.stringMatching(/^left out \d rows? created before created_since of the state/),
    ]);
    expect((await readOnce(service, first.state, CONFIG, Infinity)).rows).toEqual([]);
  });
});

describe('states', () => {
  test('a read without rows leaves one without a question', async () => {
    const { state } = await readOnce(serviceOf([], PAGE), null, CONFIG, Infinity);
    expect(state).toMatchObject({ version: 2, created_since: undefined, seen: [] });
    const service = serviceOf(everyMinute(3, NOW_MS - HOUR_MS), PAGE);
    expect((await readOnce(service, state, CONFIG, Infinity)).rows).toHaveLength(3);
  });

  test('a clock that is behind the question does not make a read forget what it emitted', async () => {
    const service = serviceOf(everyMinute(60, NOW_MS - HOUR_MS), PAGE);
    const first = await readOnce(service, null, CONFIG, Infinity);
    service.list.push(listed(NOW_MS, 'new'));
    service.nowMs -= DAY_MS;
    const second = await readOnce(service, first.state, CONFIG, Infinity);
    expect(second.rows).toHaveLength(1);
    expect((await readOnce(service, second.state, CONFIG, Infinity)).rows).toEqual([]);
  });

  test.each([
    { created_since: '2200-01-01T00:00:00Z' },
    { version: 2, created_since: '2200-01-01T00:00:00Z', seen: ['AAAAAAAAAAAA:-1'] },
  ])('a question in the future gives no rows, and stays: %j', async (given) => {
    const service = serviceOf(everyMinute(60, NOW_MS - HOUR_MS), PAGE);
    const { rows, state, logs } = await readOnce(service, given, CONFIG, Infinity);
    expect(rows).toEqual([]);
    expect(state).toStrictEqual(given);
    expect(logs).toContainEqual(
      expect.stringMatching(
        /the state goes on from .*, which is in the future, so nothing is read until then\. If/,
      ),
    );
  });
});

describe('a bound that the service refuses', () => {
  const list = everyMinute(60, NOW_MS - HOUR_MS);

  test.each([
    [
      'state',
      { created_since: iso(NOW_MS - DAY_MS), seen: [] },
      CONFIG,
      'set alarms.start_date to a later time',
    ],
    ['start date', null, { ...CONFIG, start_date: iso(NOW_MS - DAY_MS) }, 'Check alarms.start_date.'],
  ] as const)('names where it comes from: the %s', async (_, state, config, advice) => {
    const asked: (string | undefined)[] = [];
    const inner = clientOf(serviceOf(list, PAGE), SECOND_MS);
    const client: ListClient = {
      get: async (query, check, context) => {
        asked.push(context.boundAdvice);
        return inner.get(query, check, context);
      },
    };
    await readFrom(client, state, Infinity, config);
    expect(asked[0]).toContain(advice);
  });

  test('names the created field after the first page of a read', async () => {
    const asked: (string | undefined)[] = [];
    const service = serviceOf(list, PAGE);
    service.answer = () => (service.requests === 3 ? 'refused' : undefined);
    const inner = clientOf(service, SECOND_MS);
    const client: ListClient = {
      get: async (query, check, context) => {
        asked.push(context.boundAdvice);
        return inner.get(query, check, context);
      },
    };
    await readFrom(client, null, Infinity, CONFIG);
    expect(asked.filter((advice) => advice?.includes('alarms.created_field') === true)).not.toEqual([]);
  });
});

/** A service that compares times as texts, in whatever form it has stored them. */
function textService(list: readonly Listed[]) {
  const asked: (string | null)[] = [];
  const get: ListClient['get'] = async (query) => {
    const since = query.get('createdSince');
    asked.push(since);
    const rows = list.filter(({ text }) => since === null || createdIn(text) >= since);
    const at = Number(query.get('after') ?? 0);
    const next = at + PAGE < rows.length ? String(at + PAGE) : '';
    const page = rowsOf(rows.slice(at, at + PAGE).map(({ text }) => text));
    return {
      rows: page,
      pagination: { nextCursor: next },
      serverTimeMs: NOW_MS,
      sentAtMs: NOW_MS,
      receivedAtMs: NOW_MS,
    };
  };
  return { client: { get }, asked };
}

const createdIn = (text: string): string =>
  String((JSON.parse(text) as { createdDate: unknown }).createdDate);

describe('a start date is asked for in the form of the rows, since a service may compare texts', () => {
  test.each<[form: string, written: (ms: number) => string, requests: number]>([
    ['a blank, as the last rows of its day', (ms) => iso(ms).replace('T', ' '), 2],
    ['a T', iso, 0],
    ['a T, to the second', (ms) => iso(ms).replace('.000', ''), 0],
    ['ms since the epoch', String, 2],
  ])('%s', async (_form, written, further) => {
    const list = Array.from({ length: 120 }, (_, at) => {
      const ms = NOW_MS - 3 * HOUR_MS + at * MINUTE_MS;
      return listed(ms, `row ${at}`, written(ms));
    });
    const config = { ...CONFIG, start_date: iso(list[40]?.time ?? 0) };
    const { client, asked } = textService(list);
    const { rows } = await readFrom(client, null, Infinity, config);
    expect(rows).toEqual(textsOf(list.slice(40)));
    expect(new Set(asked).size).toBe(1 + further);
  });
});
