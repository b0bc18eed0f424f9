import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSpec } from '../conformance/schema.ts';
import { catalogOf } from '../../support/catalogs.ts';
import { compareRows } from '../../support/compare-rows.ts';
import { discovered, errors, recordTexts, stateArray } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';
import { breakingCatalogChanges, breakingSpecChanges } from './breaking-changes.ts';
import { contractWorld, unsampled } from './release-contract.ts';
import type { ReleaseContract } from './release-contract.ts';
import { rulesFor } from './release-rules.ts';
import { compareVersions, metadataOf, packageOf } from './versions.ts';

const bed = useTestBed();
const folder = join(import.meta.dirname, 'released');
const [released = '', ...others] = readdirSync(folder);
const { version } = packageOf();

function keptOf<K extends keyof ReleaseContract>(name: K): ReleaseContract[K] {
  return JSON.parse(readFileSync(join(folder, released, `${name}.json`), 'utf8')) as ReleaseContract[K];
}

test('one release is kept, and this version does not come before it', () => {
  expect(others).toStrictEqual([]);
  expect(compareVersions(version, released)).toBeGreaterThanOrEqual(0);
});

test('what breaks with the last release has a new major version, and is announced', async () => {
  const world = await bed.world(contractWorld);
  const run = await world.run('discover', { config: unsampled(world.config) });
  const changes = [
    ...breakingSpecChanges(keptOf('spec').connectionSpecification, readSpec().connectionSpecification),
    ...breakingCatalogChanges(keptOf('catalog').streams, discovered(run)),
  ];
  expect(rulesFor({ changes, released, version, metadata: metadataOf() })).toStrictEqual([]);
});

test.each(keptOf('states'))('a state that the last release wrote $written is taken', async ({ state }) => {
  const world = await bed.world(contractWorld);
  const mark = await world.mark();
  await world.arrive('alarms', { count: 5 });
  const catalog = catalogOf({ assets: 'full_refresh', alarms: 'incremental' });
  const resumed = await world.run('read', { catalog, state });
  const next = await world.run('read', { catalog, state: stateArray(resumed) });
  for (const run of [resumed, next]) expect([run.code, errors(run)]).toStrictEqual([0, []]);
  // what has come since is there, once, however much of the rest the state says was read before
  const rows = [resumed, next].flatMap((run) => recordTexts(run, 'alarms'));
  const { lost, doubled } = await compareRows(rows, world.groundTruthRows('alarms', { after: mark }));
  expect({ lost, doubled }).toStrictEqual({ lost: 0, doubled: 0 });
});
