import { expect, test } from 'vitest';
import { firstOf } from '../../../src/property-runs.test-support.ts';
import type { OptionsPatch } from '../../sandbox/client.ts';
import { fastTime } from '../../support/fast-time.ts';
import { announcedConfigs, errors, statuses } from '../../support/run-views.ts';
import { useTestBed, type Command } from '../../support/test-bed.ts';

const bed = useTestBed();
const credentials = { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' };
const nowhere = { SOURCE_TRAILER_DATA_CACHE: '/dev/null/token-cache' };

const byModule = { kind: 'module' };
const scoped = { kind: 'scoped', scopes: ['UMAPI', 'AMAPI'] };
const bare: OptionsPatch = { tokenFormat: 'opaque', expiresInUnit: 'absent', tokenType: '' };
const own: OptionsPatch = { audiences: { assets: 'XAPI', alarms: 'YAPI' }, tokenSuccessStatus: 201 };
test.concurrent.each<[Command, object | null, OptionsPatch, asked: object[]]>(
  firstOf(2, [
    ['read', scoped, {}, [{ audience: 'API', scopes: ['UMAPI', 'AMAPI'] }]],
    ['check', byModule, {}, [{ audience: 'AMAPI' }, { audience: 'UMAPI' }]],
    ['read', null, bare, [{ audience: 'API' }]],
    ['discover', { kind: 'general' }, {}, [{ audience: 'API' }]],
    ['read', byModule, own, [{ audience: 'XAPI' }, { audience: 'YAPI' }]],
  ]),
)('%s, one token per audience: %j, API %j', async (command, token, options, asked) => {
  const world = await bed.world({ assets: 60, alarms: 60, options });
  const run = await world.run(command, { config: { ...world.config, token } });
  expect(run.code).toBe(0);
  const requests = await world.tokenRequests();
  const success = options.tokenSuccessStatus ?? 200;
  expect(requests.filter(({ status }) => status !== success)).toStrictEqual([]);
  // two streams request tokens at the same time
  const bodies = requests.map(({ body }) => JSON.parse(body) as { audience: string });
  expect(bodies.toSorted((one, other) => one.audience.localeCompare(other.audience))).toStrictEqual(
    asked.map((body) => ({ ...credentials, ...body })),
  );
});

test.concurrent('rejected credentials fail both streams after one request', async () => {
  const world = await bed.world({});
  const run = await world.run('read', { config: { ...world.config, client_secret: 'not-the-one' } });
  expect(run.code).toBe(1);
  const error = { failure_type: 'config_error', message: expect.stringMatching(/sandbox-client.*API/) };
  expect(errors(run)).toMatchObject([error, error]);
  for (const stream of ['assets', 'alarms'])
    expect(statuses(run, stream)).toStrictEqual(['STARTED', 'INCOMPLETE']);
  expect(await world.tokenRequests()).toHaveLength(1);
});

test.concurrent('CONTROL contains the whole config and the token, before the first record', async () => {
  const world = await bed.world({ assets: 5, alarms: 5 });
  const config = { ...world.config, token_cache: '', _of_the_platform: [1, 2] };
  const run = await world.run('read', { config });
  const [announced, ...more] = announcedConfigs(run) as { token_cache: string }[];
  expect(more).toStrictEqual([]);
  expect({ ...announced, token_cache: '' }).toStrictEqual(config);
  expect(announced?.token_cache).not.toContain(world.config.client_secret);
  expect(run.messages.find(({ type }) => /CONTROL|RECORD/.test(type))?.type).toBe('CONTROL');

  const next = await world.run('read', { config: announced ?? {}, env: nowhere });
  expect(next.code).toBe(0);
  expect(announcedConfigs(next)).toStrictEqual([]);
  expect(await world.tokenRequests()).toHaveLength(1);
});

test.concurrent.each<[when: string, env: Record<string, string>, keys: object, announced: number]>(
  firstOf(2, [
    ['a platform runs it', { WORKER_JOB_ID: '17' }, {}, 1],
    ['a general name is set', { DEPLOYMENT_MODE: 'production', OPERATION_TYPE: 'batch' }, {}, 0],
    ['no folder is writable', nowhere, {}, 0],
    ['no folder is writable, and the config asks for it', nowhere, { token_cache: '' }, 1],
    ['the config has the key', {}, { token_cache: '' }, 1],
    ['the key is damaged', {}, { token_cache: '{"version":1' }, 1],
    ['a platform names its image', { WORKER_CONNECTOR_IMAGE: 'source-trailer-data:0.2.0' }, {}, 1],
    ['there is no home', { HOME: '', SOURCE_TRAILER_DATA_CACHE: '' }, {}, 0],
    ['a person runs it', { WORKER_JOB_ID: '' }, {}, 0],
  ]),
)('whether CONTROL is sent: %s', async (_, env, keys, announced) => {
  const world = await bed.world({ assets: 1, alarms: 1 });
  const run = await world.run('check', { config: { ...world.config, ...keys }, env });
  expect(run.code).toBe(0);
  expect(announcedConfigs(run)).toHaveLength(announced);
});

test.concurrent('a short wait for the issuance limit is reported as a rate limit', async () => {
  const world = await bed.world({ assets: 20, alarms: 20, options: { retryAfter: 'seconds' } });
  // another program with the same credential has used up the limit
  const body = JSON.stringify({ ...credentials, audience: 'API' });
  for (let taken = 0; taken < 15; taken++) await fetch(world.config.auth_url, { method: 'POST', body });
  await world.advanceClock(24 * 3600 - 300);
  let isTold = false;
  const run = await world.run('read', {
    env: fastTime(100),
    onLine: async ({ bytes }) => {
      if (isTold || !bytes.includes('RATE_LIMITED')) return;
      isTold = true;
      await world.advanceClock(300);
    },
  });
  expect([run.code, isTold]).toStrictEqual([0, true]);
  const resets = [...run.stdout.toString().matchAll(/"RATE_LIMITED","rate_limited":\{"quota_reset":(\d+)/g)];
  expect(resets.length).toBeGreaterThan(0);
  for (const [, reset] of resets) expect(Number(reset)).toBeGreaterThan(Date.now() - 60_000);
  await world.expectExact([run], 'assets', {});
});
