import { expect, test, vi } from 'vitest';
import { temporaryDirectory, temporaryFile } from '../config/temporary-file.test-support.ts';
import { INTERACTIVE_BUDGET } from '../limits.ts';
import { credentialKey, emptyCache, withChanges } from '../token/cache.ts';
import { openConnector } from './connector.ts';
import { collect, startService } from './fake-service.test-support.ts';

const silent = async (): Promise<void> => undefined;
const CONTEXT = { signal: new AbortController().signal, info: silent, onWait: silent };
const SECRET = 'canary-secret';

async function connectorOf(changes: object) {
  const document = { client_id: 'me', client_secret: SECRET, ...changes };
  const { environment } = collect();
  const config = temporaryFile(JSON.stringify(document));
  const options = { config, tokenCache: temporaryDirectory(), verbose: false };
  return [
    await openConnector(options, INTERACTIVE_BUDGET, environment),
    environment.redactor.redact,
  ] as const;
}

test.each([
  ['', '/v1/assets'],
  ['/', '/v1/assets'],
  ['/fleet/a', '/fleet/a/v1/assets'],
  ['/fleet/a//', '/fleet/a/v1/assets'],
])('the list of a base_url that ends with %j is requested at %s', async (path, list) => {
  const { address, requests } = await startService({});
  const [{ streams, statistics }] = await connectorOf({
    auth_url: `${address}/token`,
    assets: { base_url: `${address}${path}` },
  });
  expect(requests).toStrictEqual([]);
  expect(streams.map(({ name }) => name)).toStrictEqual(['assets']);
  expect(await streams[0]?.probe(CONTEXT)).toBe('ok (12,345 rows)');
  expect(requests).toStrictEqual(['POST /token', `GET ${list}?limit=100&offset=0`]);
  expect(statistics).toStrictEqual({ requests: 1, retries: 0, tokens: 1 });
});

test.each([
  ['general', { kind: 'general' }, 1],
  ['module', { kind: 'module' }, 2],
])('two streams request as many tokens as the kind %s needs', async (_, token, count) => {
  const { address, requests } = await startService({});
  const [{ streams, statistics }, redact] = await connectorOf({
    auth_url: `${address}/token`,
    token,
    assets: { base_url: address },
    alarms: { base_url: address, audience: 'X' },
  });
  expect(streams.map(({ name }) => name)).toStrictEqual(['assets', 'alarms']);
  await Promise.all(streams.map((stream) => stream.probe(CONTEXT)));
  expect(requests.filter((request) => request === 'POST /token')).toHaveLength(count);
  expect(statistics).toStrictEqual({ requests: 2, retries: 0, tokens: count });
  expect(redact(`${SECRET} canary-token`)).toBe('****** ******');
});

test.each([
  ['a refused connection', 0, undefined],
  ['a refusal', 1, 401],
  ['an unreadable response, which is asked for once more', 2, 200],
])('%s: tokens are counted when they are requested', async (_, tokens, status) => {
  const { address } = await startService({ token: (response) => response.writeHead(status ?? 200).end() });
  const [{ streams, statistics }] = await connectorOf({
    auth_url: `${status === undefined ? 'http://127.0.0.1:1' : address}/token`,
    assets: { base_url: address },
  });
  await expect(streams[0]?.probe(CONTEXT)).rejects.toThrow('auth_url: ');
  expect(statistics).toStrictEqual({ requests: 0, retries: 0, tokens });
});

test.each([
  ['is valid', 3600, true],
  ['has already ended', 0, false],
])('a token that %s: it is said to be kept only if it is', async (_, expiresIn, isKept) => {
  const { address } = await startService({
    token: (response) => response.end(JSON.stringify({ accessToken: 'canary-token', expiresIn })),
  });
  const { environment, output } = collect();
  const document = {
    client_id: 'me',
    client_secret: SECRET,
    auth_url: `${address}/token`,
    assets: { base_url: address },
  };
  const config = temporaryFile(JSON.stringify(document));
  const options = { config, tokenCache: temporaryDirectory(), verbose: false };
  const { streams } = await openConnector(options, INTERACTIVE_BUDGET, environment);
  await streams[0]?.probe(CONTEXT).catch(() => undefined);
  expect(output().includes('later runs find it')).toBe(isKept);
});

test('secrets in the config are masked before any request: its own, a key in auth_url, and cached tokens', async () => {
  const authUrl = 'http://127.0.0.1:1/token?key=canary-key';
  const credential = credentialKey({ authUrl, clientId: 'me', clientSecret: SECRET });
  const token = { accessToken: 'canary-kept', tokenType: null, issuedAtMs: 0, endMs: 1, refusedAtMs: {} };
  const [, redact] = await connectorOf({
    auth_url: authUrl,
    assets: { base_url: 'http://127.0.0.1:1' },
    token_cache: JSON.stringify(withChanges(emptyCache(credential), { tokens: { ['a'.repeat(32)]: token } })),
  });
  expect(redact(`${SECRET} key=canary-key canary-kept`)).toBe('****** key=****** ******');
});

test('the names of the secret are shown, also if it looks like them', async () => {
  const address = 'http://127.0.0.1:1';
  const [, redact] = await connectorOf({
    client_secret: 'YOUR_CLIENT_SECRET',
    auth_url: address,
    assets: { base_url: address },
  });
  const names = 'client_secret, clientSecret';
  expect(redact(`${names}: YOUR_CLIENT_SECRET`)).toBe(`${names}: ******`);
});

test.each([
  ['a path', '/var/cache/tokens.json', true],
  ['nothing', '', false],
  ['the tokens of another credential', JSON.stringify(emptyCache('0'.repeat(32))), false],
])('a token_cache is reported only if it is not one: it contains %s', async (_, kept, isWrong) => {
  const { environment, messages } = collect();
  const document = {
    client_id: 'me',
    client_secret: SECRET,
    auth_url: 'http://127.0.0.1:1',
    assets: { base_url: 'http://127.0.0.1:1' },
    token_cache: kept,
  };
  const config = temporaryFile(JSON.stringify(document));
  const options = { config, tokenCache: temporaryDirectory(), verbose: false };
  await openConnector(options, INTERACTIVE_BUDGET, environment);
  expect(JSON.stringify(messages())).toMatch(
    isWrong ? /token_cache.*contains no tokens.*--token-cache/ : /^\[\]$/,
  );
});

test.each(['~/tokens', '~', '$HOME/tokens', '${CACHE}/tokens', '%APPDATA%\\tokens'])(
  'a directory for tokens that no shell has completed is refused: %s',
  async (path) => {
    const config = temporaryFile('{}');
    const options = { config, tokenCache: path, verbose: false };
    const { environment } = collect();
    const message = (name: string) => ({
      code: 'USAGE',
      message: `${name} is ${JSON.stringify(path)}: it contains ~ or a variable, which only a shell replaces, and not everywhere: write the whole path.`,
    });
    await expect(openConnector(options, INTERACTIVE_BUDGET, environment)).rejects.toMatchObject(
      message('--token-cache'),
    );
    vi.stubEnv('SOURCE_TRAILER_DATA_CACHE', path);
    try {
      const opening = openConnector({ ...options, tokenCache: null }, INTERACTIVE_BUDGET, environment);
      await expect(opening).rejects.toMatchObject(message('SOURCE_TRAILER_DATA_CACHE'));
    } finally {
      vi.unstubAllEnvs();
    }
  },
);
