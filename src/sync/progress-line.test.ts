import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { progressLine, type StreamProgress } from './progress.ts';

const NOW = Date.UTC(2026, 0, 5);
const runs = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 1000) };

function stream(changes: Partial<StreamProgress>): StreamProgress {
  return {
    name: 'assets',
    phase: 'reading',
    rows: 0,
    covered: 0,
    total: null,
    newest: null,
    startMs: NOW - 4000,
    waitUntilMs: null,
    ...changes,
  };
}

const ASSETS = stream({ rows: 5400, covered: 5400, total: 12_000 });
const ALARMS = stream({
  name: 'alarms',
  rows: 123_456,
  covered: 123_456,
  newest: BigInt(Date.UTC(2026, 0, 4, 12, 30)) * 1_000_000n,
});

function plain(streams: readonly StreamProgress[], columns: number): string {
  return progressLine(streams, columns, NOW);
}

test('details are omitted if they do not fit, and the rest is truncated', () => {
  const widths = [200, 107, 106, 79, 68, 67, 20, 5, 1, 0];
  const lines = widths.map((columns) => `${columns}: ${plain([ASSETS, ALARMS], columns)}`);
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "200: assets [####------] 45% 5,400 of 12,000 1,350/s 0:05 left | alarms 123,456 rows 30,864/s to 2026-01-04 12:30
    107: assets [####------] 45% 0:05 left | alarms 123,456 rows to 2026-01-04
    106: assets [####------] 45% 0:05 left | alarms 123,456 rows to 2026-01-04
    79: assets [####------] 45% 0:05 left | alarms 123,456 rows to 2026-01-04
    68: assets [####------] 45% 0:05 left | alarms 123,456 rows to 2026-01-0
    67: assets [####------] 45% 0:05 left | alarms 123,456 rows to 2026-01-
    20: assets [####------] 
    5: asset
    1: a
    0: "
  `);
});

test('the parts of one stream', () => {
  expect(plain([ASSETS], 79)).toMatchInlineSnapshot(
    `"assets [####------] 45% 5,400 of 12,000 1,350/s 0:05 left"`,
  );
  expect(plain([ALARMS], 79)).toMatchInlineSnapshot(`"alarms 123,456 rows 30,864/s to 2026-01-04 12:30"`);
});

test.each<[what: string, Partial<StreamProgress>, line: string]>([
  ['nothing has come yet', {}, 'assets starting'],
  ['a wait before anything has come', { waitUntilMs: NOW + 61_000 }, 'assets waiting 1:01'],
  ['one row', { rows: 1, startMs: NOW - 499 }, 'assets 1 row'],
  [
    'a wait in the middle, which says nothing about the rate',
    { ...ALARMS, waitUntilMs: NOW + 3_600_000 },
    'alarms 123,456 rows to 2026-01-04 12:30 waiting 1:00:00',
  ],
  [
    'a wait that should be over',
    { ...ALARMS, newest: null, waitUntilMs: NOW - 1 },
    'alarms 123,456 rows waiting 0:00',
  ],
  ['an empty list', { total: 0 }, 'assets [##########] 100% 0 of 0 0/s'],
  [
    'more rows than the list says it has',
    { rows: 30, covered: 30, total: 20 },
    'assets [##########] 100% 30 of 20 7.5/s',
  ],
  [
    'rows of an earlier process count for the share, not for the rate',
    { rows: 40, covered: 900, total: 1000 },
    'assets [#########-] 90% 900 of 1,000 10/s 0:10 left',
  ],
  ['a time that no date can show', { rows: 8, newest: 10n ** 30n }, 'assets 8 rows 2/s'],
  ['an end', { ...ASSETS, phase: 'done' }, 'assets 5,400 rows done'],
  ['a failure', { ...ASSETS, phase: 'failed' }, 'assets 5,400 rows failed'],
  ['a stop', { ...ASSETS, phase: 'stopped' }, 'assets 5,400 rows stopped'],
])('%s', (_, changes, line) => {
  expect(plain([stream(changes)], 120)).toBe(line);
});

test('no line is shown before any stream has begun', () => {
  expect(plain([], 80)).toBe('');
});

const count = fc.oneof(fc.nat(20), fc.nat(), fc.maxSafeNat());
const time = fc.oneof(
  fc.constant(NOW),
  fc.integer({ min: NOW - 100_000, max: NOW + 100_000 }),
  fc.maxSafeInteger(),
);
const anyStream = fc.record<StreamProgress>({
  name: fc.constantFrom('assets', 'alarms'),
  phase: fc.constantFrom('reading', 'reading', 'reading', 'done', 'failed', 'stopped'),
  rows: count,
  covered: count,
  total: fc.option(count),
  newest: fc.option(
    fc.oneof(
      fc.bigInt(),
      fc.integer().map((s) => BigInt(s) * 1_000_000_000n),
    ),
  ),
  startMs: time,
  waitUntilMs: fc.option(time, { freq: 4 }),
});

test('property: never wider than the columns, and ASCII only', () => {
  fc.assert(
    fc.property(
      fc.array(anyStream, { maxLength: 2 }),
      fc.oneof(fc.integer({ min: 1, max: 120 }), fc.nat(10_000)),
      time,
      (streams, columns, nowMs) => {
        const line = progressLine(streams, columns, nowMs);
        expect(line.length).toBeLessThanOrEqual(columns);
        expect(line).toMatch(/^[ -~]*$/);
        expect(line).not.toMatch(/NaN|Infinity|undefined|null/);
        if (streams.length > 0 && columns > 0) expect(line).not.toBe('');
      },
    ),
    runs,
  );
});
