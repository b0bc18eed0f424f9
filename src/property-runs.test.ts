import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import config from '../vitest.config.ts';
import { isLong, propertySeed } from './property-runs.test-support.ts';

const REPOSITORY = join(import.meta.dirname, '..');
const SETUP = 'src/property-runs.test-support.ts';

function drawn(): readonly number[] {
  const values: number[] = [];
  fc.assert(fc.property(fc.integer(), (value) => void values.push(value)));
  return values;
}

test('each run of npm test draws the same cases', () => {
  expect(propertySeed({})).toBe(propertySeed({}));
  expect(fc.readConfigureGlobal().seed).toBeTypeOf('number');
  expect(drawn()).toStrictEqual(drawn());
});

test('the project `long` draws new cases, and a given seed replays them', () => {
  const seeds = Array.from({ length: 10 }, () => propertySeed({ TEST_LENGTH: 'long' }));
  expect(new Set(seeds).size).toBeGreaterThan(1);
  expect(propertySeed({ TEST_LENGTH: 'long', PROPERTY_SEED: '-7' })).toBe(-7);
  expect(propertySeed({ PROPERTY_SEED: '-7' })).toBe(-7);
});

test('a failure says how to replay it', () => {
  const replay = `PROPERTY_SEED=${fc.readConfigureGlobal().seed} npx vitest run --project ${isLong ? 'long' : 'unit'} src/property-runs.test.ts`;
  expect(() => fc.assert(fc.property(fc.nat(), (value) => value < 5))).toThrow(replay);
});

test('every project whose tests draw cases uses these settings', () => {
  const { scripts } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const names = [...(scripts['test'] ?? '').matchAll(/--project (\w+)/g)].map(([, name]) => name);
  expect(names).toStrictEqual(['unit', 'acceptance']);
  const settings = (config.test?.projects ?? []).map((project) => {
    const { name, setupFiles, env } = Object(Object(project).test) as Record<string, unknown>;
    return { name, setupFiles, env };
  });
  for (const name of names) expect(settings).toContainEqual({ name, setupFiles: [SETUP], env: undefined });
  expect(settings.find(({ name }) => name === 'long')?.setupFiles).toStrictEqual([SETUP]);
});

test('nothing else in a test is left to chance, except where only new seeds are run', () => {
  const files = ['src', 'acceptance-tests', 'deploy'].flatMap((folder) =>
    readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: 'utf8' }).map(
      (file) => `${folder}/${file}`,
    ),
  );
  const tests = files.filter((file) =>
    /\.(test|test-support|fake)\.ts$|^acceptance-tests\/.*\.ts$/.test(file),
  );
  const drawing = tests.filter((file) =>
    /\bMath\.random\(|\bconfigureGlobal\(/.test(readFileSync(join(REPOSITORY, file), 'utf8')),
  );
  expect(drawing.toSorted()).toStrictEqual([
    // draws new seeds in the project `long` alone
    'acceptance-tests/simulation/seeds.test.ts',
    'acceptance-tests/stress/crash/crash.test.ts',
    'acceptance-tests/stress/soak.ts',
    SETUP,
  ]);
});
