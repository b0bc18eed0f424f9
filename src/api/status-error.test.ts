import { expect, test } from 'vitest';
import { excerptOf } from '../http/response.ts';
import { statusError } from './status-error.test-support.ts';
import { StatusError, describeStatus } from './status-error.ts';

const ASKED = {
  stream: 'assets',
  place: 'assets',
  url: new URL('https://api.example/v1/assets'),
  baseUrl: 'https://api.example',
};

const API = { audience: 'API', scopes: null, key: 'token.kind' };

test.each([
  [
    true,
    { audience: 'API', scopes: ['UMAPI'], key: 'token.scopes' },
    ' token.scopes limits the token to "UMAPI": add the module',
  ],
  [false, { audience: 'AMAPI', scopes: null, key: 'assets.audience' }, ''],
])('a 403 mentions scopes only if the config lists them (%s)', (_, scope, hint) => {
  const { message } = describeStatus(statusError(403, {}), { ...ASKED, scope }, 'limit=1', null);
  const [, said = ''] = /must have bought the product\.(.*?)( of assets there\.)?$/.exec(message) ?? [];
  expect(said).toBe(hint);
});

test('a 403 that is not JSON mentions a gateway or firewall before permissions', () => {
  const excerpt = {
    text: 'Access Denied',
    requestIds: ' (x-request-id 4f1c)',
    isNotJson: true,
    askedWait: null,
  };
  const error = new StatusError({ status: 403, headers: {} }, excerpt);
  expect(error.message).toBe('status 403 (x-request-id 4f1c): Access Denied');
  expect(describeStatus(error, { ...ASKED, scope: API }, 'limit=1', null).message).toMatch(
    /^assets: status 403\. The response is not JSON, so a gateway or firewall .*If the API itself responded: the permission is missing or the product was not bought \(403\).* The server says: Access Denied \(x-request-id 4f1c\)$/,
  );
});

test('a 401 that is not JSON mentions a gateway or firewall before the token', () => {
  const excerpt = { text: 'Authorization Required', requestIds: '', isNotJson: true, askedWait: null };
  const error = new StatusError({ status: 401, headers: {} }, excerpt);
  expect(describeStatus(error, { ...ASKED, scope: API }, 'limit=1', null).message).toMatch(
    /^assets: status 401\. The response is not JSON, so a gateway or firewall .*If the API itself responded: the API rejected a valid token/,
  );
});

test('a 404 for a request with a bound names the bound', () => {
  const bound = 'createdSince=2025-01-01T00%3A00%3A00Z';
  const message = describeStatus(statusError(404, {}), { ...ASKED, scope: API }, bound, 'Move it.').message;
  expect(message).toContain(`or the service does not know the bound in "${bound}" any more. Move it.`);
});

test('query and user of a URL are not shown', () => {
  const asked = {
    ...ASKED,
    url: new URL('https://me:canary@api.example/v1/assets?key=canary'),
    baseUrl: 'https://me:canary@api.example/?key=canary',
    scope: API,
  };
  for (const status of [301, 404])
    expect(describeStatus(statusError(status, {}), asked, 'limit=1', null).message).not.toContain('canary');
  expect(describeStatus(statusError(404, {}), asked, 'limit=1', null).message).toContain(
    'https://api.example/v1/assets (404)',
  );
});

test.each([
  [414, '', 'limit=2&after='],
  [400, 'Earlier rows are gone.', 'createdSince=2025-01-01T00%3A00%3A00Z&after='],
])('a %i for a cursor blames the cursor, not the config, and quotes its start', (status, advice, start) => {
  const query = `${start}${'c'.repeat(9000)}`;
  const asked = { ...ASKED, scope: API };
  const { message } = describeStatus(statusError(status, {}), asked, query, advice || null);
  expect(message).toBe(
    `assets: the API rejected the request (${status}) with "${query.slice(0, 200)}…". "after" is the cursor that the API returned ` +
      "(9000 characters), and the page before it could be read, so ask the API's provider why it is refused.",
  );
});

test.each<[status: number, text: string, advice: RegExp]>([
  [400, '{}', /Check assets\.page_size or assets\.base_url\.$/],
  [422, '{}', /Check assets\.page_size or assets\.base_url\.$/],
  [400, 'No required SSL certificate was sent', /not JSON, so a gateway .*Check assets\.page_size or/],
  [400, 'Request Header Or Cookie Too Large', /token is too long .*fewer modules \(token\.kind\)\.$/],
  [431, '', /token is too long .*fewer modules \(token\.kind\)\.$/],
  [406, '{}', /not about the parameters: check assets\.base_url, and ask the API's provider/],
  [407, 'Sign in', /not JSON, so a gateway .*not about the parameters/],
  [405, '{}', /^assets: there is no list at https:\/\/api\.example\/v1\/assets \(405\)/],
  [410, '{}', /^assets: there is no list at https:\/\/api\.example\/v1\/assets \(410\)/],
])('the advice for a %i is about what the status is about: %j', (status, text, advice) => {
  const excerpt = { text, requestIds: '', isNotJson: /^\w/.test(text), askedWait: null };
  const error = new StatusError({ status, headers: {} }, excerpt);
  const { message } = describeStatus(error, { ...ASKED, scope: API }, 'limit=1', null);
  expect(message.replace(/ The server says: .*?\.(?= )/, '')).toMatch(advice);
});

test('a 404 for a cursor blames the cursor', () => {
  const { message } = describeStatus(statusError(404, {}), { ...ASKED, scope: API }, 'limit=1&after=x', null);
  expect(message).toMatch(/"after" is the cursor that the API returned \(1 characters\)/);
});

test.each<[location: string | undefined, cure: RegExp]>([
  ['/v1/assets/?limit=1', /Use an entry of `lists` with path "\/v1\/assets\/"/],
  ['/v2/assets', /Use an entry of `lists` with path "\/v2\/assets"/],
  [
    'https://new.example/fleet/v1/assets',
    /Set assets\.base_url .* final address, https:\/\/new\.example\/fleet\.$/,
  ],
  [
    '/login?next=%2Fv1%2Fassets',
    /does not lead to the list, but perhaps to a page to sign in: check that assets\.base_url/,
  ],
  ['https://sso.example/authorize', /does not lead to the list, but perhaps to a page to sign in/],
  ['/v1/assets?limit=1', /It leads to itself, .*wants a cookie: check that assets\.base_url/],
  [undefined, /to no address\. .*check that assets\.base_url is the address of the API/],
])('the cure for a redirect to %s', (location, cure) => {
  const error = statusError(302, location === undefined ? {} : { location });
  expect(describeStatus(error, { ...ASKED, scope: API }, 'limit=1', null).message).toMatch(cure);
});

/** The error for a response of a list, as `CODE message`. */
function described(status: number, headers: Readonly<Record<string, string>>, body: string): string {
  const excerpt = excerptOf({ headers, body: Buffer.from(body) }, (text) => text);
  const error = new StatusError({ status, headers }, excerpt);
  const { code, message } = describeStatus(error, { ...ASKED, scope: API }, 'limit=1', null);
  return `${code} ${message}`;
}

test.each<[status: number, headers: Record<string, string>, body: string]>([
  [400, {}, '{"error":"Authorization field missing"}'],
  [400, {}, '{"message":"The Authorization header is missing"}'],
  [400, {}, '{"message":"Missing bearer token"}'],
  [422, {}, '{"detail":"Malformed token"}'],
  [400, {}, '{"code":"tokenExpired"}'],
  [400, { 'www-authenticate': 'Bearer error="invalid_request", error_description="malformed"' }, '{}'],
  [400, { 'www-authenticate': 'Bearer realm="a", error=invalid_token' }, '{}'],
])('a %i that complains about the token is about the token: %j %s', (status, headers, body) => {
  const message = described(status, headers, body);
  expect(message).toContain('UNAUTHORIZED assets: ');
  expect(message).not.toContain('page_size');
});

test('a challenge that asks for more scope is about permissions', () => {
  const challenge = { 'www-authenticate': 'Bearer error="insufficient_scope"' };
  expect(described(400, challenge, '{}')).toContain('FORBIDDEN assets: the permission is missing or');
});

test.each<[status: number, body: string]>([
  [403, '{"error":"ip_not_allowed","message":"Your IP address is not on the allow list."}'],
  [403, '{"code":"ipNotAuthorized"}'],
  [403, '{"message":"client certificate required"}'],
  [403, '{"error":"SSL required","message":"HTTPS is required"}'],
  [403, '{"message":"This endpoint is closed between 22:00 and 06:00"}'],
  [402, '{"message":"Last invoice is overdue"}'],
  [401, '{"message":"Request from outside of the corporate VPN"}'],
])(
  'what the server says comes first if it gives another reason than a %i usually has: %s',
  (status, body) => {
    const said = body.replace(/\.$/, '');
    expect(described(status, {}, body)).toContain(
      ` assets: status ${status}. The server says: ${said}. Ask the operator of the server about that. If it is not the reason: the `,
    );
    expect(described(status, {}, body).split('The server says')).toHaveLength(2);
  },
);

test.each<[query: string, advice: string]>([
  ['limit=1', 'If that does not say what to change: Check assets.page_size or assets.base_url.'],
  [
    '',
    'Set assets.page_size to send a limit, or assets.start_date to send createdSince. Otherwise check assets.base_url.',
  ],
])('what the server says of a 400 comes before what else may be wrong with "%s"', (query, advice) => {
  const excerpt = {
    text: '{"error":"X-Tenant-Id is required."}',
    requestIds: '',
    isNotJson: false,
    askedWait: null,
  };
  const error = new StatusError({ status: 400, headers: {} }, excerpt);
  const { message } = describeStatus(error, { ...ASKED, scope: API }, query, null);
  expect(message).toContain(`. The server says: ${excerpt.text}. If that does not say what to change: `);
  expect(message.endsWith(advice)).toBe(true);
});

test('a challenge without a reason precedes no advice', () => {
  const challenge = { 'www-authenticate': 'Bearer realm="fleet"' };
  expect(described(403, challenge, '{}')).toMatch(/^FORBIDDEN assets: the permission is missing/);
});

test.each<[status: number, body: string, lead: string]>([
  [403, '{"message":"Forbidden"}', 'the permission is missing'],
  [
    403,
    '{"timestamp":"2026-01-01T00:00:00Z","status":403,"error":"Forbidden","path":"/v1/assets"}',
    'the perm',
  ],
  [403, '{"error":"PERMISSION_DENIED","message":"User lacks the role reader"}', 'the permission is missing'],
  [403, '{"message":"User is not authorized to access this resource"}', 'the permission is missing'],
  [401, '{"message":"Unauthorized"}', 'the API rejected a valid token'],
  [401, '{"message":"The audience is invalid"}', 'the API rejected a valid token'],
  [400, '{"errors":[{"field":"limit","message":"must be less than 50"}]}', 'the API rejected the request'],
  [400, '{"error":"Bad Request"}', 'the API rejected the request'],
  [400, '{"message":"invalid createdSince"}', 'the API rejected the request'],
])('the usual reason of a %i comes first if the server gives it, or none: %s', (status, body, lead) => {
  expect(described(status, {}, body)).toContain(` assets: ${lead}`);
  expect(described(status, {}, body)).toContain(` The server says: ${body}`);
});

test('a network in which a person must sign in first is named; the API did not respond', () => {
  expect(described(511, { 'content-type': 'text/html' }, '<html>Welcome to the hotel</html>')).toBe(
    'FORBIDDEN assets: the network requires that a person signs in first (511). Do so on this machine, or ask the operator of the network ' +
      'to let it through. The server says: Welcome to the hotel',
  );
});
