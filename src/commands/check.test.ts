import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory, temporaryFile } from '../config/temporary-file.test-support.ts';
import { runCheck } from './check.ts';
import { collect, startService, type FakeService } from './fake-service.test-support.ts';

function configFor({ address }: FakeService, changes: object): string {
  return temporaryFile(
    JSON.stringify({
      auth_url: `${address}/token`,
      client_id: 'me',
      client_secret: 'canary-secret',
      assets: { base_url: address },
      alarms: { base_url: address },
      ...changes,
    }),
  );
}

async function check(path: string): Promise<readonly Record<string, unknown>[]> {
  const { environment, messages, shown } = collect();
  expect(
    await runCheck({ config: path, tokenCache: temporaryDirectory(), verbose: false }, environment),
  ).toBe(0);
  expect(JSON.stringify(messages())).not.toContain('canary');
  expect(shown()).toBe('');
  return messages();
}

/** The messages that `check --verbose` logs. */
async function logOf(config: string, tokenCache: string): Promise<string> {
  const { environment, messages } = collect();
  await runCheck({ config, tokenCache, verbose: true }, environment);
  const logged = messages().flatMap(({ log }) => (log === undefined ? [] : [log as { message: string }]));
  return logged.map(({ message }) => message).join('\n');
}

function status(verdict: 'SUCCEEDED' | 'FAILED', message: string): object {
  return { type: 'CONNECTION_STATUS', connectionStatus: { status: verdict, message } };
}

test('one line for each stream that can be read', async () => {
  expect(await check(configFor(await startService({}), {}))).toStrictEqual([
    status(
      'SUCCEEDED',
      'assets: ok (12,345 rows)\nalarms: ok. Note: the stream has no primary key. If a destination must keep one version of each row, ' +
        'set alarms.id_field, for example to "alarmId". Note: createdSince was not checked: there are fewer than 3 rows with a time.',
    ),
  ]);
});

test('FAILED if one stream cannot be read, with the result of each', async () => {
  const service = await startService({ alarms: (response) => response.writeHead(403).end() });
  expect(await check(configFor(service, {}))).toStrictEqual([
    status(
      'FAILED',
      'assets: ok (12,345 rows)\nalarms: the permission is missing or the product was not bought (403), for audience "API" (token.kind). A privileged user in the ' +
        'customer organization must grant the integrator the permission for alarms. The organization must have ' +
        'bought the product.',
    ),
  ]);
});

test('rejected credentials are reported once, and no list is requested', async () => {
  const service = await startService({
    token: (response) => response.writeHead(401).end('canary-secret is wrong'),
  });
  const [message] = await check(configFor(service, {}));
  expect(message).toMatchObject({
    connectionStatus: {
      status: 'FAILED',
      message: expect.stringMatching(/^auth_url: [^\n]+\*{6} is wrong$/),
    },
  });
  expect(service.requests).toStrictEqual(['POST /token']);
});

test('an invalid or missing config is FAILED', async () => {
  const service = await startService({});
  expect(await check(configFor(service, { concurrency: 0 }))).toMatchObject([
    {
      connectionStatus: {
        status: 'FAILED',
        message: expect.stringMatching(/: "concurrency" must be at least 1\.$/),
      },
    },
  ]);
  expect(await check(join(temporaryDirectory(), 'none'))).toMatchObject([
    { connectionStatus: { status: 'FAILED', message: expect.stringMatching(/: there is no such file\.$/) } },
  ]);
  expect(service.requests).toStrictEqual([]);
});

test('unknown keys are reported in a WARN with their paths', async () => {
  const path = configFor(await startService({}), { page_size: 5, _mark: 1 });
  expect((await check(path))[0]).toStrictEqual({
    type: 'LOG',
    log: {
      level: 'WARN',
      message: `config ${path}: ignoring unknown keys: "page_size" (it belongs inside a list, such as "assets")`,
    },
  });
});

test.each([
  [{ alarm: {}, alarms: undefined }, '"alarm" (did you mean "alarms"?)'],
  [{ list: [] }, '"list" (did you mean "lists"?)'],
])('FAILED if a key most likely means a list, which is not read: %j', async (keys, named) => {
  const path = configFor(await startService({}), keys);
  const [, result] = await check(path);
  expect(result).toMatchObject({ connectionStatus: { status: 'FAILED' } });
  expect(JSON.stringify(result)).toContain(JSON.stringify(named).slice(1, -1));
});

test('a misspelled key next to the right one is only a WARN', async () => {
  const [, result] = await check(configFor(await startService({}), { alarm: {} }));
  expect(result).toMatchObject({ connectionStatus: { status: 'SUCCEEDED' } });
});

test('an internal error is not a result of the check', async () => {
  const { environment, messages } = collect();
  const fault = new TypeError('a fault of ours');
  const writer = { ...environment.writer, warn: () => Promise.reject(fault) };
  const path = configFor(await startService({}), { page_size: 5 });
  await expect(
    runCheck({ config: path, tokenCache: temporaryDirectory(), verbose: false }, { ...environment, writer }),
  ).rejects.toBe(fault);
  expect(messages()).toStrictEqual([]);
});

test('verbose: the requests and the token are logged, without secrets, before the same result', async () => {
  const service = await startService({
    alarms: (response) => response.writeHead(403).end('"canary-secret"'),
  });
  const config = configFor(service, { assets: { base_url: `${service.address}/canary-secret` } });
  const quiet = await check(config);
  const { environment, messages, shown } = collect();
  const options = { config, tokenCache: temporaryDirectory(), verbose: true };
  expect(await runCheck(options, environment)).toBe(0);
  expect(messages().at(-1)).toStrictEqual(quiet.at(-1));
  expect(shown()).toBe('');
  const text = (await logOf(config, temporaryDirectory())).replaceAll(service.address, 'ADDRESS');
  expect(text).not.toContain('canary');
  expect(text).toMatch(/^GET ADDRESS\/\*{6}\/v1\/assets\?limit=100&offset=0: 1 row of 12,345 \(\d+ ms\)$/m);
  expect(text).toMatch(/^GET ADDRESS\/v1\/alarms\?limit=100: status 403: "\*{6}" \(\d+ ms\)$/m);
  expect(text).toMatch(/^token for audience "API": newly issued, valid until \d{4}-\d\d-\d\dT[\d:.]+Z$/m);
});

test('verbose: a cached token is logged as such', async () => {
  const cache = temporaryDirectory();
  const config = configFor(await startService({}), {});
  await logOf(config, cache);
  expect(await logOf(config, cache)).toMatch(/^token for audience "API": cached, valid until \S+Z$/m);
});
