import { describe, expect, test } from 'vitest';
import type { OptionsPatch } from '../../sandbox/client.ts';
import { errors, statuses } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';
import type { Command } from '../../support/test-bed.ts';

const bed = useTestBed();
const credentials = { clientId: 'sandbox-client', clientSecret: 'sandbox-secret' };

describe.concurrent('the kinds of token: one request per audience and process', () => {
  const scoped = { kind: 'scoped', scopes: ['UMAPI', 'AMAPI'] };
  const bare: OptionsPatch = { tokenFormat: 'opaque', expiresInUnit: 'absent', tokenType: '' };
  const own: OptionsPatch = { audiences: { assets: 'XAPI', alarms: 'YAPI' }, tokenSuccessStatus: 201 };
  test.concurrent.each<[string, Command, object | undefined, OptionsPatch, object[]]>([
    ['none named, a token that tells nothing of itself', 'read', undefined, bare, [{ audience: 'API' }]],
    ['general', 'discover', { kind: 'general' }, {}, [{ audience: 'API' }]],
    ['scoped', 'read', scoped, {}, [{ audience: 'API', scopes: ['UMAPI', 'AMAPI'] }]],
    ['module', 'check', { kind: 'module' }, {}, [{ audience: 'AMAPI' }, { audience: 'UMAPI' }]],
    [
      'module, other audiences',
      'read',
      { kind: 'module' },
      own,
      [{ audience: 'XAPI' }, { audience: 'YAPI' }],
    ],
  ])('%s: %s', async (_, command, token, options, asked) => {
    const world = await bed.world({ assets: 60, alarms: 60, options });
    const run = await world.run(command, { config: { ...world.config, token } });
    expect(run.code).toBe(0);
    const requests = await world.tokenRequests();
    expect(new Set(requests.map(({ status }) => status))).toStrictEqual(
      new Set([options.tokenSuccessStatus ?? 200]),
    );
    // two streams ask side by side
    const bodies = requests.map(({ body }) => JSON.parse(body) as { audience: string });
    expect(bodies.toSorted((one, other) => one.audience.localeCompare(other.audience))).toStrictEqual(
      asked.map((body) => ({ ...credentials, ...body })),
    );
  });
});

test.concurrent('a token that is refused fails both streams, after one request', async () => {
  const world = await bed.world({});
  const run = await world.run('read', { config: { ...world.config, client_secret: 'not-the-one' } });
  expect(run.code).toBe(1);
  const error = { failure_type: 'config_error', message: expect.stringMatching(/sandbox-client.*API/) };
  expect(errors(run)).toMatchObject([error, error]);
  for (const stream of ['assets', 'alarms'])
    expect(statuses(run, stream)).toStrictEqual(['STARTED', 'INCOMPLETE']);
  expect(await world.tokenRequests()).toHaveLength(1);
});
