import { expect, test } from 'vitest';
import { nearName } from './near-name.ts';

test.each([
  ['asset', 'assets'],
  ['Assets', 'assets'],
  ['alarm', 'alarms'],
  ['aseets', 'assets'],
  ['client_secrt', 'client_secret'],
  ['clientId', 'client_id'],
  ['baseUrl', 'base_url'],
  ['page', null],
  ['id', null],
  ['', null],
  ['x'.repeat(100_000), null],
])('%.20s → %s', (name, near) => {
  const known = ['client_id', 'client_secret', 'assets', 'alarms', 'base_url', 'page_size'];
  expect(nearName(name, known)).toBe(near);
});
