import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../src/config/temporary-file.test-support.ts';
import { announcedConfigs, verdict } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';

const bed = useTestBed();
const YEAR_MS = 365 * 24 * 3_600_000;

test.each<[kind: string, keptIn: 'a file and an old config' | 'the config', issued: number]>([
  ['general', 'a file and an old config', 2],
  ['general', 'the config', 2],
  ['module', 'a file and an old config', 4],
  ['module', 'the config', 4],
])('%s tokens in %s: a clock a year ahead costs one more token each', async (kind, keptIn, issued) => {
  const world = await bed.world({ assets: 1, alarms: 1 });
  const folder = temporaryDirectory();
  const env = {
    NODE_OPTIONS: `--import=${new URL('shifted-clock.mjs', import.meta.url).href}`,
    CLOCK_FILE: join(folder, 'clock'),
    SOURCE_TRAILER_DATA_CACHE: keptIn === 'the config' ? '/dev/null/token-cache' : folder,
  };
  let config: object = { ...world.config, token: { kind }, token_cache: '' };
  for (let started = 0; started < 8; started++) {
    writeFileSync(env.CLOCK_FILE, String(started === 0 ? YEAR_MS : 0));
    const run = await world.run('check', { config, env });
    expect(verdict(run).status).toBe('SUCCEEDED');
    if (keptIn === 'the config' || started === 0) config = announcedConfigs(run).at(-1) ?? config;
  }
  expect((await world.requests()).tokens.issued).toBe(issued);
});
