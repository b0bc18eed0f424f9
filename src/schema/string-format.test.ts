import { expect, test } from 'vitest';
import { matchesFormat } from './string-format.ts';

test.each([
  ['date-time', '2025-01-31T10:00:00Z', true],
  ['date-time', '2025-01-31T10:00:00', false],
  ['iso-date-time', '2025-01-31T10:00:00', true],
  ['uuid', '6f9619ff-8b86-d011-b42d-00c04fc964ff', true],
  ['uuid', 'TRUCK-7', false],
  ['uri', 'https://api.example.test', true],
  ['uri', 'no', false],
  ['int32', 'x', true],
  ['password', 'x', true],
  ['no-such-format', 'x', true],
  ['toString', 'x', true],
])('%s of %s: %s', (format, text, kept) => {
  expect(matchesFormat(format, text)).toBe(kept);
});
