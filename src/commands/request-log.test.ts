import { expect, test } from 'vitest';
import { rowOf } from '../rows/row.test-support.ts';
import { createRequestLog } from './request-log.ts';

const NOW = Date.UTC(2026, 0, 5);
const HOUR_MS = 3_600_000;
const GENERAL = { audience: 'API', scopes: null };

test('each request is logged with its result, and each token without its text', () => {
  const lines: string[] = [];
  const observer = createRequestLog((line) => lines.push(line));
  const row = rowOf({ a: 1 });
  const page = { rows: [row], pagination: { totalCount: 12_345 } };
  observer.onListRequest({
    url: new URL('https://api.example/v1/assets?limit=1&offset=0'),
    ms: 1234,
    page,
    problem: null,
  });
  observer.onListRequest({
    url: new URL('https://api.example/v1/alarms?limit=1'),
    ms: 8,
    page: null,
    problem: 'status 403 (cf-ray 8f00): {"code":1}',
  });
  observer.onListRequest({
    url: new URL('https://api.example/v1/alarms'),
    ms: 9,
    page: null,
    problem: 'connect ECONNREFUSED',
  });
  observer.onToken({ scope: GENERAL, isOwn: true, endMs: NOW + 24 * HOUR_MS });
  observer.onToken({ scope: { audience: 'AMAPI', scopes: null }, isOwn: false, endMs: NOW + HOUR_MS });
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "GET https://api.example/v1/assets?limit=1&offset=0: 1 row of 12,345 (1,234 ms)
    GET https://api.example/v1/alarms?limit=1: status 403 (cf-ray 8f00): {"code":1} (8 ms)
    GET https://api.example/v1/alarms: connect ECONNREFUSED (9 ms)
    token for audience API: newly issued, valid until 2026-01-06T00:00:00.000Z
    token for audience AMAPI: cached, valid until 2026-01-05T01:00:00.000Z"
  `);
});
