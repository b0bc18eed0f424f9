import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../src/config/temporary-file.test-support.ts';
import { announcedConfigs, verdict } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';

/** 100 in `.ci/run`. */
const processes = Number(process.env['TOKEN_PROCESSES'] ?? 12);
const bed = useTestBed();

const general = { kind: 'general' };
const scoped = { kind: 'scoped', scopes: ['AMAPI', 'UMAPI'] };
const byModule = { kind: 'module' };

/** A token of 24 hours is used for 21.6 hours, or 44 half hours; one of an hour for 54 minutes, or two half hours per module. */
const perDay = Math.ceil(processes / 44);
const perHour = 2 * Math.ceil(processes / 2);

/** Processes that run `check` with one credential, in batches. */
interface Fleet {
  readonly processes: number;
  readonly atOnce: number;
  readonly everySeconds: number;
}

const halfHourly: Fleet = { processes, atOnce: 1, everySeconds: 1800 };
const minutely: Fleet = { processes: 18, atOnce: 1, everySeconds: 60 };
const atOnce: Fleet = { processes: 20, atOnce: 20, everySeconds: 0 };

test.each<[token: object, Fleet, keeping: 'file' | 'config' | 'nowhere', figures: object]>([
  [general, halfHourly, 'file', { issued: perDay }],
  [scoped, halfHourly, 'file', { issued: perDay }],
  [byModule, halfHourly, 'file', { issued: perHour }],
  [general, halfHourly, 'config', { issued: perDay, announced: perDay }],
  [scoped, halfHourly, 'config', { issued: perDay, announced: perDay }],
  [byModule, halfHourly, 'config', { issued: perHour, announced: perHour }],
  // one requests it, the others wait
  [general, atOnce, 'file', { issued: 1 }],
  [scoped, atOnce, 'file', { issued: 1 }],
  [byModule, atOnce, 'file', { issued: 2 }],
  // they do not know about each other: as many succeed as the limit allows, and the others fail clearly
  [general, minutely, 'nowhere', { issued: 15, refused: 3, failed: 3 }],
  [general, atOnce, 'config', { issued: 15, refused: 5, failed: 5, announced: 15 }],
])('%j for %j, kept in %s: %j', async (token, fleet, keeping, figures) => {
  const world = await bed.world({ assets: 1, alarms: 1 });
  const folder = temporaryDirectory();
  const env = {
    NODE_OPTIONS: `--import=${new URL('shifted-clock.mjs', import.meta.url).href}`,
    CLOCK_FILE: join(folder, 'clock'),
    // the second folder cannot be created by any user
    SOURCE_TRAILER_DATA_CACHE: keeping === 'file' ? join(folder, 'cache') : '/dev/null/token-cache',
  };
  // a token is announced where the config asks for it
  const asked = keeping === 'config' ? { token_cache: '' } : {};
  let config: object = { ...world.config, token, ...asked };
  let [failed, announced] = [0, 0];
  for (let started = 0; started < fleet.processes; started += fleet.atOnce) {
    const batches = started / fleet.atOnce;
    writeFileSync(env.CLOCK_FILE, String(batches * fleet.everySeconds * 1000));
    if (batches > 0) await world.advanceClock(fleet.everySeconds);
    const batch = Array.from({ length: fleet.atOnce }, () => world.run('check', { config, env }));
    for (const run of await Promise.all(batch)) {
      const configs = announcedConfigs(run);
      announced += configs.length;
      if (keeping === 'config') config = configs.at(-1) ?? config;
      if (verdict(run).status !== 'SUCCEEDED') failed++;
    }
  }
  const { issued, refused } = (await world.requests()).tokens;
  const wanted = { refused: 0, failed: 0, announced: 0, ...figures };
  expect({ issued, refused, failed, announced }).toStrictEqual(wanted);
});
