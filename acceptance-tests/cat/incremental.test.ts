import { describe, expect, test } from 'vitest';
import { catalogOf } from '../support/catalogs.ts';
import type { Run } from '../support/run-connector.ts';
import { recordTexts, stateArray, states } from '../support/run-views.ts';
import { useTestBed } from '../support/test-bed.ts';
import { declaredTest, readDeclared } from './acceptance-test-config.ts';
import { catWorld, configAt } from './cat-world.ts';

const bed = useTestBed();
const declared = declaredTest('incremental');
const catalog = catalogOf({ alarms: 'incremental' });

/** The states of a run as the acceptance test takes them: those without records dropped, equal neighbours merged. */
function sampledStates(run: Run): { readonly state: object; readonly records: number }[] {
  const sampled: { state: object; records: number }[] = [];
  let records = 0;
  for (const message of run.messages) {
    if (message.type !== 'STATE') continue;
    const { type, stream, sourceStats } = message.state;
    records += sourceStats.recordCount;
    const before = sampled.at(-1);
    if (before !== undefined && JSON.stringify(before.state) === JSON.stringify({ type, stream }))
      before.records = records;
    else if (sourceStats.recordCount > 0) sampled.push({ state: { type, stream }, records });
  }
  return sampled;
}

describe('TestIncremental', () => {
  test('test_two_sequential_reads', async () => {
    const world = await catWorld(bed);
    const config = configAt(world, declared.config_path);
    const first = await world.run('read', { config, catalog });
    expect(states(first, 'alarms').length).toBeGreaterThan(0);
    expect(recordTexts(first, 'alarms').length).toBeGreaterThan(0);
    const second = await world.run('read', { config, catalog, state: stateArray(first) });
    expect(recordTexts(second, 'alarms')).not.toStrictEqual(recordTexts(first, 'alarms'));
  });

  test('test_read_sequential_slices', async () => {
    const world = await catWorld(bed);
    const config = configAt(world, declared.config_path);
    const whole = await world.run('read', { config, catalog });
    const all = recordTexts(whole, 'alarms');
    const sampled = sampledStates(whole);
    // at least one state must have a count, or the test would prove nothing
    expect(sampled.length).toBeGreaterThan(0);
    expect(sampled.at(-1)?.records).toBe(all.length);
    for (const { state, records } of sampled) {
      const rest = recordTexts(await world.run('read', { config, catalog, state: [state] }), 'alarms');
      expect(rest.length).toBeGreaterThanOrEqual(all.length - records);
      expect(rest).not.toStrictEqual(all);
      expect(all.slice(records).filter((text) => !rest.includes(text))).toStrictEqual([]);
    }
  });

  test('test_state_with_abnormally_large_values', async () => {
    const world = await catWorld(bed);
    const config = configAt(world, declared.config_path);
    const state = readDeclared(declared.future_state?.future_state_path ?? '');
    const streams = (JSON.parse(state) as { stream: { stream_descriptor: { name: string } } }[]).map(
      ({ stream }) => stream.stream_descriptor.name,
    );
    // every incremental stream has a future state
    expect(streams).toStrictEqual(['alarms']);
    const run = await world.run('read', { config, catalog, state });
    expect(recordTexts(run, 'alarms')).toStrictEqual([]);
    expect(states(run, 'alarms').length).toBeGreaterThan(0);
  });
});
