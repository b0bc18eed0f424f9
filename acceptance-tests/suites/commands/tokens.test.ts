import { describe, expect, test } from 'vitest';
import type { OptionsPatch } from '../../sandbox/client.ts';
import { errors, rowSet, statuses } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';
import type { Command, TestWorld } from '../../support/test-bed.ts';

const bed = useTestBed();
const credentials = { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' };

/** The bodies in the order of their audiences: two streams ask side by side. */
async function bodies(world: TestWorld): Promise<unknown[]> {
  return (await world.tokenRequests())
    .map(({ body }) => JSON.parse(body) as { audience: string })
    .toSorted((a, b) => a.audience.localeCompare(b.audience));
}

describe.concurrent('the variants of a token: one request per audience and process', () => {
  test.concurrent.each<[string, Command, object, object[]]>([
    ['general, by default', 'read', {}, [{ audience: 'API' }]],
    ['general', 'check', { token: { kind: 'general' } }, [{ audience: 'API' }]],
    ['general', 'discover', { token: { kind: 'general' } }, [{ audience: 'API' }]],
    [
      'scoped',
      'read',
      { token: { kind: 'scoped', scopes: ['UMAPI', 'AMAPI'] } },
      [{ audience: 'API', scopes: ['UMAPI', 'AMAPI'] }],
    ],
    [
      'scoped',
      'check',
      { token: { kind: 'scoped', scopes: ['AMAPI', 'UMAPI'] } },
      [{ audience: 'API', scopes: ['AMAPI', 'UMAPI'] }],
    ],
    ['module', 'read', { token: { kind: 'module' } }, [{ audience: 'AMAPI' }, { audience: 'UMAPI' }]],
    ['module', 'check', { token: { kind: 'module' } }, [{ audience: 'AMAPI' }, { audience: 'UMAPI' }]],
    ['module', 'discover', { token: { kind: 'module' } }, [{ audience: 'AMAPI' }, { audience: 'UMAPI' }]],
  ])('%s, %s', async (_, command, token, asked) => {
    const world = await bed.world({ assets: 60, alarms: 60 });
    const run = await world.run(command, { config: { ...world.config, ...token } });
    expect(run.code).toBe(0);
    expect(await bodies(world)).toStrictEqual(asked.map((body) => ({ ...credentials, ...body })));
    for (const { status } of await world.tokenRequests()) expect(status).toBe(200);
    if (command !== 'read') return;
    const truth = await world.groundTruth();
    expect(rowSet(run, 'assets')).toStrictEqual(truth.assets);
    expect(rowSet(run, 'alarms')).toStrictEqual(truth.alarms);
  });

  test.concurrent('module, with an audience of its own for each stream', async () => {
    const world = await bed.world({ options: { audiences: { assets: 'XAPI', alarms: 'YAPI' } } });
    const run = await world.run('read', { config: { ...world.config, token: { kind: 'module' } } });
    expect(run.code).toBe(0);
    expect(await bodies(world)).toMatchObject([{ audience: 'XAPI' }, { audience: 'YAPI' }]);
  });

  test.concurrent('module, for one stream only: one token', async () => {
    const world = await bed.world({});
    const { assets: _left, ...config } = world.config;
    await world.run('read', { config: { ...config, token: { kind: 'module' } } });
    expect(await bodies(world)).toMatchObject([{ audience: 'UMAPI' }]);
  });
});

describe.concurrent('the answer of the token endpoint is read tolerantly', () => {
  test.concurrent.each<[string, OptionsPatch]>([
    ['an opaque token', { tokenFormat: 'opaque' }],
    ['expiresIn in minutes', { tokenFormat: 'opaque', expiresInUnit: 'minutes' }],
    ['expires_in, in hours', { tokenFormat: 'opaque', expiresInUnit: 'hours', expiresInField: 'expires_in' }],
    [
      'expriesIn, in milliseconds',
      { tokenFormat: 'opaque', expiresInUnit: 'milliseconds', expiresInField: 'expriesIn' },
    ],
    ['no expiresIn, no tokenType', { tokenFormat: 'opaque', expiresInUnit: 'absent', tokenType: '' }],
    ['status 201, another tokenType', { tokenSuccessStatus: 201, tokenType: 'mac' }],
  ])('%s', async (_, options) => {
    const world = await bed.world({ assets: 30, alarms: 30, options });
    const run = await world.run('read', {});
    expect(run.code).toBe(0);
    expect(rowSet(run, 'assets')).toStrictEqual((await world.groundTruth()).assets);
    expect(await world.tokenRequests()).toHaveLength(1);
  });
});

describe.concurrent('a token that is refused', () => {
  test.concurrent.each([400, 401, 403])(
    'with %i: config_error for both streams, one request',
    async (status) => {
      const world = await bed.world({ options: { errorStatus: { badCredentials: status } } });
      const run = await world.run('read', { config: { ...world.config, client_secret: 'not-the-one' } });
      expect(run.code).toBe(1);
      expect(errors(run)).toHaveLength(2);
      for (const error of errors(run)) {
        expect(error.failure_type).toBe('config_error');
        expect(error.message).toMatch(/sandbox-client.*API/);
      }
      expect(statuses(run, 'assets')).toStrictEqual(['STARTED', 'INCOMPLETE']);
      expect(statuses(run, 'alarms')).toStrictEqual(['STARTED', 'INCOMPLETE']);
      expect(await world.tokenRequests()).toHaveLength(1);
    },
  );
});
