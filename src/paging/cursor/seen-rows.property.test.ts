import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CURSOR_STATE } from '../../limits.ts';
import { runs } from '../../property-runs.test-support.ts';
import { inTurns } from '../../rows/slices.ts';
import { fingerprint } from '../identities.ts';
import { MAX_INSTANT, MIN_INSTANT, type Instant } from '../instant.ts';
import { createSeenRows, endPage, snapshotOf, takeRow } from './seen-rows.ts';
import { takeRows } from './take-rows.ts';

const ALIVE = new AbortController().signal;
const ALL = { periods: [{ since: MIN_INSTANT, until: MAX_INSTANT }], withLast: false, withGiven: true };
const SECOND = 1_000_000_000n;
const START = 1_750_000_000n * SECOND;

interface Line {
  readonly second: number | null; // null: it has no time
  readonly words: number;
}

const textOf = ({ second, words }: Line): string => `${second}.${words}`;
const printOf = (line: Line): string => fingerprint(textOf(line));
const createdOf = ({ second }: Line): Instant | undefined =>
  second === null ? undefined : START + BigInt(second) * SECOND;

/** Some pages are so large that their rows get their fingerprints at once. */
const bytesOf = (page: readonly Line[]): number => page.length * (page.length % 3 === 0 ? 10_000 : 100);

/** 2,000 rows, one of each second. */
const pagesOf = (size: number): Line[][] =>
  Array.from({ length: 2000 / size }, (_, page) =>
    Array.from({ length: size }, (__, at) => ({ second: page * size + at, words: 0 })),
  );

const seenRows = (saved: readonly string[]) =>
  createSeenRows<Line>(
    saved,
    (line) => Buffer.from(textOf(line)),
    (one, other) => textOf(one) === textOf(other),
  );

/** Takes pages of one chain whose range is all time; returns the emitted rows and their fingerprints in a state. */
async function takeAll(pages: readonly (readonly Line[])[], saved: readonly string[]) {
  const seen = seenRows(saved);
  const range = { since: MIN_INSTANT, until: MAX_INSTANT, cursor: null, origin: 'state' } as const;
  const places = {
    open: [range],
    coveredFrom: MIN_INSTANT,
    end: MAX_INSTANT,
    earliest: MIN_INSTANT,
    ascends: true,
  };
  const { since, until } = range;
  const chain = { number: 0, since, until, hasBegun: true, isFirst: true, isResumed: false };
  let passed = MIN_INSTANT;
  const emitted: string[] = [];
  for (const rows of pages) {
    const times = rows.map(createdOf);
    const taken = await inTurns(takeRows(chain, { rows, times }, passed, seen, places), ALIVE);
    emitted.push(...taken.rows.map(textOf));
    for (const time of times) if (time !== undefined && time > passed) passed = time;
    await inTurns(endPage(seen, ALL, bytesOf(rows)), ALIVE);
  }
  return { emitted, prints: snapshotOf(seen, ALL, false)() };
}

const line = fc.record({
  second: fc.option(fc.nat({ max: 12 }), { nil: null, freq: 9 }),
  words: fc.nat({ max: 2 }),
});
/** Pages in no order, and the same in ascending order: with ties, copies and rows that are a little late. */
const pages = fc
  .tuple(fc.array(fc.array(line, { maxLength: 40 }), { maxLength: 6 }), fc.boolean(), fc.nat({ max: 3 }))
  .map(([lists, isOrdered, late]) =>
    isOrdered
      ? lists.map((list, page) =>
          list
            .toSorted((one, other) => (one.second ?? 0) - (other.second ?? 0))
            .map((one, at) => ({
              ...one,
              second: one.second === null ? null : one.second + page * 8 - (at % (late + 1)),
            })),
        )
      : lists,
  );

/** Returns how many rows have a fingerprint after 2,000 rows, if those of the last `needed` ones may be received again. */
async function fingerprinted(size: number, needed: number, bytesPerRow: number): Promise<number> {
  const seen = seenRows([]);
  for (const [page, rows] of pagesOf(size).entries()) {
    for (const row of rows) takeRow(seen, row, createdOf(row) ?? 'unknown', 1, 'newer');
    const since = START + BigInt((page + 1) * size - needed) * SECOND;
    const periods = [{ since, until: MAX_INSTANT }];
    await inTurns(endPage(seen, { ...ALL, periods }, rows.length * bytesPerRow), ALIVE);
  }
  return seen.log.length;
}

describe('seen rows', () => {
  test('each text is emitted once, and not if a state knows it, in whatever order and pages it comes', async () => {
    await fc.assert(
      fc.asyncProperty(pages, fc.array(line, { maxLength: 6 }), async (lists, known) => {
        const given = [...new Set(known.map(printOf))];
        const { emitted, prints } = await takeAll(lists, given);
        const texts = [...new Set(lists.flat().map(textOf))];
        expect(emitted.toSorted()).toEqual(
          texts.filter((text) => !given.includes(fingerprint(text))).toSorted(),
        );
        expect(new Set(prints)).toEqual(new Set([...given, ...texts.map((text) => fingerprint(text))]));
        expect(prints).toHaveLength(new Set(prints).size);
      }),
      { numRuns: runs(5000) },
    );
  });

  test('pages with many rows of one time, and with more rows than are compared one by one', async () => {
    const tied = Array.from({ length: 3000 }, (_, words) => ({
      second: Math.floor(words / 700),
      words: words % 2900,
    }));
    const shuffled = tied.toSorted(
      (one, other) => ((one.words * 7919) % 2903) - ((other.words * 7919) % 2903),
    );
    for (const rows of [tied, shuffled, [...tied, ...shuffled]]) {
      const { emitted } = await takeAll([rows.slice(0, 1500), rows.slice(1500)], []);
      expect(new Set(emitted).size).toBe(new Set(tied.map(textOf)).size);
      expect(emitted).toHaveLength(new Set(emitted).size);
    }
  });

  test('rows in order get no fingerprint while they wait, unless they are many or large', async () => {
    expect(await fingerprinted(25, 450, 500)).toBe(0);
    expect(await fingerprinted(500, 450, 500)).toBe(0);
    // those that cannot wait until they are no longer needed
    expect(await fingerprinted(25, 700, 500)).toBeGreaterThan(1000);
    // all but those of the last page
    expect(await fingerprinted(25, 450, 10_000)).toBe(1975);
  });

  test('a state has rows in the order of their receipt, also those that wait for a fingerprint', async () => {
    const seen = seenRows([]);
    const lines = [3, 4, 5, 6, 1, 7].map((second) => ({ second, words: 0 }));
    for (const [at, row] of lines.entries()) {
      takeRow(seen, row, createdOf(row) ?? 'unknown', 1, row.second === 1 ? 'older' : 'newer');
      if (at % 2 === 1) await inTurns(endPage(seen, ALL, 0), ALIVE);
    }
    expect(snapshotOf(seen, ALL, false)()).toEqual(lines.map(printOf));
  });

  test('a snapshot never changes, whatever is received later', async () => {
    await fc.assert(
      fc.asyncProperty(pages, fc.array(line, { maxLength: 6 }), async (lists, known) => {
        const seen = seenRows([...new Set(known.map(printOf))]);
        const told: { readonly prints: () => string[]; readonly said: readonly string[] }[] = [];
        for (const rows of lists) {
          for (const row of rows) takeRow(seen, row, createdOf(row) ?? 'unknown', 1, 'older');
          await inTurns(endPage(seen, ALL, bytesOf(rows)), ALIVE);
          const prints = snapshotOf(seen, ALL, false);
          told.push({ prints, said: prints() });
        }
        for (const { prints, said } of told) expect(prints()).toEqual(said);
      }),
      { numRuns: runs(1000) },
    );
  });

  test('a state keeps those with the latest times, and the last strays', () => {
    const seen = seenRows([]);
    const { maxSeen } = CURSOR_STATE;
    for (let at = 0; at < maxSeen + 500; at++)
      takeRow(seen, { second: at, words: 0 }, START + BigInt(maxSeen - at) * SECOND, 1, 'older');
    for (let at = 0; at < 2100; at++) takeRow(seen, { second: at, words: 1 }, 'stray', 1, 'older');
    const prints = new Set(snapshotOf(seen, ALL, false)());
    expect(prints.size).toBe(maxSeen);
    expect(prints.has(printOf({ second: 0, words: 0 }))).toBe(true);
    expect(prints.has(printOf({ second: maxSeen - 2001, words: 0 }))).toBe(true);
    expect(prints.has(printOf({ second: maxSeen - 1000, words: 0 }))).toBe(false);
    expect(prints.has(printOf({ second: 99, words: 1 }))).toBe(false);
    expect(prints.has(printOf({ second: 100, words: 1 }))).toBe(true);
  });

  test('rows of a state that did not come again, although later ones did, are gone after a finished read', () => {
    const lines = [0, 1, 2, 3].map((words) => ({ second: 1, words }));
    const seen = seenRows(lines.map(printOf));
    takeRow(seen, lines[2] as Line, START, 1, 'older');
    expect(snapshotOf(seen, ALL, true)()).toEqual([lines[3], lines[2]].map((one) => printOf(one as Line)));
    expect(snapshotOf(seen, ALL, false)()).toHaveLength(4);
  });
});
