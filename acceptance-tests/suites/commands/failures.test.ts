import { describe, expect, test } from 'vitest';
import type { OptionsPatch } from '../../sandbox/client.ts';
import { catalogOf } from '../../support/catalogs.ts';
import { compareRuns, exact } from '../../support/compare-rows.ts';
import { fastTime } from '../../support/fast-time.ts';
import { errors, logs, states, statuses } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';
import type { TestWorld } from '../../support/test-bed.ts';

const bed = useTestBed();
const other = { assets: 'alarms', alarms: 'assets' } as const;
type Config = TestWorld['config'];

/** A reason for one stream to fail: options of the API, a change of the config. */
interface Case {
  readonly title: string;
  readonly stream: keyof typeof other;
  readonly options?: OptionsPatch;
  readonly config?: (config: Config) => object;
  readonly words: RegExp;
  /** Where it is no fault of the config. */
  readonly isTransient?: true;
  /** Requests to the list. */
  readonly requests: number;
}

const cases: Case[] = [
  {
    title: 'permission missing',
    stream: 'assets',
    options: { permissions: { assets: false } },
    words: /^assets: permission missing.*privileged user/,
    requests: 1,
  },
  {
    title: 'product not bought, an error without a body',
    stream: 'alarms',
    options: { products: { UMAPI: false }, errorBody: 'empty' },
    words: /^alarms: permission missing or product not bought/,
    requests: 1,
  },
  {
    title: 'an error as text',
    stream: 'alarms',
    options: { permissions: { alarms: false }, errorBody: 'text' },
    words: /^alarms: a gateway or firewall .*permission missing.*the integrator lacks the permission/,
    requests: 1,
  },
  {
    title: 'a wrong base_url',
    stream: 'assets',
    config: (config) => ({ assets: { ...config.assets, base_url: `${config.assets.base_url}/v2` } }),
    words: /\(404\).*assets\.base_url is probably wrong.*\/asset-api\/v2/,
    requests: 0,
  },
  {
    title: 'a token for its module is refused',
    stream: 'alarms',
    config: (config) => ({ token: { kind: 'module' }, alarms: { ...config.alarms, audience: 'ZAPI' } }),
    words: /refused \(400\).*ZAPI/,
    requests: 0,
  },
  {
    title: '401 on a fresh token',
    stream: 'alarms',
    options: { errorStatus: { moduleMissing: 401 } },
    config: () => ({ token: { kind: 'scoped', scopes: ['AMAPI'] } }),
    words: /^alarms: .*fresh token.*API limited to AMAPI \(401\)/,
    requests: 1,
  },
  {
    title: 'a server that ignores the offset',
    stream: 'assets',
    options: { assetsPagination: { offset: 'wrong' } },
    words: /6 attempts.*the page is at offset 1, asked for was 0/,
    isTransient: true,
    requests: 6,
  },
  {
    title: 'every page size is refused',
    stream: 'assets',
    options: { assetsLimitRefusedAbove: 1 },
    words: /limit=500&offset=0.*limit: at most 1/,
    requests: 8,
  },
  {
    title: 'a start date in a form that the server refuses',
    stream: 'alarms',
    options: { createdFormat: 'epochSeconds', createdSinceStrict: true },
    config: (config) => ({ alarms: { ...config.alarms, start_date: '2025-06-01T00:00:00Z' } }),
    words: /createdSince=2025-0/,
    requests: 1,
  },
];

describe.concurrent('one stream fails, and the other one is complete', () => {
  test.concurrent.each(cases)('$title', async (one) => {
    const { stream, options = {}, config = () => ({}) } = one;
    const world = await bed.world({ assets: 30, alarms: 30, options });
    const run = await world.run('read', {
      config: { ...world.config, ...config(world.config) },
      env: fastTime(50),
    });
    expect(run.code).toBe(1);
    const failure_type = one.isTransient === true ? 'transient_error' : 'config_error';
    expect(errors(run)).toMatchObject([{ failure_type, stream_descriptor: { name: stream } }]);
    expect(errors(run)[0]?.message).toMatch(one.words);
    expect(statuses(run, stream)).toStrictEqual(['STARTED', 'INCOMPLETE']);
    expect(states(run, stream)).toStrictEqual([]);
    expect((await world.requests()).endpoints[stream].count).toBe(one.requests);
    expect(logs(run, 'INFO').at(-1)).toContain(`${stream} 0 rows (incomplete)`);
    expect(statuses(run, other[stream])).toStrictEqual(['STARTED', 'RUNNING', 'COMPLETE']);
    expect(await compareRuns([run], world, other[stream], {})).toStrictEqual(exact);
  });
});

test.concurrent('discover fails as a whole, rather than dropping columns', async () => {
  const world = await bed.world({ options: { permissions: { alarms: false } } });
  const run = await world.run('discover', {});
  expect(run.code).toBe(1);
  expect(errors(run)).toMatchObject([
    { failure_type: 'config_error', message: expect.stringMatching(/^alarms: permission missing/) },
  ]);
});

describe.concurrent('without created times alarms can be read in full only', () => {
  test.concurrent.each<[string, object, OptionsPatch, RegExp]>([
    ['in the created_field', { created_field: 'raised' }, {}, /"raised".*: "createdDate"/],
    ['in any field', {}, { alarmsCreatedMissingEvery: 1 }, /Read alarms with full_refresh\.$/],
  ])('%s', async (_, change, options, words) => {
    const world = await bed.world({ alarms: 50, options });
    const config = { ...world.config, alarms: { ...world.config.alarms, ...change } };
    const refused = await world.run('read', { config, catalog: catalogOf({ alarms: 'incremental' }) });
    expect(refused.code).toBe(1);
    expect(errors(refused)).toMatchObject([{ failure_type: 'config_error' }]);
    expect(errors(refused)[0]?.message).toMatch(words);
    expect(statuses(refused, 'alarms')).toStrictEqual(['STARTED', 'INCOMPLETE']);
    const full = await world.run('read', { config, catalog: catalogOf({ alarms: 'full_refresh' }) });
    expect(full.code).toBe(0);
    expect(await compareRuns([full], world, 'alarms', {})).toStrictEqual(exact);
  });
});
