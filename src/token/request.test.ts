import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ConnectorError } from '../errors.ts';
import { closedAddress, startLoopback, type Answer } from '../http/loopback.test-support.ts';
import { exchange } from '../http/request.ts';
import { startProxy, type Tunnel } from '../http/proxy.test-support.ts';
import { createRedactor } from '../protocol/redactor.ts';
import type { TokenScope } from './rules.ts';
import { requestToken, type TokenOutcome } from './request.ts';

const SECRET = 'canary-secret-0123456789';
const GENERAL: TokenScope = { audience: 'API', scopes: null, key: 'token.kind' };
const { signal } = new AbortController();

async function outcomeOf(authUrl: string, scope: TokenScope, hasIssued: boolean): Promise<TokenOutcome> {
  const redactor = createRedactor();
  redactor.hide(SECRET);
  const credentials = { authUrl, clientId: 'me', clientSecret: SECRET, secretName: 'client_secret' };
  return requestToken(credentials, scope, {
    exchange,
    signal,
    deadlineMs: 60_000,
    hasIssued,
    now: Date.now,
    redact: redactor.redact,
    onSent: () => undefined,
  });
}

async function ask(authUrl: string, scope: TokenScope): Promise<string> {
  const outcome = await outcomeOf(authUrl, scope, false);
  if (outcome.kind !== 'issued') throw outcome.error;
  return outcome.token.accessToken;
}

/** The failure of a request to a server with this response; no text in it contains the secret. */
async function failureOf(asked: Promise<unknown>): Promise<ConnectorError> {
  const error: unknown = await asked.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConnectorError);
  const { message, stack, cause } = error as ConnectorError;
  expect(`${message}${stack}${String(cause)}`).not.toContain('canary');
  return error as ConnectorError;
}

async function failureAt(answer: Answer): Promise<string> {
  let requests = 0;
  const { address } = await startLoopback((request, response) => {
    requests++;
    answer(request, response);
  });
  const { code, failureType, message } = await failureOf(ask(`${address}/token`, GENERAL));
  expect(requests).toBe(1);
  return `${failureType} ${code} ${message.replaceAll(address, 'AUTH')}`;
}

test.each<[variant: string, scope: TokenScope, body: object]>([
  ['for all modules', GENERAL, { audience: 'API' }],
  [
    'with scopes',
    { audience: 'API', scopes: ['AMAPI', 'UMAPI'], key: 'token.scopes' },
    { audience: 'API', scopes: ['AMAPI', 'UMAPI'] },
  ],
  ['per module', { audience: 'AMAPI', scopes: null, key: 'assets.audience' }, { audience: 'AMAPI' }],
])('a token %s is asked for with its body', async (_, scope, body) => {
  const seen: unknown[] = [];
  const { address } = await startLoopback(async (request, response) => {
    const { method, url, headers } = request;
    seen.push([method, url, headers['content-type'], headers.authorization, JSON.parse(await text(request))]);
    response.end('{"accessToken":"t","expiresIn":86400,"tokenType":"Bearer"}');
  });
  expect(await ask(`${address}/oauth/token?v=1`, scope)).toBe('t');
  expect(seen).toStrictEqual([
    [
      'POST',
      '/oauth/token?v=1',
      'application/json',
      undefined,
      { clientId: 'me', clientSecret: SECRET, ...body },
    ],
  ]);
});

test.each<[what: string, status: number, body: string, token: string]>([
  ['201', 201, '{"accessToken":"a.b-c_d"}', 'a.b-c_d'],
  ['a byte order mark', 200, '\ufeff{"accessToken":"t"}', 't'],
  ['the whole value of a header', 200, '{"accessToken":"Bearer t"}', 't'],
  ['a line break after the token', 200, '{"accessToken":" t\\n"}', 't'],
  ['the spelling of OAuth', 200, '{"access_token":"t","expires_in":3600,"token_type":"bearer"}', 't'],
  ['other members only', 200, '{"accessToken":"t","expriesIn":"soon","tokenType":null,"x":{}}', 't'],
])('an answer with %s is accepted', async (_, status, body, token) => {
  const { address } = await startLoopback((_request, response) => response.writeHead(status).end(body));
  expect(await ask(address, GENERAL)).toBe(token);
});

describe('one request is sent, whatever the answer', () => {
  test.each<[what: string, status: number, body: string, hasIssued: boolean, failureType: string]>([
    [
      'an error that passes by its code',
      400,
      '{"error":"temporarily_unavailable"}',
      false,
      'transient_error',
    ],
    ['no such address', 404, '', false, 'config_error'],
    ['a network to sign in to', 511, '<html>', false, 'config_error'],
    ['a network to sign in to again', 511, '<html>', true, 'transient_error'],
    ['no such address, which has issued a token before', 404, '', true, 'transient_error'],
    ['a redirect from an address that has issued a token', 302, '', true, 'transient_error'],
    ['credentials that are refused although they were not before', 401, '', true, 'config_error'],
  ])('%s', async (_, status, body, hasIssued, failureType) => {
    const { address } = await startLoopback((_request, response) => response.writeHead(status).end(body));
    const outcome = await outcomeOf(address, GENERAL, hasIssued);
    expect(outcome.kind === 'issued' ? null : outcome.error.failureType).toBe(failureType);
  });

  test('errors differ by what a person can do about them', async () => {
    const lines: string[] = [];
    for (const status of [400, 401, 403, 404, 405, 302, 307, 408, 425, 429, 500, 503])
      lines.push(
        await failureAt((_, response) =>
          response
            .writeHead(status, { location: 'https://elsewhere.example' })
            .end(`{"error": "no\n${SECRET} ${encodeURIComponent(SECRET)}"}`),
        ),
      );
    lines.push(await failureAt((_, response) => response.writeHead(401).end()));
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "config_error TOKEN_REFUSED auth_url: the token request was rejected (400) for client_id "me", audience "API" (token.kind). The server says: {"error": "no ****** ******"} Check client_id, client_secret and "token" in the config, and that the customer has configured this audience for the integrator.
      config_error TOKEN_REFUSED auth_url: the credentials were rejected (401) for client_id "me", audience "API" (token.kind). Check client_id, client_secret and "token" in the config, and that the customer has configured this audience for the integrator. The server says: {"error": "no ****** ******"}
      config_error TOKEN_REFUSED auth_url: the credentials were rejected (403) for client_id "me", audience "API" (token.kind). Check client_id, client_secret and "token" in the config, and that the customer has configured this audience for the integrator. The server says: {"error": "no ****** ******"}
      config_error TOKEN_REFUSED auth_url: status 404 instead of a token; the address AUTH/token is probably wrong. The server says: {"error": "no ****** ******"}
      config_error TOKEN_REFUSED auth_url: status 405 instead of a token; the address AUTH/token is probably wrong. The server says: {"error": "no ****** ******"}
      config_error TOKEN_REFUSED auth_url: status 302 instead of a token; the address AUTH/token is probably wrong. It redirects to https://elsewhere.example/, which is not followed. The server says: {"error": "no ****** ******"}
      config_error TOKEN_REFUSED auth_url: status 307 instead of a token; the address AUTH/token is probably wrong. It redirects to https://elsewhere.example/, which is not followed. The server says: {"error": "no ****** ******"}
      transient_error API_UNAVAILABLE auth_url: the token endpoint returned status 408 for client_id "me", audience "API" (token.kind). The server says: {"error": "no ****** ******"} Try again later.
      transient_error API_UNAVAILABLE auth_url: the token endpoint returned status 425 for client_id "me", audience "API" (token.kind). The server says: {"error": "no ****** ******"} Try again later.
      transient_error TOKEN_LIMIT auth_url: the token request limit has been reached (429) for client_id "me", audience "API" (token.kind). The server says: {"error": "no ****** ******"}
      transient_error API_UNAVAILABLE auth_url: the token endpoint returned status 500 for client_id "me", audience "API" (token.kind). The server says: {"error": "no ****** ******"} Try again later.
      transient_error API_UNAVAILABLE auth_url: the token endpoint returned status 503 for client_id "me", audience "API" (token.kind). The server says: {"error": "no ****** ******"} Try again later.
      config_error TOKEN_REFUSED auth_url: the credentials were rejected (401) for client_id "me", audience "API" (token.kind). Check client_id, client_secret and "token" in the config, and that the customer has configured this audience for the integrator."
    `);
  });

  test('a response that never completes', async () => {
    expect(await failureAt((request) => request.socket.resetAndDestroy())).toMatch(
      /^transient_error API_UNAVAILABLE auth_url: no response from AUTH\/token \(ECONNRESET: .+\)\. Check auth_url and the network\. If the server expects TLS, let auth_url begin with https:\/\/\.$/,
    );
    expect(await failureAt((_, response) => response.end('x'.repeat(1024 * 1024 + 1)))).toMatch(
      /the response is larger than 1048576 bytes/,
    );
  });
});

test('nothing listens at the address', async () => {
  const authUrl = await closedAddress();
  const error = await failureOf(ask(authUrl, GENERAL));
  expect([error.failureType, error.code]).toStrictEqual(['transient_error', 'API_UNAVAILABLE']);
  expect(error.message).toContain(`auth_url: no response from ${authUrl} (ECONNREFUSED: `);
});

test('no error shows the query or the user of the address, which may be secret', async () => {
  const { address } = await startLoopback((request, response) => {
    const [, status = ''] = /^\/(\d+)/.exec(request.url ?? '') ?? [];
    if (status === '0') request.socket.resetAndDestroy();
    else response.writeHead(Number(status)).end();
  });
  for (const status of [0, 200, 302, 404, 500]) {
    const secret = address.replace('//', '//me:canary-user@');
    const { message } = await failureOf(ask(`${secret}/${status}/token?key=canary-key#canary`, GENERAL));
    if (status !== 500) expect(message).toContain(`${address}/${status}/token`);
  }
});

test('a 403 that is not JSON mentions a gateway first; every refusal has its request id', async () => {
  const { address } = await startLoopback((_, response) =>
    response.writeHead(403, { 'cf-ray': '8f00-FRA' }).end('<html>Blocked</html>'),
  );
  expect((await failureOf(ask(address, GENERAL))).message).toMatch(
    /^auth_url: the token request was rejected \(403\) .* The response is not JSON, so a gateway or firewall .*: Check client_id.* Blocked \(cf-ray 8f00-FRA\)$/,
  );
});

test('a 401 that is not JSON is attributed to the credentials nevertheless', async () => {
  const { address } = await startLoopback((_, response) => response.writeHead(401).end('Unauthorized'));
  expect((await failureOf(ask(address, GENERAL))).message).toMatch(
    /^auth_url: the credentials were rejected \(401\) for client_id "me", audience "API" \(token\.kind\)\. Check client_id.* Unauthorized$/,
  );
});

test('scopes are named in a refusal', async () => {
  const { address } = await startLoopback((_, response) => response.writeHead(403).end());
  const { message } = await failureOf(
    ask(address, { audience: 'API', scopes: ['AMAPI', 'UMAPI'], key: 'token.scopes' }),
  );
  expect(message).toContain('client_id "me", audience "API" with the scopes "AMAPI", "UMAPI" (token.scopes)');
});

test('a redirect is not followed, so the secret goes nowhere else', async () => {
  let requests = 0;
  const other = await startLoopback((_, response) => {
    requests++;
    response.end('{"accessToken":"t"}');
  });
  await failureAt((_, response) => response.writeHead(307, { location: other.address }).end());
  expect(requests).toBe(0);
});

describe('whether a token may have been issued', () => {
  test.each<[what: string, answer: Answer, expected: object]>([
    ['a refusal issues nothing', (_, response) => response.writeHead(401).end(), { mayHaveIssued: false }],
    [
      'nor does a failure that is an answer',
      (_, response) => response.writeHead(503).end(),
      { mayHaveIssued: false },
    ],
    [
      'a cut answer may hide a token',
      (_, response) =>
        response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy()),
      { mayHaveIssued: true },
    ],
    ['so may one that cannot be read', (_, response) => response.end('<html>'), { mayHaveIssued: true }],
    ['and no answer at all', (request) => request.socket.resetAndDestroy(), { mayHaveIssued: true }],
    ['a 429', (_, response) => response.writeHead(429).end(), { kind: 'limited', retryAfterMs: undefined }],
    [
      'a 429 that says how long',
      (_, response) => response.writeHead(429, { 'retry-after': '90' }).end(),
      { retryAfterMs: 90_000 },
    ],
  ])('%s', async (_, answer, expected) => {
    expect(await outcomeOf((await startLoopback(answer)).address, GENERAL, false)).toMatchObject(expected);
  });

  test.each<[what: string, tunnel: Tunnel]>([
    ['refuses', { refuse: 503 }],
    ['requires other credentials', { refuse: 407 }],
    ['hangs up', { say: '' }],
  ])('a proxy that %s: nothing was sent', async (_, tunnel) => {
    const { port } = await startProxy(tunnel, () => undefined, null);
    vi.stubEnv('https_proxy', `http://127.0.0.1:${port}`);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    expect(await outcomeOf('https://auth.example/token', GENERAL, false)).toMatchObject({
      mayHaveIssued: false,
    });
  });

  test('nothing listens at the address: nothing was sent', async () => {
    expect(await outcomeOf(await closedAddress(), GENERAL, false)).toMatchObject({ mayHaveIssued: false });
  });
});
