import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_INSTANT, MIN_INSTANT, readTime, writeTime } from '../paging/instant.ts';
import type { Instant, TimeFormat } from '../paging/instant.ts';
import { sampleCursor } from './sample-cursor.ts';

const SECOND = 1_000_000_000n;
const NOW = instantOf('2026-11-21T12:00:00Z');
const FORMAT: TimeFormat = { kind: 'calendar', separator: 'T', seconds: true, fractionDigits: 3, zone: 'Z' };

interface Row {
  readonly id: number;
  readonly created: string;
}

interface Server {
  readonly rows: readonly Row[];
  readonly cap: number;
  readonly bound: 'inclusive' | 'exclusive' | 'disregards' | 'refuses'; // what it does with `createdSince`
}

interface Sampled {
  readonly ids: readonly number[];
  readonly requests: number;
  readonly messages: readonly string[];
}

class Refused extends Error {}

function instantOf(text: string): Instant {
  const time = readTime(text);
  if (time === undefined) throw new Error(`no time: ${text}`);
  return time.instant;
}

/** Samples a list whose cursors are places in it. */
async function sample(
  { rows, cap, bound }: Server,
  count: number,
  range: { readonly start?: string; readonly end?: string },
): Promise<Sampled> {
  const ids: number[] = [];
  const messages: string[] = [];
  let requests = 0;
  const pages = sampleCursor<Row>(
    {
      fetchPage: async ({ after, createdSince }) => {
        requests++;
        if (createdSince !== null && bound === 'refuses') throw new Refused();
        const since = createdSince === null || bound === 'disregards' ? null : instantOf(createdSince);
        const isWanted = ({ created }: Row): boolean =>
          since === null ||
          instantOf(created) > since ||
          (bound === 'inclusive' && instantOf(created) === since);
        const wanted = rows.filter(isWanted);
        const from = after === null ? 0 : Number(after);
        const next = from + cap < wanted.length ? String(from + cap) : null;
        return {
          rows: wanted.slice(from, from + cap),
          next,
          time: NOW,
          sentAtMs: 0,
        };
      },
      createdOf: ({ created }) => readTime(created),
      textOf: ({ id }) => Buffer.from(String(id)),
      isSame: (one, other) => one === other,
      startText: range.start ?? null,
      start: range.start === undefined ? MIN_INSTANT : instantOf(range.start),
      end: range.end === undefined ? MAX_INSTANT : instantOf(range.end),
      signal: new AbortController().signal,
      failureOf: (error) => (error instanceof Refused ? 'refused' : 'else'),
      info: async (line) => void messages.push(line),
    },
    count,
  );
  for await (const page of pages) ids.push(...page.map(({ id }) => id));
  return { ids, requests, messages };
}

/** Rows with these gaps in seconds, the last of them created `lastAge` seconds before now. */
function rowsWith(gaps: readonly number[], lastAge: number): readonly Row[] {
  let created = NOW - BigInt(lastAge) * SECOND;
  const rows = gaps.toReversed().map((gap, index): Row => {
    const text = writeTime(created, FORMAT);
    created -= BigInt(gap) * SECOND;
    return { id: gaps.length - 1 - index, created: text };
  });
  return rows.toReversed();
}

// quiet hours, bursts, and many rows of one time
const gap = fc.constantFrom(0, 0, 1, 1, 2, 60, 3_600, 86_400);
const rowList = fc
  .tuple(fc.array(gap, { maxLength: 400, size: 'max' }), fc.constantFrom(0, 5, 4_000, 40_000_000))
  .map(([gaps, lastAge]) => rowsWith(gaps, lastAge));
const server = fc.record<Server>({
  rows: rowList,
  cap: fc.integer({ min: 1, max: 60 }),
  bound: fc.constantFrom('inclusive', 'exclusive'),
});

test('the oldest half and the newest rows are sampled, or all rows of a list that is no longer than the sample', async () => {
  await fc.assert(
    fc.asyncProperty(server, fc.integer({ min: 20, max: 300 }), async (list, count) => {
      const { ids, requests, messages } = await sample(list, count, {});
      const seen = new Set(ids);
      const { length } = list.rows;
      expect([...seen].filter((id) => id < Math.ceil(count / 2))).toHaveLength(
        Math.min(length, Math.ceil(count / 2)),
      );
      // a bound does not distinguish rows of one time: any of them will do
      const newest = list.rows.filter(({ created }) => created === list.rows.at(-1)?.created);
      if (length > 0) expect(newest.some(({ id }) => seen.has(id))).toBe(true);
      if (length <= count) expect(seen.size).toBe(length);
      else expect(seen.size).toBeGreaterThanOrEqual(count);
      expect(messages).toStrictEqual([]);
      expect(requests).toBeLessThanOrEqual(48 + 16 * Math.ceil(count / list.cap));
    }),
    { numRuns: 300 },
  );
});

test('the newest rows are sampled, although a page of others holds more rows than the sample', async () => {
  // three days of one row a minute, a long time ago
  const rows = rowsWith(
    Array.from({ length: 4000 }, () => 60),
    40_000_000,
  );
  for (const cap of [45, 500]) {
    const { ids, requests, messages } = await sample({ rows, cap, bound: 'inclusive' }, 22, {});
    expect(ids).toContain(3999);
    expect(messages).toStrictEqual([]);
    expect(requests).toBeLessThanOrEqual(40);
  }
});

test('no row before the start date or after the end date is sampled, and both ends between them are', async () => {
  await fc.assert(
    fc.asyncProperty(
      server,
      fc.array(fc.nat(), { minLength: 2, maxLength: 2 }),
      fc.constantFrom<Server['bound']>('inclusive', 'disregards'),
      async (list, picks, bound) => {
        if (list.rows.length === 0) return;
        const [start = '', end = ''] = picks
          .map((pick) => list.rows[pick % list.rows.length]?.created ?? '')
          .toSorted((a, b) => (a < b ? -1 : 1));
        const { ids } = await sample({ ...list, bound }, 100, { start, end });
        const wanted = list.rows.filter(({ created }) => created >= start && created <= end);
        expect(wanted.map(({ id }) => id)).toEqual(expect.arrayContaining([...ids]));
        if (bound === 'inclusive') expect(ids).toContain(wanted[0]?.id);
        if (bound === 'inclusive' && wanted.length <= 100) expect(new Set(ids).size).toBe(wanted.length);
      },
    ),
    { numRuns: 300 },
  );
});

test('a long list with even gaps needs few requests', async () => {
  const rows = rowsWith(
    Array.from({ length: 20_000 }, () => 360),
    10,
  );
  const { ids, requests } = await sample({ rows, cap: 100, bound: 'inclusive' }, 1000, {});
  expect(ids.filter((id) => id >= 19_750)).not.toHaveLength(0);
  expect(new Set(ids).size).toBeGreaterThanOrEqual(1000);
  expect(requests).toBeLessThanOrEqual(20);
});

test.each<[string, Partial<Server>, RegExp]>([
  ['refuses createdSince', { bound: 'refuses' }, /the server refuses createdSince=2026-/],
  ['disregards createdSince', { bound: 'disregards' }, /ignores createdSince/],
  [
    'lists the newest first',
    {
      rows: rowsWith(
        Array.from({ length: 900 }, () => 3600),
        10,
      ).toReversed(),
    },
    /ascending/,
  ],
  [
    'shows no times',
    { rows: Array.from({ length: 900 }, (_, id) => ({ id, created: 'n/a' })) },
    /no created time/,
  ],
])('if the server %s, the first rows of the list are sampled, with a log line', async (_, change, reason) => {
  const rows = rowsWith(
    Array.from({ length: 900 }, () => 3600),
    10,
  );
  const list: Server = { rows, cap: 50, bound: 'inclusive', ...change };
  const { ids, messages } = await sample(list, 200, {});
  const first = list.rows.slice(0, 200).map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(first));
  expect(messages).toStrictEqual([expect.stringMatching(reason)]);
  expect(messages[0]).toMatch(/^sampling only the first rows of the list, not the newest: /);
});

test('any other failure ends the sample', async () => {
  const pages = sampleCursor<Row>(
    {
      fetchPage: async ({ after, createdSince }) => {
        if (createdSince !== null) throw new Error('the connection was reset');
        return {
          rows: rowsWith([1, 1], 900),
          next: `${after ?? ''}x`,
          time: NOW,
          sentAtMs: 0,
        };
      },
      createdOf: ({ created }) => readTime(created),
      textOf: ({ id }) => Buffer.from(String(id)),
      isSame: () => false,
      startText: null,
      start: MIN_INSTANT,
      end: MAX_INSTANT,
      signal: new AbortController().signal,
      failureOf: () => 'else',
      info: async () => undefined,
    },
    4,
  );
  await expect(
    (async () => {
      for await (const page of pages) expect(page).toHaveLength(2);
    })(),
  ).rejects.toThrow('reset');
});
