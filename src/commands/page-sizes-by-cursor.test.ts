import { expect, test } from 'vitest';
import { isLong } from '../property-runs.test-support.ts';
import { above, expectAll, refuse, rowsOf, run, type Service } from './gateway.test-support.ts';

const brokenCursor: Service['gateway'] = (response, _, { at, turn }) => {
  if (at < 1000 || turn > 20) return false;
  response.writeHead(500).end();
  return true;
};

test('a cursor list out of order is not asked again with a smaller size; the message names the key', async () => {
  const rows = rowsOf(3000, (place) => (place < 1500 ? 10 : 400)).toReversed();
  const service = {
    kind: 'cursor' as const,
    rows: [...rows.slice(1500), ...rows.slice(0, 1500)],
    maxPage: 200,
  };
  const gateway = above(30_000, refuse);
  const { code, all, requests } = await run('read', { ...service, gateway }, 200);
  expect(code).toBe(75);
  expect(new Set(requests.map(({ limit }) => limit))).toStrictEqual(new Set([200]));
  expect(JSON.stringify(all)).toContain('If a page fails each time, a smaller alarms.page_size may help.');
});

test('a cursor list out of order that is read in smaller pages does not start again after an outage', async () => {
  let failures = 0;
  const service: Service = {
    kind: 'cursor',
    rows: rowsOf(1200, () => 100).toReversed(),
    maxPage: 200,
    gateway: (response, bytes, { at }) => {
      const isDown = at === 600 && failures++ < 5;
      return (isDown || bytes > 10_000) && refuse(response);
    },
  };
  const { code, rows, requests } = await run('read', service, 200);
  expect(code).toBe(0);
  expectAll(rows, 1200);
  const served = requests.filter(({ isServed }) => isServed);
  expect(new Set(served.slice(2).map(({ limit }) => limit))).toStrictEqual(new Set([50]));
  expect(served.length).toBeLessThanOrEqual(1200 / 50 + 2);
});

test('a cursor that ends in a 500 is asked again before smaller pages are tried', async () => {
  const service = { kind: 'cursor' as const, rows: rowsOf(3000, () => 10), maxPage: 200 };
  const { code, rows, requests } = await run('read', { ...service, gateway: brokenCursor }, 200);
  expect(code).toBe(0);
  expectAll(rows, 3000);
  expect(requests.slice(0, 12).every(({ limit }) => limit === 200)).toBe(true);
});

test('several chains at the same time', async () => {
  const ROWS = isLong ? 9000 : 3000;
  const service = {
    kind: 'cursor' as const,
    rows: rowsOf(ROWS, (place) => (place % 3000 < 1500 ? 10 : 400)),
    maxPage: 100,
    gateway: above(20_000, refuse),
  };
  const { code, rows, requests } = await run('read', service, 100, { parallel_chains: 4 });
  expect(code).toBe(0);
  expectAll(rows, ROWS);
  expect(requests.filter(({ isServed }) => !isServed).length).toBeLessThan(40);
});
