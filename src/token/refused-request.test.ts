import { describe, expect, test } from 'vitest';
import type { ConnectorError } from '../errors.ts';
import { startLoopback } from '../http/loopback.test-support.ts';
import { exchange } from '../http/request.ts';
import { createRedactor } from '../protocol/redactor.ts';
import { requestToken, type TokenOutcome } from './request.ts';
import type { TokenScope } from './rules.ts';

const SECRET = 'canary-secret-0123456789';
const GENERAL: TokenScope = { audience: 'API', scopes: null, key: 'token.kind' };

async function outcomeWith(
  authUrl: string,
  clientId: string,
  clientSecret: string,
  secretName: string,
): Promise<TokenOutcome> {
  const redactor = createRedactor();
  redactor.hide(clientSecret);
  return requestToken({ authUrl, clientId, clientSecret, secretName }, GENERAL, {
    exchange,
    signal: new AbortController().signal,
    deadlineMs: 60_000,
    hasIssued: false,
    now: Date.now,
    redact: redactor.redact,
    onSent: () => undefined,
  });
}

const outcomeOf = (authUrl: string): Promise<TokenOutcome> =>
  outcomeWith(authUrl, 'me', SECRET, 'client_secret');

describe('a response without a token that names an error', () => {
  test.each<[what: string, status: number, body: string, expected: string]>([
    [
      'as OAuth does',
      200,
      '{"error":"incorrect_client_credentials","error_description":"Client SECRET is wrong"}',
      'config_error TOKEN_REFUSED auth_url: the credentials were rejected (200) for client_id "me", audience "API" (token.kind). Check client_id, client_secret and "token" in the config, and that the customer has configured this audience for the integrator. The server says: error "incorrect_client_credentials", error_description "Client ****** is wrong"',
    ],
    [
      'in other words',
      201,
      '{"errorCode":"E0000011","errorSummary":"no"}',
      'The server says: errorCode "E0000011", errorSummary "no"',
    ],
    [
      'that names something else',
      400,
      '{"type":"badRequest","message":"audience: unknown audience XXAPI"}',
      'auth_url: the token request was rejected (400) for client_id "me", audience "API" (token.kind). The server says: {"type":"badRequest","message":"audience: unknown audience XXAPI"} Check client_id',
    ],
    [
      'that names the client',
      400,
      '{"error":"invalid_client"}',
      'auth_url: the credentials were rejected (400)',
    ],
    [
      'that states its status',
      200,
      '{"status":"error","statusCode":401,"data":{}}',
      'the credentials were rejected (401) for client_id "me", audience "API" (token.kind). Check client_id, client_secret and "token" in the config, and that the customer has configured this audience for the integrator. The server says: status "error" (stated in a response with status 200)',
    ],
    [
      'that states a status that may pass',
      200,
      '{"code":503,"data":null}',
      'transient_error API_UNAVAILABLE auth_url: the token endpoint returned status 503',
    ],
    [
      'without words',
      200,
      '{"success":false}',
      'config_error TOKEN_REFUSED auth_url: the token request was rejected (200)',
    ],
    ['in words', 200, '{"success":false,"message":"bad secret"}', 'The server says: message "bad secret"'],
    ['as a list', 200, '{"errors":[{"code":7}],"accessToken":null}', 'The server says: errors [{"code":7}]'],
    [
      'that is temporary',
      200,
      '{"error":"temporarily_unavailable"}',
      'transient_error API_UNAVAILABLE auth_url: the token endpoint returned status 200',
    ],
  ])('is a refusal that issues nothing: %s', async (_, status, body, expected) => {
    const { address } = await startLoopback((_request, response) =>
      response.writeHead(status).end(body.replace('SECRET', SECRET)),
    );
    const outcome = await outcomeOf(address);
    expect(outcome).toMatchObject({ kind: 'failed', mayHaveIssued: false });
    const { failureType, code, message } = (outcome as { error: ConnectorError }).error;
    expect(`${failureType} ${code} ${message}`).toContain(expected);
  });

  test.each([
    ['no error', '{"error":null,"errors":[],"errorCode":0}'],
    ['a token', '{"error":"none","accessToken":"two words"}'],
    ['a token elsewhere', '{"message":"OK","data":{"accessToken":"t"}}'],
  ])('may have issued one if it has %s', async (_, body) => {
    const { address } = await startLoopback((_request, response) => response.end(body));
    expect(await outcomeOf(address)).toMatchObject({ mayHaveIssued: true });
  });
});

test.each<[what: string, status: number, headers: Record<string, string>, body: string]>([
  ['a 403 with Retry-After', 403, { 'retry-after': '30' }, '{}'],
  ['a 403 that says so', 403, { 'retry-after': '30' }, '{"message":"Quota exceeded"}'],
  ['a 200 that says so', 200, { 'retry-after': '30' }, '{"error":"rate_limit_exceeded"}'],
  ['a 429 labelled gzip, without a body', 429, { 'retry-after': '30', 'content-encoding': 'gzip' }, ''],
])('the issuance limit is reached: %s', async (_, status, headers, body) => {
  const { address } = await startLoopback((_request, response) =>
    response.writeHead(status, headers).end(body),
  );
  const outcome = await outcomeOf(address);
  expect(outcome).toMatchObject({ kind: 'limited', retryAfterMs: 30_000, error: { code: 'TOKEN_LIMIT' } });
});

test.each([
  ['{"retry_after":3}', 3000],
  ['{"message":"Rate limit is exceeded. Try again in 3 seconds."}', 3000],
  ['{"message":"slow down"}', undefined],
])('a 429 of the endpoint counts in its own words, which may state a wait: %s', async (body, waitMs) => {
  const { address } = await startLoopback((_request, response) => response.writeHead(429).end(body));
  const outcome = await outcomeOf(address);
  expect(outcome).toMatchObject({ kind: 'limited', retryAfterMs: waitMs });
  expect((outcome as { error: ConnectorError }).error.message).toBe(
    `auth_url: the token request limit has been reached (429) for client_id "me", audience "API" (token.kind). The server says: ${body}`,
  );
});

test('a 429 without words: the documented limit is named', async () => {
  const { address } = await startLoopback((_request, response) => response.writeHead(429).end());
  expect(((await outcomeOf(address)) as { error: ConnectorError }).error.message).toContain(
    'The response does not say which limit; the documented one is 15 tokens a day for audience "API".',
  );
});

test.each([406, 410, 415])('a %i is about the request, not the credentials', async (status) => {
  const { address } = await startLoopback((_request, response) => response.writeHead(status).end('{}'));
  const outcome = await outcomeOf(address);
  expect((outcome as { error: ConnectorError }).error.message).toContain(
    `auth_url: the token request was rejected (${status}) for client_id "me", audience "API" (token.kind). The server says: {} It is a POST`,
  );
});

test.each([
  '{"errors":{"client_secret":["The client_secret field is required."],"client_id":["Required"]}}',
  '{"message":["client_id should not be empty","property clientId should not exist"]}',
  '{"detail":[{"type":"missing","loc":["body","client_secret"],"msg":"Field required"}]}',
  '{"error":{"issues":[{"path":["client_secret"],"message":"Required"}]}}',
  '{"error":"missing field `client_secret` at line 1 column 20"}',
  '{"violations":[{"propertyPath":"clientSecret","message":"This value should not be blank."}]}',
  '{"error":"invalid_client","error_description":"Missing client_secret"}',
  '{"message":"The Authorization header is missing"}',
  '{"message":"Basic credentials are required"}',
  '{"error":"invalid_request","error_description":"only application/x-www-form-urlencoded content-type bodies are supported"}',
  '{"error":"unsupported_grant_type"}',
  '{"error":"invalid_request","error_description":"Missing form parameter: grant_type"}',
])('a refusal of the form of the request does not blame the credentials: %s', async (body) => {
  const { address } = await startLoopback((_request, response) => response.writeHead(400).end(body));
  const { code, message } = ((await outcomeOf(address)) as { error: ConnectorError }).error;
  expect(code).toBe('TOKEN_REFUSED');
  expect(message).toBe(
    `auth_url: the token request was rejected (400) for client_id "me", audience "API" (token.kind). The server says: ${body} ` +
      `It is a POST of JSON with clientId, clientSecret and audience. Check that ${address} is the endpoint for such requests.`,
  );
});

test.each<[status: number, headers: Record<string, string>, body: string, lead: string]>([
  [
    400,
    {},
    '{"message":"Bad request","received":{"clientId":"me","clientSecret":"SECRET"}}',
    'token request was rejected',
  ],
  [
    422,
    {},
    '<html>Bad Request: {&quot;clientSecret&quot;:&quot;SECRET&quot;}</html>',
    'token request was rejected',
  ],
  [400, {}, '{"message":"Client secret is not valid"}', 'credentials were rejected'],
  [400, {}, '{"error":"clientSecretExpired"}', 'credentials were rejected'],
  [401, { 'www-authenticate': 'Basic realm="corp"' }, '<html>401 Unauthorized', 'token request was rejected'],
  [
    401,
    { 'www-authenticate': 'Basic realm="oauth"' },
    '{"error":"invalid_client"}',
    'credentials were rejected',
  ],
  [401, {}, '{"message":"Client is disabled"}', 'credentials were rejected'],
  [
    403,
    {},
    '{"error":"access_denied","message":"Client has no grant for this audience"}',
    'credentials were rejected',
  ],
  [403, {}, '{"message":"Your IP address is not allowed"}', 'token request was rejected'],
  [401, {}, '{"message":"Client certificate required"}', 'token request was rejected'],
])('a %i rejects the credentials if nothing else is said: %j %s', async (status, headers, body, lead) => {
  const { address } = await startLoopback((_request, response) =>
    response.writeHead(status, headers).end(body.replace('SECRET', SECRET)),
  );
  const { message } = ((await outcomeOf(address)) as { error: ConnectorError }).error;
  expect(message).toMatch(new RegExp(`^auth_url: the ${lead} \\(${status}\\)`));
  expect(message).toContain('Check client_id');
});

test.each<[status: number, body: string]>([
  [500, '{"error":"invalid_client","error_description":"Client authentication failed"}'],
  [500, '{"status":500,"error":"Internal Server Error","message":"Bad credentials"}'],
  [503, '{"error":"unauthorized_client"}'],
  [502, 'Unknown client'],
  [408, '{"message":"The client secret is wrong"}'],
  [200, '{"code":500,"error":"invalid_client"}'],
  [
    500,
    `<?xml version="1.0"?><soap:Envelope ${'xmlns:a="http://schemas.example/soap/envelope/" '.repeat(5)}><soap:Body><soap:Fault><faultstring><![CDATA[Invalid client credentials]]></faultstring></soap:Fault></soap:Body></soap:Envelope>`,
  ],
])(
  'a %i whose words reject the client is not repeated, since that could lock it: %s',
  async (status, body) => {
    const { address } = await startLoopback((_request, response) => response.writeHead(status).end(body));
    const outcome = await outcomeOf(address);
    expect(outcome).toMatchObject({ kind: 'failed', mayHaveIssued: false, error: { code: 'TOKEN_REFUSED' } });
    const { message } = (outcome as { error: ConnectorError }).error;
    expect(message).toMatch(/^auth_url: the credentials were rejected \(\d+\) .* The server says: /);
  },
);

test.each<[status: number, body: string]>([
  [500, '{"error":"server_error","error_description":"invalid client state"}'],
  [500, '{"message":"Failed to verify client credentials: connection refused"}'],
  [503, '{"message":"Client authentication failed: the directory is unavailable"}'],
  [500, '{"message":"The client could not be validated"}'],
  [502, '<html><title>Bad gateway</title></html>'],
  [500, '{"error":"unexpected failure"}'],
])('a %i may pass if the client could not be checked, or is not mentioned: %s', async (status, body) => {
  const { address } = await startLoopback((_request, response) => response.writeHead(status).end(body));
  expect(await outcomeOf(address)).toMatchObject({
    mayHaveIssued: false,
    error: { code: 'API_UNAVAILABLE' },
  });
});

test('another reason that the endpoint gives precedes the advice', async () => {
  const said = '{"message":"Your IP address is not allowed"}';
  const { address } = await startLoopback((_request, response) => response.writeHead(403).end(said));
  const { message } = ((await outcomeOf(address)) as { error: ConnectorError }).error;
  expect(message).toContain(
    `rejected (403) for client_id "me", audience "API" (token.kind). The server says: ${said}. Ask the operator of the server about that. If it is not the reason: Check client_id`,
  );
});

test('a 401 labelled gzip, without a body, is a refusal; Retry-After of a 503 counts', async () => {
  const { address } = await startLoopback(({ url }, response) =>
    response.writeHead(Number(url?.slice(1)), { 'content-encoding': 'gzip', 'retry-after': '30' }).end(),
  );
  expect(await outcomeOf(`${address}/401`)).toMatchObject({
    mayHaveIssued: false,
    error: { code: 'TOKEN_REFUSED' },
  });
  expect(await outcomeOf(`${address}/503`)).toMatchObject({
    mayHaveIssued: false,
    retryAfterMs: 30_000,
    error: { code: 'API_UNAVAILABLE' },
  });
});

test.each<[clientId: string, clientSecret: string, names: string[]]>([
  ['me', ` ${SECRET}`, ['client_secret (from X)']],
  ['me', `"${SECRET}"`, ['client_secret (from X)']],
  ["'me'", SECRET, ['client_id']],
  ['me\n', `${SECRET}\n`, ['client_id', 'client_secret (from X)']],
  ['me', SECRET, []],
])(
  'a refusal names the secret as it is given, and mentions white space or quotes around %j and it',
  async (clientId, clientSecret, names) => {
    const { address } = await startLoopback((_request, response) => response.writeHead(401).end());
    const outcome = await outcomeWith(address, clientId, clientSecret, 'client_secret (from X)');
    const { message } = (outcome as { error: ConnectorError }).error;
    expect(message).toContain('Check client_id, client_secret (from X) and "token" in the config');
    for (const name of ['client_id', 'client_secret (from X)'])
      expect(message.includes(`${name} begins or ends with white space or a quote`)).toBe(
        names.includes(name),
      );
    expect(message).not.toContain('canary');
  },
);

test.each([
  ['${CLIENT_SECRET}', 'looks like a placeholder: was its value not filled in'],
  ['op://fleet/api/credential', 'looks like a reference to a secret that is kept elsewhere'],
])('a refusal asks whether %s was replaced', async (clientSecret, hint) => {
  const { address } = await startLoopback((_request, response) => response.writeHead(401).end());
  const outcome = await outcomeWith(address, 'me', clientSecret, 'client_secret');
  const { message } = (outcome as { error: ConnectorError }).error;
  expect(message).toMatch(new RegExp(` client_secret ${hint}(?!.*op://)`));
});
