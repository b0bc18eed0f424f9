import { describe, expect, test } from 'vitest';

import { useTestBed } from '../../support/test-bed.ts';
import type { Run } from '../../support/run-connector.ts';
import { announcedConfigs } from './token-fleet.ts';

const bed = useTestBed();
const nowhere = { SOURCE_TRAILER_DATA_CACHE: '/dev/null/token-cache' };

function types(run: Run): string[] {
  return [...new Set(run.messages.map(({ type }) => type))];
}

describe.concurrent('CONTROL: the config as the place where tokens live on', () => {
  test.concurrent(
    'it holds the whole config as it was written, and what is kept, before the first record',
    async () => {
      const world = await bed.world({ assets: 5, alarms: 5 });
      const config = { ...world.config, token_cache: '', _of_the_platform: [1, 2] };
      const run = await world.run('read', { config });
      const [announced, ...more] = announcedConfigs(run) as { token_cache: string }[];
      expect(more).toStrictEqual([]);
      expect({ ...announced, token_cache: '' }).toStrictEqual(config);
      expect(announced?.token_cache).not.toContain(world.config.client_secret);
      expect(types(run).indexOf('CONTROL')).toBeLessThan(types(run).indexOf('RECORD'));
      expect(types(run).indexOf('CONTROL')).toBeGreaterThanOrEqual(0);

      const next = await world.run('read', { config: announced ?? {}, env: nowhere });
      expect(next.code).toBe(0);
      expect(announcedConfigs(next)).toStrictEqual([]);
      expect(await world.tokenRequests()).toHaveLength(1);
    },
  );

  test.concurrent.each<[when: string, env: Record<string, string>, keys: object, announced: number]>([
    ['the config has the key', {}, { token_cache: '' }, 1],
    ['the key holds what is damaged', {}, { token_cache: '{"version":1' }, 1],
    ['a platform runs it', { WORKER_JOB_ID: '17' }, {}, 1],
    ['a platform deploys it', { DEPLOYMENT_MODE: 'oss' }, {}, 1],
    ['no folder can be written', nowhere, {}, 1],
    ['a person runs it', { WORKER_JOB_ID: '' }, {}, 0],
  ])('sent or not: %s', async (_, env, keys, announced) => {
    const world = await bed.world({ assets: 1, alarms: 1 });
    const run = await world.run('check', { config: { ...world.config, ...keys }, env });
    expect(run.code).toBe(0);
    expect(announcedConfigs(run)).toHaveLength(announced);
  });

  test.concurrent('what was kept for one credential is never used for another', async () => {
    const [world, other] = await Promise.all([
      bed.world({ assets: 1, alarms: 1 }),
      bed.world({ assets: 1, alarms: 1 }),
    ]);
    const run = await world.run('check', { config: { ...world.config, token_cache: '' } });
    const { token_cache } = announcedConfigs(run)[0] as { token_cache: string };
    const strange = await other.run('check', { config: { ...other.config, token_cache }, env: nowhere });
    expect(strange.messages).toContainEqual(
      expect.objectContaining({
        connectionStatus: expect.objectContaining({ status: 'SUCCEEDED' }) as unknown,
      }),
    );
    expect(await other.tokenRequests()).toHaveLength(1);

    const wrong = { ...world.config, token_cache, client_secret: 'not-the-one' };
    const refused = await world.run('check', { config: wrong, env: nowhere });
    expect(refused.messages).toContainEqual(
      expect.objectContaining({ connectionStatus: expect.objectContaining({ status: 'FAILED' }) as unknown }),
    );
  });
});
