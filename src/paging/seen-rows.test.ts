import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CURSOR_STATE } from '../limits.ts';
import { inTurns } from '../rows/slices.ts';
import { MAX_INSTANT, MIN_INSTANT } from './instant.ts';
import { createSeenRows, printsIn, type SeenEntry, type SeenSnapshot } from './seen-rows.ts';

const MAX_SEEN = CURSOR_STATE.maxSeen;
const ALL = [{ since: MIN_INSTANT, until: MAX_INSTANT }];
const print = (row: number): string => `print ${row}`;
const ALIVE = new AbortController().signal;
const NONE: ReadonlySet<SeenEntry<number>> = new Set();

function emitted(row: number): SeenEntry<number> {
  return { created: BigInt(row), row, print: undefined };
}

function printsFrom(snapshot: SeenSnapshot<number>, since: bigint): readonly string[] {
  return printsIn(snapshot, [{ since, until: MAX_INSTANT }], print);
}

test('a snapshot never changes, whatever is added or dropped later', async () => {
  const step = fc.record({
    what: fc.constantFrom('keep', 'again', 'drop loaded', 'snapshot'),
    count: fc.integer({ min: 1, max: 700 }),
    since: fc.integer({ min: 0, max: 2000 }),
  });
  const steps = fc.array(step, { minLength: 2, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(steps, fc.nat({ max: 300 }), async (taken, loaded) => {
      const seen = createSeenRows<number>(
        Array.from({ length: loaded }, (_, row) => print(row)),
        print,
      );
      let next = loaded;
      const told: { snapshot: SeenSnapshot<number>; since: bigint; said: readonly string[] }[] = [];
      for (const { what, count, since } of taken) {
        const open = [{ since: BigInt(since), until: MAX_INSTANT }];
        const rows = Array.from({ length: count }, (_, index) => emitted(next + index));
        if (what === 'keep') seen.keep(rows, NONE, ALL);
        if (what === 'keep') next += count;
        if (what === 'drop loaded') seen.dropLoaded();
        if (what === 'again')
          for (const entries of [...(await inTurns(seen.lookup(ALL[0] as never), ALIVE)).values()].slice(
            0,
            count,
          ))
            seen.keep([], new Set(entries), ALL);
        if (what !== 'snapshot') continue;
        const snapshot = seen.keep([], NONE, open);
        told.push({ snapshot, since: BigInt(since), said: printsFrom(snapshot, BigInt(since)) });
      }
      for (const { snapshot, since, said } of told) expect(printsFrom(snapshot, since)).toStrictEqual(said);
    }),
    { numRuns: 300 },
  );
});

test('identical rows are remembered as often as they were emitted', async () => {
  const seen = createSeenRows<number>(['print 7'], print);
  const snapshot = seen.keep([emitted(7)], NONE, ALL);
  const known = await inTurns(seen.lookup({ since: 0n, until: 9n }), ALIVE);
  expect(known.get('print 7')?.length).toBe(2);
  expect(printsIn(snapshot, ALL, print)).toStrictEqual(['print 7', 'print 7']);
});

test('beyond the capacity of a state, loaded rows are dropped first, then the oldest, and reported', () => {
  const seen = createSeenRows<number>(['loaded'], print);
  const rows = Array.from({ length: MAX_SEEN }, (_, row) => emitted(MAX_SEEN - row));
  const full = seen.keep(rows, NONE, ALL);
  expect(seen.forgets(ALL)).toBe(true);
  expect(seen.forgets([{ since: BigInt(MAX_SEEN), until: MAX_INSTANT }])).toBe(false);
  expect(printsIn(full, ALL, print)).toStrictEqual(rows.map(({ created }) => print(Number(created))));
  const more = Array.from({ length: 2000 }, (_, row) => emitted(2 * MAX_SEEN + row));
  const over = printsIn(seen.keep(more, NONE, ALL), ALL, print);
  expect(over.length).toBe(MAX_SEEN);
  expect(over).not.toContain(print(2000));
  expect(over).toContain(print(2001));
});

test('rows outside all open ranges are forgotten before any others are dropped', () => {
  const seen = createSeenRows<number>([], print);
  const rows = Array.from({ length: 30_000 }, (_, row) => emitted(row));
  const snapshot = seen.keep(rows, NONE, [{ since: 29_990n, until: MAX_INSTANT }]);
  expect(printsFrom(snapshot, 29_990n)).toStrictEqual(
    Array.from({ length: 10 }, (_, row) => print(29_990 + row)),
  );
  expect(seen.forgets([{ since: 29_990n, until: MAX_INSTANT }])).toBe(false);
});
