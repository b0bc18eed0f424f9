import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { grouped } from './grouped.ts';

test('whole numbers are written as English has them', () => {
  const count = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -10_000, max: 10_000 }));
  fc.assert(fc.property(count, (value) => grouped(value) === value.toLocaleString('en-US')));
});

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [1_234_567, '1,234,567'],
  [-1000, '-1,000'],
  // whatever a server says
  [1234.56789, '1234.56789'],
  [1e300, '1e+300'],
  [Number.NaN, 'NaN'],
])('%d becomes %s', (value, text) => {
  expect(grouped(value)).toBe(text);
});
