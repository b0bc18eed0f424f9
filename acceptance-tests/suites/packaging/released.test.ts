import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { format } from 'prettier';
import type { ScenarioOptions } from '../../sandbox/client.ts';
import { catalogOf } from '../../support/catalogs.ts';
import { compareRows } from '../../support/compare-rows.ts';
import type { Run } from '../../support/run-connector.ts';
import { discovered, errors, recordTexts, stateArray, states } from '../../support/run-views.ts';
import { useTestBed, type TestWorld } from '../../support/test-bed.ts';
import { readSpec } from '../conformance/schema.ts';
import { breakingChanges, missingSteps, type ReleaseContract } from './release-rules.ts';
import { compareVersions, formsOf, metadataOf, packageOf } from './versions.ts';

const bed = useTestBed();
const folder = join(import.meta.dirname, 'released');
const [released = '', ...others] = readdirSync(folder);
const { version } = packageOf();
const catalog = catalogOf({ assets: 'full_refresh', alarms: 'incremental' });
/** The world that states are recorded from, and in which they are resumed. */
const contractWorld: ScenarioOptions = { assets: 120, alarms: 400, options: { assetsLimitCap: 25 } };

const kept = (name: string): unknown =>
  JSON.parse(readFileSync(join(folder, released, `${name}.json`), 'utf8'));

async function contractOf(world: TestWorld): Promise<ReleaseContract> {
  const run = await world.run('discover', { config: { ...world.config, sample_rows: 0 } });
  return { spec: readSpec(), catalog: { streams: discovered(run) } };
}

/** A state from the middle of a read of a stream. */
function middle(read: Run, stream: string): object[] {
  const all = states(read, stream);
  expect(all.length).toBeGreaterThan(2);
  const stream_state = all[all.length >> 1];
  return [{ type: 'STREAM', stream: { stream_descriptor: { name: stream }, stream_state } }];
}

// done last for a release: records the contract and states of every form, with which the next version is compared
if (process.env['RECORD_RELEASE'] === '1')
  test('this version is recorded as the last release', async () => {
    const world = await bed.world(contractWorld);
    const options = ['--state-every', '0'];
    const whole = await world.run('read', { catalog, options });
    const config = world.configWith({ alarms: { parallel_chains: 3 } });
    const chains = await world.run('read', { config, catalog, options });
    const written = [
      { written: 'after a whole read', state: stateArray(whole) },
      { written: 'during a read of assets', state: middle(whole, 'assets') },
      { written: 'during a read of alarms', state: middle(whole, 'alarms') },
      { written: 'during a read of alarms by several chains', state: middle(chains, 'alarms') },
    ];
    rmSync(folder, { recursive: true });
    mkdirSync(join(folder, version), { recursive: true });
    const recorded = { ...(await contractOf(world)), states: written, 'state-schemas': formsOf().states };
    for (const [name, content] of Object.entries(recorded)) {
      const json = await format(JSON.stringify(content), { parser: 'json', printWidth: 110 });
      writeFileSync(join(folder, version, `${name}.json`), json);
    }
  });

test('one release is recorded, and this version is not older', () => {
  expect(others).toStrictEqual([]);
  expect(compareVersions(version, released)).toBeGreaterThanOrEqual(0);
});

test('a breaking change has a new major version, and is announced', async () => {
  const before = { spec: kept('spec'), catalog: kept('catalog') } as ReleaseContract;
  const changes = breakingChanges(before, await contractOf(await bed.world(contractWorld)));
  expect(missingSteps(changes, released, version, metadataOf())).toStrictEqual([]);
});

test.each(kept('states') as { readonly written: string; readonly state: readonly object[] }[])(
  'a state of the last release is accepted: $written',
  async ({ state }) => {
    const world = await bed.world(contractWorld);
    const mark = await world.mark();
    await world.arrive('alarms', { count: 5 });
    const resumed = await world.run('read', { catalog, state });
    const next = await world.run('read', { catalog, state: stateArray(resumed) });
    for (const run of [resumed, next]) expect([run.code, errors(run)]).toStrictEqual([0, []]);
    // rows that arrived since are emitted once, whatever else the state covers
    const rows = [resumed, next].flatMap((run) => recordTexts(run, 'alarms'));
    const { lost, repeated } = await compareRows(rows, world.groundTruthRows('alarms', { after: mark }));
    expect({ lost, repeated }).toStrictEqual({ lost: [], repeated: [] });
  },
);
