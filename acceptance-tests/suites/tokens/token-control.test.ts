import { describe, expect, test } from 'vitest';
import { useTestBed } from '../../support/test-bed.ts';
import { announcedConfigs } from './token-fleet.ts';

const bed = useTestBed();
const nowhere = { SOURCE_TRAILER_DATA_CACHE: '/dev/null/token-cache' };

describe.concurrent('CONTROL: the config as the place where tokens live on', () => {
  test.concurrent('it holds the whole config, and what is kept, before the first record', async () => {
    const world = await bed.world({ assets: 5, alarms: 5 });
    const config = { ...world.config, token_cache: '', _of_the_platform: [1, 2] };
    const run = await world.run('read', { config });
    const [announced, ...more] = announcedConfigs(run) as { token_cache: string }[];
    expect(more).toStrictEqual([]);
    expect({ ...announced, token_cache: '' }).toStrictEqual(config);
    expect(announced?.token_cache).not.toContain(world.config.client_secret);
    const types = run.messages.map(({ type }) => type).filter((type) => /CONTROL|RECORD/.test(type));
    expect(types[0]).toBe('CONTROL');

    const next = await world.run('read', { config: announced ?? {}, env: nowhere });
    expect(next.code).toBe(0);
    expect(announcedConfigs(next)).toStrictEqual([]);
    expect(await world.tokenRequests()).toHaveLength(1);
  });

  test.concurrent.each<[when: string, env: Record<string, string>, keys: object, announced: number]>([
    ['the config has the key', {}, { token_cache: '' }, 1],
    ['the key holds what is damaged', {}, { token_cache: '{"version":1' }, 1],
    ['a platform runs it', { WORKER_JOB_ID: '17' }, {}, 1],
    ['a platform deploys it', { DEPLOYMENT_MODE: 'oss' }, {}, 1],
    ['no folder can be written', nowhere, {}, 1],
    ['nobody has a home', { HOME: '', SOURCE_TRAILER_DATA_CACHE: '' }, {}, 1],
    ['a person runs it', { WORKER_JOB_ID: '' }, {}, 0],
  ])('sent or not: %s', async (_, env, keys, announced) => {
    const world = await bed.world({ assets: 1, alarms: 1 });
    const run = await world.run('check', { config: { ...world.config, ...keys }, env });
    expect(run.code).toBe(0);
    expect(announcedConfigs(run)).toHaveLength(announced);
  });
});
