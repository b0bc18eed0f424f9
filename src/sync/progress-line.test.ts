import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { progressLine, type StreamProgress } from './progress.ts';

const NOW = Date.UTC(2026, 0, 5);
const runs = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 1000) };

function stream(changes: Partial<StreamProgress>): StreamProgress {
  return {
    name: 'assets',
    phase: 'reading',
    uncovered: 0,
    rows: 0,
    emitted: 0,
    total: null,
    newest: null,
    remark: null,
    late: null,
    failure: null,
    startMs: NOW - 4000,
    waitUntilMs: null,
    ...changes,
  };
}

const ASSETS = stream({ rows: 5400, emitted: 5400, total: 12_000 });
const ALARMS = stream({
  name: 'alarms',
  rows: 123_456,
  emitted: 123_456,
  newest: BigInt(Date.UTC(2026, 0, 4, 12, 30)) * 1_000_000n,
});

function plain(streams: readonly StreamProgress[], columns: number): string {
  return progressLine(streams, columns, NOW);
}

test('the line is truncated to the columns', () => {
  const widths = [200, 82, 81, 79, 20, 5, 1, 0];
  const lines = widths.map((columns) => `${columns}: ${plain([ASSETS, ALARMS], columns)}`);
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "200: assets [####------] 45% 5 s left | alarms 123,456 rows 30,864/s to 2026-01-04T12:30
    82: assets [####------] 45% 5 s left | alarms 123,456 rows 30,864/s to 2026-01-04T12:3
    81: assets [####------] 45% 5 s left | alarms 123,456 rows 30,864/s to 2026-01-04T12:
    79: assets [####------] 45% 5 s left | alarms 123,456 rows 30,864/s to 2026-01-04T1
    20: assets [####------] 
    5: asset
    1: a
    0: "
  `);
});

test.each<[what: string, Partial<StreamProgress>, line: string]>([
  ['nothing has come yet', {}, 'assets 0 rows'],
  ['a wait before anything has come', { waitUntilMs: NOW + 61_000 }, 'assets 0 rows waiting 61 s'],
  ['one row', { rows: 1, startMs: NOW - 499 }, 'assets 1 row'],
  [
    'a wait in the middle, which says nothing about the rate',
    { ...ALARMS, waitUntilMs: NOW + 3_600_000 },
    'alarms 123,456 rows to 2026-01-04T12:30 waiting 1 h',
  ],
  [
    'a wait that should be over',
    { ...ALARMS, newest: null, late: null, waitUntilMs: NOW - 1 },
    'alarms 123,456 rows waiting 0 s',
  ],
  ['an empty list', { total: 0 }, 'assets [##########] 100%'],
  ['more rows than the list says it has', { rows: 30, emitted: 30, total: 20 }, 'assets [##########] 100%'],
  [
    'rows of an earlier process count for the share, not for the rate',
    { rows: 40, emitted: 900, total: 1000 },
    'assets [#########-] 90% 10 s left',
  ],
  ['a total and a wait', { ...ASSETS, waitUntilMs: NOW + 1 }, 'assets [####------] 45% waiting 1 s'],
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
  phase: fc.constantFrom('reading', 'reading', 'reading', 'done', 'failed', 'stopped', 'cut short'),
  rows: count,
  uncovered: count,
  emitted: count,
  total: fc.option(count),
  newest: fc.option(fc.integer().map((s) => BigInt(s) * 1_000_000_000n)),
  remark: fc.constant(null),
  late: fc.constant(null),
  startMs: time,
  failure: fc.constant(null),
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
