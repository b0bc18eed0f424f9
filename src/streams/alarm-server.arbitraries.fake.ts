import * as fc from 'fast-check';
import { resolutionOf, readTime, type TimeFormat } from '../paging/instant.ts';
import type { AlarmServerOptions, FakeAlarm } from './alarm-server.fake.ts';

/** ns */
export const SECOND = 1_000_000_000n;
/** Server time at which the model's reads begin. */
export const NOW = (readTime('2026-06-01T12:00:00Z')?.instant ?? 0n) + 123_456_789n;
/** Alarms are late by less than this. */
export const LOOKBACK_SECONDS = 60;

const calendar = (fractionDigits: number, zone: 'Z' | ''): TimeFormat => ({
  kind: 'calendar',
  separator: 'T',
  seconds: true,
  fractionDigits,
  zone,
});
/** Every way in which the sandbox writes times. */
export const FORMATS: Record<string, TimeFormat> = {
  seconds: calendar(0, 'Z'),
  milliseconds: calendar(3, 'Z'),
  microseconds: calendar(6, 'Z'),
  nanoseconds: calendar(9, 'Z'),
  noZone: calendar(3, ''),
  epochSeconds: { kind: 'epoch', unit: SECOND, fractionDigits: 0 },
  epochMilliseconds: { kind: 'epoch', unit: 1_000_000n, fractionDigits: 0 },
  epochNanoseconds: { kind: 'epoch', unit: 1n, fractionDigits: 0 },
};

/** Alarms around the present: equal times, late ones within the lookback, some with times in the future. */
function alarmsIn(format: TimeFormat, oldest: number, maxLength: number): fc.Arbitrary<FakeAlarm[]> {
  const resolution = resolutionOf(format);
  const alarm = fc.record({
    // coarse steps create ties, fine ones rows that differ only in the last digit
    seconds: fc.oneof(fc.integer({ min: oldest, max: 200 }), fc.integer({ min: -20, max: 20 })),
    fine: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3 })),
    late: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: LOOKBACK_SECONDS - 1 })),
    future: fc.oneof(
      { weight: 9, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 5000 }) },
    ),
  });
  return fc.array(alarm, { maxLength, size: 'max' }).map((list) =>
    list.map(({ seconds, fine, late, future }, id) => {
      const at = NOW - (NOW % SECOND) + BigInt(seconds) * SECOND;
      const created = at + BigInt(future) * SECOND + BigInt(fine) * resolution;
      return { id, created: created - (created % resolution), visible: at + BigInt(late) * SECOND };
    }),
  );
}

function serverWith(oldest: number, maxLength: number): fc.Arbitrary<AlarmServerOptions> {
  return fc.constantFrom(...Object.values(FORMATS)).chain((format) =>
    fc.record({
      alarms: alarmsIn(format, oldest, maxLength),
      format: fc.constant(format),
      pageSize: fc.integer({ min: 1, max: 6 }),
      bound: fc.constantFrom('inclusive', 'exclusive'),
      precision: fc.constantFrom(1n, SECOND, 60n * SECOND),
      order: fc.constantFrom('ascending', 'ascending', 'descending', 'shuffled'),
      now: fc.constant(NOW),
      steps: fc.array(fc.bigInt({ min: 0n, max: 20n * SECOND }), { maxLength: 8 }),
      delays: fc.array(fc.nat({ max: 40 }), { maxLength: 8 }),
      cursorLife: fc.constantFrom(Number.POSITIVE_INFINITY, 1, 3),
      staleCursor: fc.constantFrom('refuse', 'firstPage'),
    }),
  );
}

/** A cursor list of any kind. */
export const server = serverWith(-400, 40);
/** A list with a long history, which several chains share. */
export const longServer = serverWith(-20_000, 150);
