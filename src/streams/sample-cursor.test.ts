import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { configError } from '../errors.ts';
import { MS, readTime, writeTime, type Instant, type TimeFormat } from '../paging/instant.ts';
import { runs } from '../property-runs.test-support.ts';
import { SECOND } from './alarm-server.arbitraries.fake.ts';
import { createAlarmServer, idOf, type AlarmServerOptions, type FakeAlarm } from './alarm-server.fake.ts';
import { listOf as cursorListOf } from './cursor-stream.ts';
import { sampleCursor } from './sample-cursor.ts';

const NOW = instantOf('2026-11-21T12:00:00Z');
const FORMAT: TimeFormat = { kind: 'calendar', separator: 'T', seconds: true, fractionDigits: 3, zone: 'Z' };

/** A list, and what its server does with `createdSince`. */
interface List extends Pick<AlarmServerOptions, 'alarms' | 'pageSize' | 'order'> {
  readonly bound: AlarmServerOptions['bound'] | 'disregards' | 'refuses';
}

interface Sampled {
  readonly ids: readonly number[];
  readonly requests: number;
  readonly messages: readonly string[];
}

/** Where a sample begins and ends, and the field with the created time. */
interface Wanted {
  readonly start?: string;
  readonly end?: string;
  readonly field?: string;
}

function instantOf(text: string): Instant {
  const time = readTime(text);
  if (time === undefined) throw new Error(`no time: ${text}`);
  return time.instant;
}

/** A list by cursor as a sample sees it. */
function listOf({ bound, ...list }: List, { start, end, field = 'createdDate' }: Wanted, messages: string[]) {
  const asked = bound === 'disregards' || bound === 'refuses' ? 'inclusive' : bound;
  const server = createAlarmServer({
    ...list,
    bound: asked,
    format: FORMAT,
    precision: 1n,
    now: NOW,
    steps: [],
    delays: [],
    cursorLife: Infinity,
    staleCursor: 'refuse',
  });
  const context = {
    signal: new AbortController().signal,
    now: () => Number(NOW / MS),
    info: async (line: string): Promise<void> => void messages.push(line),
    onWait: async () => undefined,
  };
  const fetchPage: typeof server.fetchPage = async (request, signal) => {
    const { createdSince } = request;
    if (createdSince !== null && bound === 'refuses') throw configError('REQUEST_REFUSED', createdSince);
    return server.fetchPage(
      { ...request, createdSince: bound === 'disregards' ? null : createdSince },
      signal,
    );
  };
  const dates = { ...(start && { start_date: start }), ...(end && { end_date: end }) };
  const config = { created_field: field, lookback_seconds: 300, parallel_chains: 1, ...dates };
  return {
    server,
    list: cursorListOf({ name: 'alarms', place: 'alarms' }, config, context, fetchPage),
    info: context.info,
  };
}

async function sample(of: List, count: number, wanted: Wanted): Promise<Sampled> {
  const ids: number[] = [];
  const messages: string[] = [];
  const { server, list, info } = listOf(of, wanted, messages);
  for await (const page of sampleCursor(list, count, info)) ids.push(...page.map(idOf));
  return { ids, requests: server.requests(), messages };
}

/** Alarms with these gaps in seconds, the last of them created `lastAge` seconds before now. */
function alarmsWith(gaps: readonly number[], lastAge: number): readonly FakeAlarm[] {
  let created = NOW - BigInt(lastAge) * SECOND;
  const alarms = gaps.toReversed().map((gap, index): FakeAlarm => {
    const alarm = { id: gaps.length - 1 - index, created, visible: created };
    created -= BigInt(gap) * SECOND;
    return alarm;
  });
  return alarms.toReversed();
}

const evenly = (count: number, gap: number, lastAge: number): readonly FakeAlarm[] =>
  alarmsWith(
    Array.from({ length: count }, () => gap),
    lastAge,
  );

// quiet hours, bursts, and many rows of one time
const gap = fc.constantFrom(0, 0, 1, 1, 2, 60, 3_600, 86_400);
const alarmList = fc
  .tuple(fc.array(gap, { maxLength: 400, size: 'max' }), fc.constantFrom(0, 5, 4_000, 40_000_000))
  .map(([gaps, lastAge]) => alarmsWith(gaps, lastAge));
const anyList = fc.record<List>({
  alarms: alarmList,
  pageSize: fc.integer({ min: 1, max: 60 }),
  order: fc.constant('ascending'),
  bound: fc.constantFrom('inclusive', 'exclusive'),
});

test('the oldest half and the newest rows are sampled, or all rows of a list that is no longer than the sample', async () => {
  await fc.assert(
    fc.asyncProperty(anyList, fc.integer({ min: 20, max: 300 }), async (list, count) => {
      const { ids, requests, messages } = await sample(list, count, {});
      const seen = new Set(ids);
      const { length } = list.alarms;
      expect([...seen].filter((id) => id < Math.ceil(count / 2))).toHaveLength(
        Math.min(length, Math.ceil(count / 2)),
      );
      // a bound does not distinguish rows of one time: any of them will do
      const newest = list.alarms.filter(({ created }) => created === list.alarms.at(-1)?.created);
      if (length > 0) expect(newest.some(({ id }) => seen.has(id))).toBe(true);
      if (length <= count) expect(seen.size).toBe(length);
      else expect(seen.size).toBeGreaterThanOrEqual(count);
      expect(messages).toStrictEqual([]);
      expect(requests).toBeLessThanOrEqual(48 + 16 * Math.ceil(count / list.pageSize));
    }),
    { numRuns: runs(300) },
  );
});

/** A list in ascending order, whose server includes rows of the bound. */
const ordinary = (alarms: readonly FakeAlarm[], pageSize: number): List => {
  return { alarms, pageSize, order: 'ascending', bound: 'inclusive' };
};

test.each([45, 500])(
  'the newest rows are sampled, although a page of %i others holds more rows than the sample',
  async (pageSize) => {
    // three days of one row a minute, a long time ago
    const list = ordinary(evenly(4000, 60, 40_000_000), pageSize);
    const { ids, requests, messages } = await sample(list, 22, {});
    expect(ids).toContain(3999);
    expect(messages).toStrictEqual([]);
    expect(requests).toBeLessThanOrEqual(40);
  },
);

test('no row before the start date or after the end date is sampled, and both ends between them are', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyList,
      fc.array(fc.nat(), { minLength: 2, maxLength: 2 }),
      fc.constantFrom<List['bound']>('inclusive', 'disregards'),
      async (list, picks, bound) => {
        const { alarms } = list;
        if (alarms.length === 0) return;
        const [from = 0, to = 0] = picks.map((pick) => pick % alarms.length).toSorted((a, b) => a - b);
        const [start = 0n, end = 0n] = [alarms[from]?.created, alarms[to]?.created];
        const dates = { start: writeTime(start, FORMAT), end: writeTime(end, FORMAT) };
        const { ids } = await sample({ ...list, bound }, 100, dates);
        const wanted = alarms.filter(({ created }) => created >= start && created <= end);
        expect(wanted.map(({ id }) => id)).toEqual(expect.arrayContaining([...ids]));
        if (bound === 'inclusive') expect(ids).toContain(wanted[0]?.id);
        if (bound === 'inclusive' && wanted.length <= 100) expect(new Set(ids).size).toBe(wanted.length);
      },
    ),
    { numRuns: runs(300) },
  );
});

test('a long list with even gaps needs few requests', async () => {
  const { ids, requests } = await sample(ordinary(evenly(20_000, 360, 10), 100), 1000, {});
  expect(ids.filter((id) => id >= 19_750)).not.toHaveLength(0);
  expect(new Set(ids).size).toBeGreaterThanOrEqual(1000);
  expect(requests).toBeLessThanOrEqual(20);
});

test.each<[string, Partial<List>, Wanted, RegExp]>([
  ['refuses createdSince', { bound: 'refuses' }, {}, /the server refuses createdSince=2026-/],
  ['disregards createdSince', { bound: 'disregards' }, {}, /ignores createdSince/],
  ['lists the newest first', { order: 'descending' }, {}, /ascending/],
  ['shows no times', {}, { field: 'closedDate' }, /no created time/],
])(
  'if the server %s, the first rows of the list are sampled, with a log line',
  async (_, change, wanted, reason) => {
    const list = { ...ordinary(evenly(900, 3600, 10), 50), ...change };
    const { ids, messages } = await sample(list, 200, wanted);
    const first = Array.from({ length: 200 }, (__, at) => (list.order === 'descending' ? 899 - at : at));
    expect(ids).toEqual(expect.arrayContaining(first));
    expect(messages).toStrictEqual([expect.stringMatching(reason)]);
    expect(messages[0]).toMatch(/^sampling only the first rows of the list, not the newest: /);
  },
);

test('any other failure ends the sample', async () => {
  const { list, info } = listOf(ordinary(evenly(9, 60, 900), 1), {}, []);
  const fetchPage: typeof list.fetchPage = async (request, signal) => {
    if (request.createdSince !== null) throw new Error('the connection was reset');
    return list.fetchPage(request, signal);
  };
  const pages = sampleCursor({ ...list, fetchPage }, 4, info);
  await expect(
    (async () => {
      for await (const page of pages) expect(page).toHaveLength(1);
    })(),
  ).rejects.toThrow('reset');
});
