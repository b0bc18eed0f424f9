import { describe, expect, test } from 'vitest';
import spec from '../../../spec.json' with { type: 'json' };
import { MAX_LOOKBACK_SECONDS } from '../../limits.ts';
import { instantOf } from '../../paging/instant.ts';
import { lateRows } from './late-rows.ts';

const READ_AT = instantOf('2026-03-02T00:00:00Z', 0n);
const seconds = (count: number): bigint => BigInt(count) * 1_000_000_000n;

/** What is said of rows of which the latest was so many seconds late, and the newest so many seconds old. */
function said(late: number, latest: number, newest: number, lookback_seconds = 300): string {
  const counts = { late, latest: seconds(latest), mayRepeat: 0, newest: READ_AT - seconds(newest) };
  const config = { created_field: 'createdDate', lookback_seconds };
  const messages = lateRows({ place: 'lists[1]', config, counts, readAt: READ_AT });
  return messages.map(({ level, text }) => `${level}: ${text}`).join('\n');
}

test('the maximum of lookback_seconds is that of the spec', () => {
  const { properties } = spec.connectionSpecification;
  expect(properties.alarms.properties.lookback_seconds.maximum).toBe(MAX_LOOKBACK_SECONDS);
  const maxima = JSON.stringify(properties).match(/"title":"Lookback.*?"maximum":\d+/g) ?? [];
  expect(new Set(maxima.map((text) => text.replace(/.*:/, '')))).toStrictEqual(
    new Set([`${MAX_LOOKBACK_SECONDS}`]),
  );
});

test('within the lookback, it is told by how much rows are late', () => {
  expect(said(1, 239, 1)).toBe('info: a late row appeared 239 s after it was created');
  expect(said(20, 239, 239)).toBe('info: the latest of 20 late rows appeared 239 s after it was created');
});

describe('a warning', () => {
  test.each([
    [
      86_400,
      300,
      /lookback_seconds is 300\. .*: set lists\[1\]\.lookback_seconds to at least twice as long,/,
    ],
    [1_296_000, 300, /set lists\[1\]\.lookback_seconds to at least twice as long,/],
    [1_296_001, 300, /set lists\[1\]\.lookback_seconds to 2592000, its maximum,/],
    [2_592_000, 300, /set lists\[1\]\.lookback_seconds to 2592000, its maximum,/],
    [2_500_000, MAX_LOOKBACK_SECONDS, /this is its maximum, so run a full refresh/],
  ])('of rows that are %i s late, with a lookback of %i', (latest, lookback, advice) => {
    expect(said(3, latest, 1, lookback)).toMatch(advice);
  });

  test.each([300, MAX_LOOKBACK_SECONDS])(
    'of times that no lookback covers names wrong clocks, and advises no lookback, whatever it is: %i',
    (lookback) => {
      expect(said(3, 1_780_293_600, 1, lookback)).toBe(
        'warn: by "createdDate", 3 new rows were created before the last read, up to 20,605 days. No upload is that late: the clock of a device (or ' +
          'of the service) is wrong, unless the service has changed old rows, which look like late ones. These rows were emitted, and are not missing, ' +
          'but lookback_seconds (at most 2592000) cannot cover such times. If rows also have the time at which the service received them, set ' +
          'lists[1].created_field to it; otherwise, run a full refresh from time to time to find rows with wrong times that a read did not receive.',
      );
      expect(said(1, MAX_LOOKBACK_SECONDS + 1, 1, lookback)).toMatch(/1 new row was created .* 30 days\./);
    },
  );

  test('names the clock of the service where all rows are as late as the newest one is old', () => {
    expect(said(12, 3650, 3601)).toBe(
      'warn: the latest of 12 late rows appeared 3650 s after it was created, and the newest one, too, was created 3601 s before this read. The clock ' +
        'of the service (its Date header) is probably ahead of the times in "createdDate" by about that much: compare it with yours, and tell the ' +
        "API's provider. Then these rows are not late. If rows do appear that late, set lists[1].lookback_seconds to at least twice as long; it is 300.",
    );
    expect(said(12, 31_536_000, 31_536_000)).toMatch(
      /clock of the service .*Then these rows are not late\.$/,
    );
  });

  test.each([
    [5, 1000, 800, true],
    [5, 1000, 1200, true],
    [5, 1000, 799, false],
    [5, 1000, 1201, false],
    [4, 1000, 1000, false],
  ])(
    '%i rows, %i s late, and %i s old: the clock of the service is named: %s',
    (late, latest, newest, isNamed) => {
      expect(said(late, latest, newest).includes('clock of the service')).toBe(isNamed);
    },
  );
});
