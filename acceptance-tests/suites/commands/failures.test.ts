import { describe, expect, test } from 'vitest';
import type { OptionsPatch } from '../../sandbox/client.ts';
import { errors, logs, rowSet, states, statuses } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';

const bed = useTestBed();
const other = { assets: 'alarms', alarms: 'assets' } as const;

describe.concurrent('one stream fails, the other one is complete', () => {
  test.concurrent.each<[string, keyof typeof other, OptionsPatch, RegExp]>([
    [
      'permission missing',
      'assets',
      { permissions: { assets: false } },
      /assets: permission missing.*privileged user/,
    ],
    [
      'permission missing',
      'alarms',
      { permissions: { alarms: false } },
      /alarms: permission missing.*privileged user/,
    ],
    ['product not bought', 'assets', { products: { AMAPI: false } }, /assets: .*product not bought/],
    ['product not bought', 'alarms', { products: { UMAPI: false } }, /alarms: .*product not bought/],
    [
      'an error without a body',
      'alarms',
      { permissions: { alarms: false }, errorBody: 'empty' },
      /alarms: permission missing/,
    ],
    [
      'an error as text',
      'alarms',
      { permissions: { alarms: false }, errorBody: 'text' },
      /alarms: a gateway or firewall .*permission missing.*the integrator lacks the permission/,
    ],
  ])('%s, %s', async (_, stream, options, words) => {
    const world = await bed.world({ assets: 30, alarms: 30, options });
    const run = await world.run('read', {});
    expect(run.code).toBe(1);
    expect(errors(run)).toHaveLength(1);
    expect(errors(run)[0]).toMatchObject({
      failure_type: 'config_error',
      stream_descriptor: { name: stream },
    });
    expect(errors(run)[0]?.message).toMatch(words);
    expect(statuses(run, stream)).toStrictEqual(['STARTED', 'INCOMPLETE']);
    expect(states(run, stream)).toStrictEqual([]);
    const { [other[stream]]: truth } = await world.groundTruth();
    expect(rowSet(run, other[stream])).toStrictEqual(truth);
    expect(statuses(run, other[stream])).toStrictEqual(['STARTED', 'RUNNING', 'COMPLETE']);
    expect((await world.requests()).endpoints[stream].count).toBe(1);
    expect(logs(run, 'INFO').at(-1)).toMatch(new RegExp(`${stream} 0 rows \\(incomplete\\)`));
  });

  test.concurrent.each(['assets', 'alarms'] as const)('a wrong base_url of %s', async (stream) => {
    const world = await bed.world({ assets: 30, alarms: 30 });
    const base_url = `${world.config[stream].base_url}/v2`;
    const config = { ...world.config, [stream]: { ...world.config[stream], base_url } };
    const run = await world.run('read', { config });
    expect(run.code).toBe(1);
    expect(errors(run)).toHaveLength(1);
    expect(errors(run)[0]).toMatchObject({
      failure_type: 'config_error',
      stream_descriptor: { name: stream },
    });
    expect(errors(run)[0]?.message).toMatch(/\(404\).*base_url is probably wrong/);
    expect(errors(run)[0]?.message).toContain(base_url);
    expect(statuses(run, other[stream]).at(-1)).toBe('COMPLETE');
  });

  test.concurrent('a module token that is refused leaves the other module alone', async () => {
    const world = await bed.world({ assets: 30, alarms: 30 });
    const alarms = { ...world.config.alarms, audience: 'ZAPI' };
    const run = await world.run('read', { config: { ...world.config, alarms, token: { kind: 'module' } } });
    expect(run.code).toBe(1);
    expect(errors(run)).toHaveLength(1);
    expect(errors(run)[0]).toMatchObject({
      failure_type: 'config_error',
      stream_descriptor: { name: 'alarms' },
    });
    expect(errors(run)[0]?.message).toMatch(/refused \(400\).*ZAPI/);
    expect(rowSet(run, 'assets')).toStrictEqual((await world.groundTruth()).assets);
  });

  test.concurrent('a token that does not open the module: 401 on a fresh token', async () => {
    const world = await bed.world({ options: { errorStatus: { moduleMissing: 401 } } });
    const token = { kind: 'scoped', scopes: ['AMAPI'] };
    const run = await world.run('read', { config: { ...world.config, token } });
    expect(run.code).toBe(1);
    expect(errors(run)[0]).toMatchObject({
      failure_type: 'config_error',
      stream_descriptor: { name: 'alarms' },
    });
    expect(errors(run)[0]?.message).toMatch(/alarms: .*fresh token.*API limited to AMAPI \(401\)/);
    expect(statuses(run, 'assets').at(-1)).toBe('COMPLETE');
  });
});

test.concurrent(
  'a server that ignores the offset fails loudly, and what it did say is in the error',
  async () => {
    const world = await bed.world({
      assets: 30,
      alarms: 0,
      options: { assetsPagination: { offset: 'wrong' } },
    });
    const run = await world.run('read', {});
    expect(run.code).toBe(1);
    expect(errors(run)).toMatchObject([
      { failure_type: 'transient_error', stream_descriptor: { name: 'assets' } },
    ]);
    expect(errors(run)[0]?.message).toMatch(/6 attempts.*the page is at offset 1, asked for was 0/);
    expect(rowSet(run, 'assets').count).toBe(0);
    expect(statuses(run, 'alarms').at(-1)).toBe('COMPLETE');
  },
);

test.concurrent('every page size is refused: what was sent is in the error', async () => {
  const world = await bed.world({ assets: 30, alarms: 0, options: { assetsLimitRefusedAbove: 1 } });
  const run = await world.run('read', {});
  expect(run.code).toBe(1);
  expect(errors(run)).toMatchObject([
    { failure_type: 'config_error', stream_descriptor: { name: 'assets' } },
  ]);
  expect(errors(run)[0]?.message).toMatch(/limit=500&offset=0.*limit: at most 1/);
});

test.concurrent('discover fails as a whole, rather than dropping columns', async () => {
  const world = await bed.world({ options: { permissions: { alarms: false } } });
  const run = await world.run('discover', {});
  expect(run.code).toBe(1);
  expect(errors(run)).toMatchObject([{ failure_type: 'config_error' }]);
  expect(errors(run)[0]?.message).toMatch(/alarms: permission missing/);
});
