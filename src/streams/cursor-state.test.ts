import { describe, expect, test } from 'vitest';
import { CURSOR_STATE } from '../limits.ts';
import { MAX_INSTANT, MIN_INSTANT, readTime } from '../paging/instant.ts';
import type { CursorBatch } from '../paging/cursor/position.ts';
import type { Range } from '../paging/cursor/ranges.ts';
import { startFrom, stateFor } from './cursor-state.ts';

const CONFIG = { created_field: 'createdDate' };
const NOW_MS = Date.parse('2026-06-01T12:00:00Z');
const SECOND = 1_000_000_000n;
const FORMAT = readTime('2026-06-01T12:00:00.123Z')?.format ?? null;
const print = (row: number): string => String(row).padStart(16, '0');

const allSeen = (): string[] => Array.from({ length: CURSOR_STATE.maxSeen }, (_, row) => print(row));

/** A position with many open ranges, each with a long cursor, and as many remembered rows as fit. */
function largePosition(count: number, cursor: string): CursorBatch<unknown>['position'] {
  const ranges = Array.from({ length: count }, (_, index): Range => ({
    since: BigInt(index) * 2n * SECOND + 1n,
    until: index === count - 1 ? MAX_INSTANT : (BigInt(index) * 2n + 1n) * SECOND,
    cursor: {
      after: cursor,
      sentAtMs: NOW_MS,
      createdSince: '2026-06-01T12:00:00.123456789+02:00',
      newest: BigInt(index) * SECOND,
      started: BigInt(NOW_MS) * 1_000_000n,
    },
    origin: 'state',
  }));
  return { watermark: 1n, coveredFrom: 1n, ranges, seen: allSeen, format: FORMAT };
}

describe('the state of alarms', () => {
  test.each([
    ['cursors of maximum length', 'x'.repeat(CURSOR_STATE.maxCursorLength)],
    ['cursors of usual length', 'x'.repeat(400)],
    ['cursors that JSON writes longer', '"'.repeat(300)],
  ])('stays below 256 KB with %s', (_, cursor) => {
    const start = startFrom('alarms', null, CONFIG);
    const position = largePosition(CURSOR_STATE.maxRanges, cursor);
    const text = JSON.stringify(stateFor(position, start, CONFIG));
    expect(text.length).toBeLessThan(256_000);
    const { from } = startFrom('alarms', JSON.parse(text), CONFIG);
    expect(from.ranges.map(({ since, until }) => [since, until])).toStrictEqual(
      position.ranges.map(({ since, until }) => [since, until]),
    );
  });

  test('a read from the beginning without any readable time stays open from there, whatever the start date', () => {
    const start = startFrom('alarms', { seen: [print(1)] }, { ...CONFIG, start_date: '2026-01-01' });
    expect(start.from).toMatchObject({ coveredFrom: MIN_INSTANT, watermark: MIN_INSTANT });
    expect(start.from.ranges).toStrictEqual([
      { since: MIN_INSTANT, until: MAX_INSTANT, cursor: null, origin: 'state' },
    ]);
    const empty = startFrom('alarms', { seen: [] }, { ...CONFIG, start_date: '2026-01-01' });
    expect(empty.from.coveredFrom).toBe(readTime('2026-01-01')?.instant);
  });

  test.each([{}, { open: [{ since: '2026-02-01T00:00:00Z' }] }])(
    'a state of another created_field starts over: %j',
    (more) => {
      const given = {
        created_since: '2026-01-01T00:00:00Z',
        seen: [print(1)],
        created_field: 'occurredAt',
        ...more,
      };
      const { from, isOtherField } = startFrom('alarms', given, CONFIG);
      expect(isOtherField).toBe(true);
      expect(from.ranges).toStrictEqual([
        { since: MIN_INSTANT, until: MAX_INSTANT, cursor: null, origin: 'state' },
      ]);
      expect(from.seen).toStrictEqual([]);
    },
  );

  test('every state names the created field', () => {
    const start = startFrom('alarms', null, CONFIG);
    const state = stateFor(largePosition(1, 'x'), start, CONFIG);
    expect(state).toHaveProperty('created_field', 'createdDate');
  });

  test('a cursor of a different page size is not used: it may be a page number', () => {
    const times = { saved_at: '2026-06-01T11:59:01Z', started: '2026-06-01T11:00:00Z' };
    const open = [{ chain: { after: '3', since: null, page_size: 100, ...times } }];
    const hint = (pageSize: object): unknown =>
      startFrom('alarms', { open }, { ...CONFIG, ...pageSize }).from.ranges[0]?.cursor;
    expect(hint({ page_size: 100 })).not.toBeNull();
    expect(hint({ page_size: 50 })).toBeNull();
    expect(hint({})).toBeNull();
  });

  test.each([
    [[{ since: '2026-01-02', until: '2026-01-01' }, { since: '2026-01-03' }], 0],
    [[{ until: '2026-01-02' }, { since: '2026-01-01' }], 0],
    [[{ since: '2026-01-01' }, { since: '2026-01-02' }], 0],
    [[{ until: '2026-01-02' }, { since: '2026-01-02', until: '2026-01-03' }], 1],
  ])('ranges that are not in order are rejected: %j', (open, index) => {
    expect(() => startFrom('alarms', { open }, CONFIG)).toThrow(`see open[${index}]`);
  });

  test.each([
    ['started', '2016-12-31T23:59:60Z'],
    ['newest', '2026-06-01T10:59:59.1234567891Z'],
  ])('a cursor with an unreadable time in %s is invalid: %s', (member, text) => {
    const times = { saved_at: '2026-06-01T11:00:01Z', started: '2026-06-01T11:00:00Z', [member]: text };
    const open = [{ chain: { after: 'x', since: null, ...times } }];
    expect(() => startFrom('alarms', { open }, CONFIG)).toThrow(`"chain.${member}" must be a time`);
  });
});

test('a state with only a misspelled key is invalid, and never means the start of the list', () => {
  const misspelled: object = { created_sinse: '2026-06-01T12:00:00Z' };
  expect(() => startFrom('alarms', misspelled, CONFIG)).toThrow(
    '"created_since" or "open" must be there, and the unknown "created_sinse" must not',
  );
});
