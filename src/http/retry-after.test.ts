import { expect, test } from 'vitest';

import { retryAfterMs } from './retry-after.ts';

const NOW = Date.parse('2026-10-21T07:28:00Z');

test.each<[retryAfter: string | undefined, date: string | undefined, ms: number | undefined]>([
  [undefined, undefined, undefined],
  ['', undefined, undefined],
  ['0', undefined, 0],
  ['120', undefined, 120_000],
  [' 7 ', 'garbage', 7000],
  ['1.2', undefined, 2000],
  ['0.0', undefined, 0],
  ['-5', undefined, undefined],
  ['+5', undefined, undefined],
  ['1e3', undefined, undefined],
  ['5s', undefined, undefined],
  ['120, 60', undefined, undefined],
  ['99999999999', undefined, undefined],
  ['soon', undefined, undefined],
  // Date.parse makes dates of these
  ['retry 10', undefined, undefined],
  ['May 1', undefined, undefined],
  ['monkey 5', undefined, undefined],
  // dates, against the local clock
  ['Wed, 21 Oct 2026 07:28:30 GMT', undefined, 30_000],
  ['Wed, 21 Oct 2026 07:28:30 GMT', 'garbage', 30_000],
  ['Wed, 21 Oct 2026 07:27:30 GMT', undefined, 0],
  // against the server's clock
  ['Wed, 21 Oct 2026 07:28:30 GMT', 'Wed, 21 Oct 2026 07:28:10 GMT', 20_000],
  ['Tue, 01 Jan 2030 00:00:10 GMT', 'Tue, 01 Jan 2030 00:00:00 GMT', 10_000],
  ['Thu, 01 Jan 2015 00:00:10 GMT', 'Thu, 01 Jan 2015 00:00:20 GMT', 0],
  // the two older forms of HTTP
  ['Wednesday, 21-Oct-26 07:28:30 GMT', undefined, 30_000],
  ['Wed Oct 21 07:28:30 2026', undefined, 30_000],
  ['Wed, 99 Oct 2026 07:28:30 GMT', undefined, undefined],
])('Retry-After %j with Date %j: %j', (retryAfter, date, ms) => {
  expect(retryAfterMs(retryAfter, date, NOW)).toBe(ms);
});
