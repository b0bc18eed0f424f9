import { expect, test } from 'vitest';
import type { ConnectorError } from '../errors.ts';
import { startLoopback } from '../http/loopback.test-support.ts';
import { exchange } from '../http/request.ts';
import { requestToken } from './request.ts';

const SECRET = 'canary-secret-0123456789';

/** The outcome of a request to an endpoint with this body in a 200. */
async function outcomeOf(body: string, hasIssued: boolean) {
  const { address } = await startLoopback((_, response) => response.end(body));
  const credentials = {
    authUrl: `${address}/token`,
    clientId: 'me',
    clientSecret: SECRET,
    secretName: 'client_secret',
  };
  const outcome = await requestToken(
    credentials,
    { audience: 'API', scopes: null, key: 'token.kind' },
    {
      exchange,
      signal: new AbortController().signal,
      deadlineMs: 60_000,
      hasIssued,
      now: Date.now,
      redact: (text) => text.replaceAll(SECRET, '******'),
      onSent: () => undefined,
    },
  );
  return { address: `${address}/token`, outcome };
}

async function failureOf(body: string): Promise<string> {
  const { address, outcome } = await outcomeOf(body, false);
  const { code, failureType, message } = (outcome as { error: ConnectorError }).error;
  expect(message).not.toContain('canary');
  return `${failureType} ${code} ${message.replaceAll(address, 'AUTH/token')}`;
}

test('an answer without a token that can be used', async () => {
  const bodies = [
    '',
    '<html>Sign in</html>',
    'null',
    '[]',
    '"text"',
    '{}',
    '{"accessToken":null}',
    '{"accessToken":5}',
    '{"accessToken":""}',
    '{"accessToken":"two words"}',
    '{"accessToken":"line\\nend"}',
    '{"accessToken":"tökén"}',
    `{"accessToken":"${SECRET}`,
  ];
  const lines: string[] = [];
  for (const body of bodies) lines.push(await failureOf(body));
  expect([...new Set(lines)].join('\n')).toMatchInlineSnapshot(`
    "transient_error TOKEN_UNREADABLE auth_url: the response with status 200 contains no accessToken: it is empty. Check that AUTH/token is the token endpoint.
    transient_error TOKEN_UNREADABLE auth_url: the response with status 200 contains no accessToken: it is a web page that says "Sign in". The response is not JSON, so a gateway or firewall may have blocked the request: check that this machine may access the API. If the API itself responded: Check that AUTH/token is the token endpoint.
    transient_error TOKEN_UNREADABLE auth_url: the response with status 200 contains no accessToken: it is null. Check that AUTH/token is the token endpoint.
    transient_error TOKEN_UNREADABLE auth_url: the response with status 200 contains no accessToken: it is an empty array. Check that AUTH/token is the token endpoint.
    config_error TOKEN_REFUSED auth_url: the response with status 200 contains no accessToken, but a string. Check that AUTH/token is the token endpoint. Such responses cannot be read.
    transient_error TOKEN_UNREADABLE auth_url: the response with status 200 contains no accessToken: it is an empty object. Check that AUTH/token is the token endpoint.
    config_error TOKEN_REFUSED auth_url: the response with status 200 contains no accessToken, but an object with "accessToken" (null). Check that AUTH/token is the token endpoint. Such responses cannot be read.
    config_error TOKEN_REFUSED auth_url: the response with status 200 contains an accessToken that is not valid in a header. Check that AUTH/token is the token endpoint. Such responses cannot be read.
    config_error TOKEN_REFUSED auth_url: the response with status 200 contains an empty accessToken. Check that AUTH/token is the token endpoint. Such responses cannot be read.
    transient_error TOKEN_UNREADABLE auth_url: the response with status 200 contains no accessToken: it is cut: its JSON ends after 40 bytes. Check that AUTH/token is the token endpoint."
  `);
});

/** The outcome of a response that has something else than a token, which may be one. */
function refusedFor(found: string, address: string) {
  const message =
    `auth_url: the response with status 200 contains no accessToken, but ${found}. ` +
    `Check that ${address} is the token endpoint. Such responses cannot be read.`;
  return { mayHaveIssued: true, error: { code: 'TOKEN_REFUSED', message } };
}

test.each([
  ['{"data":{"accessToken":"t-in-data"}}', 'data.accessToken'],
  ['{"result":{"access_token":"t-in-data"}}', 'result.access_token'],
  ['{"token":"t-in-data"}', 'token'],
  ['[{"accessToken":"t-in-data"}]', '[0].accessToken'],
  ['{"status":"ok","data":{"auth":{"accessToken":"t-in-data"}}}', 'data.auth.accessToken'],
  ['{"jwt":"t-in-data","expires":1}', 'jwt'],
])('a token in the wrong place is a config_error that names it: %s', async (body, place) => {
  expect(await failureOf(body)).toBe(
    `config_error TOKEN_REFUSED auth_url: the response with status 200 contains no accessToken, but "${place}". Check that AUTH/token is the ` +
      'token endpoint. Such responses cannot be read.',
  );
});

test.each([
  ['{"authorization":"Bearer t-secret"}', 'an object with "authorization"'],
  [
    '{"session":{"key":"t-secret","ttl":5},"user":[]}',
    'an object with "session" (an object with "key", "ttl"), "user" (an empty array)',
  ],
  ['["t-secret"]', 'an array of 1 value'],
  ['"t-secret"', 'a string'],
  [JSON.stringify('{"accessToken":"t-secret"}'), 'a string that contains an object with "accessToken"'],
  ['{"access_token":null}', 'an object with "access_token" (null)'],
])(
  'JSON without a token is a config_error that names its members, not their values: %s',
  async (body, found) => {
    const { address, outcome } = await outcomeOf(body, false);
    expect(outcome).toMatchObject(refusedFor(found, address));
  },
);

test.each([
  ['access_token=0123456789&expires_in=5', 'a text with "access_token", which may be a token'],
  ['t-0123456789abcdef', 'a single word, which may be a token'],
])('a token in another form is a config_error that names it: %s', async (body, found) => {
  const { address, outcome } = await outcomeOf(body, true);
  expect(outcome).toMatchObject(refusedFor(found, address));
});

test.each([
  [
    '<html><title>Scheduled maintenance</title>',
    'API_UNAVAILABLE',
    'status 200 .* The server says: Scheduled',
  ],
  ['{"error":"down for maintenance"}', 'API_UNAVAILABLE', 'status 200 .*The server says: error "down'],
  ['<f:Fault xmlns:f="x">Invalid client</f:Fault>', 'TOKEN_REFUSED', 'credentials were rejected \\(200\\)'],
  ['Rate limit exceeded, retry in 3 s', 'TOKEN_LIMIT', 'has been reached \\(200\\)'],
])('what says in a success that it issues no token is a failure: %s', async (body, code, words) => {
  const { outcome } = await outcomeOf(body, false);
  expect(outcome).toMatchObject({ error: { code } });
  expect((outcome as { error: ConnectorError }).error.message).toMatch(new RegExp(words));
  expect(outcome).not.toMatchObject({ mayHaveIssued: true });
});

test('JSON without a token may pass at an endpoint that has issued tokens', async () => {
  const { outcome } = await outcomeOf('{"state":"down"}', true);
  expect(outcome).toMatchObject({ error: { code: 'TOKEN_UNREADABLE' } });
});
