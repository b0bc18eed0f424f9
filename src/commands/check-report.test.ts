import { expect, test } from 'vitest';
import { configError, transientError } from '../errors.ts';
import { printable } from '../http/response.ts';
import { rowOf } from '../rows/row.test-support.ts';
import { createCheckReport, textTable } from './check-report.ts';

const NOW = Date.UTC(2026, 0, 5);
const HOUR_MS = 3_600_000;
const GENERAL = { audience: 'API', scopes: null };

test('requests in the order of sending, tokens, and what is missing', () => {
  const { observer, text } = createCheckReport();
  const row = rowOf({ a: 1 });
  const page = { rows: [row], pagination: { totalCount: 12_345 } };
  observer.onListRequest({
    url: new URL('https://api.example/v1/assets?limit=1&offset=0'),
    sentAtMs: NOW + 50,
    ms: 1234,
    status: 200,
    page,
    problem: null,
  });
  observer.onListRequest({
    url: new URL('https://api.example/v1/alarms?limit=1'),
    sentAtMs: NOW + 40,
    ms: 8,
    status: 403,
    page: null,
    problem: 'status 403 (cf-ray 8f00): {"code":1}',
  });
  observer.onListRequest({
    url: new URL('https://api.example/v1/alarms'),
    sentAtMs: NOW + 30,
    ms: 9,
    status: null,
    page: null,
    problem: 'connect ECONNREFUSED',
  });
  const token = { url: new URL('https://me:canary@auth.example/token?key=canary'), sentAtMs: NOW, ms: 35 };
  observer.onTokenRequest(token, GENERAL, {
    kind: 'issued',
    token: { accessToken: 'canary', tokenType: null, issuedAtMs: NOW, endMs: NOW, refusedAtMs: {} },
  });
  const error = configError('TOKEN_REFUSED', `auth_url: the credentials were rejected ${'x'.repeat(100)}`);
  const scoped = { audience: 'API', scopes: ['AMAPI', 'UMAPI'] };
  observer.onTokenRequest({ ...token, sentAtMs: NOW + 1 }, scoped, {
    kind: 'failed',
    error,
    mayHaveIssued: false,
  });
  const limit = transientError('TOKEN_LIMIT', 'no more', null);
  observer.onTokenRequest({ ...token, sentAtMs: NOW + 2 }, GENERAL, {
    kind: 'limited',
    error: limit,
    retryAfterMs: 1,
  });
  observer.onToken({ scope: GENERAL, isOwn: true, endMs: NOW + 24 * HOUR_MS });
  observer.onToken({ scope: { audience: 'AMAPI', scopes: null }, isOwn: false, endMs: NOW + HOUR_MS });
  const message = text(['alarms: permission missing. A privileged user must grant it.\u001B[31m'], NOW);
  expect(message).not.toContain('canary');
  expect(message).toMatchInlineSnapshot(`
    "request                            query                                 response       rows   total     ms  problem
    ---------------------------------  ------------------------------------  -------------  ----  ------  -----  ----------------------------------------------------------------
    POST https://auth.example/token    audience API                          issued            -       -     35
    POST https://auth.example/token    audience API limited to AMAPI, UMAPI  no token          -       -     35  auth_url: the credentials were rejected xxxxxxxxxxxxxxxxxxxx ...
    POST https://auth.example/token    audience API                          limit reached     -       -     35  no more
    GET https://api.example/v1/alarms                                        no response       -       -      9  connect ECONNREFUSED
    GET https://api.example/v1/alarms  limit=1                               403               -       -      8  (cf-ray 8f00): {"code":1}
    GET https://api.example/v1/assets  limit=1&offset=0                      200               1  12,345  1,234

    token  source        valid until
    -----  ------------  -------------------------------------
    API    newly issued  2026-01-06 00:00:00 UTC (24 h left)
    AMAPI  cached        2026-01-05 01:00:00 UTC (60 min left)

    Missing:
    alarms: permission missing. A privileged user must grant it. [31m
    "
  `);
});

test('no requests and nothing missing', () => {
  expect(createCheckReport().text([], NOW)).toBe(
    'No request was sent.\n\nNo token was used.\n\nNothing is missing.\n',
  );
});

test('columns fit their content, and numbers are aligned to the right', () => {
  const table = textTable(
    [
      ['name', 'count', 'why'],
      ['a', '1,000', ''],
      ['longer', '2', 'because'],
    ],
    [1],
  );
  expect(table).toMatchInlineSnapshot(`
    "name    count  why
    ------  -----  -------
    a       1,000
    longer      2  because"
  `);
});

test('no character moves the cursor or hides what follows', () => {
  const hostile = 'a\u001B[2Jb\r\nc\u0085d\u2028e\u202Ef\u0000\u007F\u009Bg';
  expect(printable(hostile)).toBe('a [2Jb c d e f g');
  expect(textTable([['h'], [hostile]], [])).toBe('h\n----------------\na [2Jb c d e f g');
});
