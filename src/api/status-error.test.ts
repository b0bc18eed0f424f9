import { expect, test } from 'vitest';
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
  const excerpt = { text: 'Access Denied', requestIds: ' (x-request-id 4f1c)', isNotJson: true };
  const error = new StatusError({ status: 403, headers: {} }, excerpt);
  expect(error.message).toBe('status 403 (x-request-id 4f1c): Access Denied');
  expect(describeStatus(error, { ...ASKED, scope: API }, 'limit=1', null).message).toMatch(
    /^assets: status 403\. The response is not JSON, so a gateway or firewall .*If the API itself responded: the permission is missing or the product was not bought \(403\).* The server says: Access Denied \(x-request-id 4f1c\)$/,
  );
});

test('a 401 that is not JSON mentions a gateway or firewall before the token', () => {
  const excerpt = { text: 'Authorization Required', requestIds: '', isNotJson: true };
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
  const excerpt = { text, requestIds: '', isNotJson: /^\w/.test(text) };
  const error = new StatusError({ status, headers: {} }, excerpt);
  const { message } = describeStatus(error, { ...ASKED, scope: API }, 'limit=1', null);
  expect(message.replace(/ The server says: .*/, '')).toMatch(advice);
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
