import { expect, test } from 'vitest';
import { CURSOR_STATE } from '../../limits.ts';
import { fingerprint } from '../identities.ts';
import { MAX_INSTANT, MIN_INSTANT, readTime, type Instant } from '../instant.ts';
import { readCursorList } from './cursor-read.ts';
import type { CursorStart } from './list.ts';
import { ENOUGH_ROWS } from './order.ts';

/** ns */
const SECOND = 1_000_000_000n;
const PAGE = 500;
const START: Instant = readTime('2026-06-01T00:00:00Z')?.instant ?? 0n;
const FORMAT = readTime('2026-06-01T00:00:00Z')?.format ?? null;
const ROWS = 2 * CURSOR_STATE.maxSeen;

const silent = async (): Promise<void> => undefined;
const createdOf = (row: number): Instant => START + BigInt(row) * SECOND;
const textOf = (row: number): string => `row ${row}`;

/** Reads a list in which a row is created each second; its cursors are the numbers of rows. */
function readFrom(from: CursorStart) {
  return readCursorList<number>({
    name: 'alarms',
    fetchPage: async ({ after, createdSince }) => {
      const since = createdSince === null ? START : (readTime(createdSince)?.instant ?? START);
      const first = after === null ? Math.max(0, Number((since - START) / SECOND)) : Number(after);
      const rows = Array.from({ length: Math.min(PAGE, ROWS - first) }, (_, at) => first + at);
      const next = first + PAGE < ROWS ? String(first + PAGE) : null;
      return { rows, bytes: 0, next, time: createdOf(ROWS), sentAtMs: 0 };
    },
    failureOf: () => 'else',
    createdOf: (row) => ({ instant: createdOf(row), format: FORMAT }) as ReturnType<typeof readTime>,
    textOf: (row) => Buffer.from(textOf(row)),
    isSame: (one, other) => one === other,
    start: MIN_INSTANT,
    startText: null,
    end: MAX_INSTANT,
    info: silent,
    warn: silent,
    signal: new AbortController().signal,
    from,
    lookback: 300n * SECOND,
    enough: ENOUGH_ROWS,
    chains: 1,
    confirmsEnd: false,
  });
}

test('a chain that went on from a full state, proved the order and was interrupted: repeated rows are announced', async () => {
  const known = Array.from({ length: CURSOR_STATE.maxSeen }, (_, row) => row);
  // the list was out of order where the chain began, so the chain was saved; it began when the first of these rows was created
  const cursor = {
    after: String(CURSOR_STATE.maxSeen),
    sentAtMs: 0,
    createdSince: null,
    newest: createdOf(CURSOR_STATE.maxSeen - 1),
    started: START,
  };
  let state: CursorStart = {
    watermark: MIN_INSTANT,
    coveredFrom: MIN_INSTANT,
    ranges: [{ since: MIN_INSTANT, until: MAX_INSTANT, cursor, origin: 'state' }],
    seen: known.map((row) => fingerprint(textOf(row))),
    format: FORMAT,
  };
  const emitted = new Set(known);
  for await (const { rows, position } of readFrom(state)) {
    for (const row of rows) emitted.add(row);
    const ranges = position.ranges.map((range) => ({ ...range, origin: 'state' as const }));
    state = { ...position, ranges, seen: position.seen() };
    if (emitted.size > 1.7 * CURSOR_STATE.maxSeen) break;
  }
  let repeated = 0;
  let announced = 0;
  for await (const { rows, emittedBeforeGiven } of readFrom(state)) {
    repeated += rows.filter((row) => emitted.has(row)).length;
    announced = emittedBeforeGiven;
  }
  expect(repeated).toBeGreaterThan(0);
  expect(announced).toBeGreaterThanOrEqual(repeated);
});
