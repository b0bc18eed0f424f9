import { describe, expect, test } from 'vitest';

import { fingerprint } from './fingerprint.ts';
import { MOST_SEEN, ORDER_EVIDENCE, trackWatermark } from './watermark.ts';
import type { CreatedRow, Watermark } from './watermark.ts';

const SECOND = 1_000_000_000n;
const NOTHING: Watermark = { since: undefined, seenSince: undefined, seen: [] };

function row(id: number, created: bigint | undefined): CreatedRow<number> {
  return { row: id, created };
}

function track(before: Watermark, limit: bigint): ReturnType<typeof trackWatermark<number>> {
  return trackWatermark<number>({
    before,
    resumed: null,
    limit,
    end: () => undefined,
    isRange: () => false,
    floor: (instant) => instant,
    fingerprintOf: (id) => fingerprint(String(id)),
  });
}

describe('the watermark', () => {
  test('is the greatest created time seen, held back by the limit', () => {
    const behind = track(NOTHING, 100n * SECOND);
    behind.accept([row(1, 5n * SECOND), row(2, 7n * SECOND)]);
    expect(behind.finished().since).toBe(7n * SECOND);
    const ahead = track(NOTHING, 6n * SECOND);
    ahead.accept([row(1, 5n * SECOND), row(2, 7n * SECOND)]);
    expect(ahead.finished().since).toBe(6n * SECOND);
  });

  test('never goes back', () => {
    const tracker = track({ since: 50n * SECOND, seenSince: 49n * SECOND, seen: [] }, 10n * SECOND);
    tracker.accept([row(1, 60n * SECOND)]);
    expect(tracker.finished().since).toBe(50n * SECOND);
  });

  test('from the future gives no rows and is handed back unchanged', () => {
    const future = { since: 1000n * SECOND, seenSince: 999n * SECOND, seen: [fingerprint('a')] };
    expect(track(future, 10n * SECOND).finished()).toStrictEqual(future);
  });

  test('stays where it was for rows without a readable time, which are emitted once', () => {
    const tracker = track(NOTHING, 100n * SECOND);
    expect(tracker.accept([row(1, undefined)])).toStrictEqual([1]);
    const after = tracker.finished();
    expect(after.since).toBeUndefined();
    expect(track(after, 100n * SECOND).accept([row(1, undefined)])).toStrictEqual([]);
    expect(tracker.facts().unreadable).toBe(1);
  });

  test('moves inside a read only once ascending order shows, and goes back when it breaks', () => {
    const tracker = track(NOTHING, 1000n * SECOND);
    for (let step = 0; step < ORDER_EVIDENCE; step++) tracker.accept([row(step, BigInt(step) * SECOND)]);
    expect(tracker.sofar().since).toBeUndefined();
    tracker.accept([row(99, 99n * SECOND)]);
    expect(tracker.sofar().since).toBe(99n * SECOND);
    tracker.accept([row(100, 98n * SECOND)]);
    expect(tracker.sofar().since).toBeUndefined();
    expect(tracker.finished().since).toBe(99n * SECOND);
  });

  test('asks for the fingerprint of a row once at most, and of few in a long list', () => {
    const asked: number[] = [];
    const tracker = trackWatermark<number>({
      before: NOTHING,
      resumed: null,
      limit: 100_000n * SECOND,
      end: () => undefined,
      isRange: () => false,
      floor: (instant) => instant,
      fingerprintOf: (id) => {
        asked.push(id);
        return fingerprint(String(id));
      },
    });
    const rows = Array.from({ length: 10_000 }, (_, id) => row(id, BigInt(id) * SECOND));
    for (let at = 0; at < rows.length; at += 1000) tracker.accept(rows.slice(at, at + 1000));
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked.length).toBeLessThan(100);
  });

  test('P17: remembers at most 10,000 rows however many share one time, and says that some may be repeated', () => {
    const tracker = track(NOTHING, 1000n * SECOND);
    const rows = Array.from({ length: 50_000 }, (_, id) => row(id, SECOND));
    for (let at = 0; at < rows.length; at += 1000) tracker.accept(rows.slice(at, at + 1000));
    const after = tracker.finished();
    expect(after.seen).toHaveLength(MOST_SEEN);
    expect(JSON.stringify(after.seen).length).toBeLessThan(256 * 1024);
    expect(tracker.facts().overflow).toBe(true);
  });
});
