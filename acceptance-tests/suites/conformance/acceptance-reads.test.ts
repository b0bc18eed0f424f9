import { beforeAll, describe, expect, test } from 'vitest';
import { catalogOf } from '../../support/catalogs.ts';
import type { Run } from '../../support/run-connector.ts';
import { emissionTimes, recordTexts, stateArray } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';
import type { TestWorld } from '../../support/test-bed.ts';
import { configFor, declared, expectedWorld, textAt } from './declared.ts';

const testsOf = declared.acceptance_tests;
const bed = useTestBed();
let world: TestWorld;
beforeAll(async () => {
  world = await expectedWorld(bed);
});

/** The states of a run that cover records, with all the records before each. */
function countedStates({ messages }: Run): { readonly state: object; readonly records: number }[] {
  let records = 0;
  return messages.flatMap((message) => {
    if (message.type !== 'STATE' || message.state.sourceStats.recordCount === 0) return [];
    const { type, stream, sourceStats } = message.state;
    records += sourceStats.recordCount;
    return [{ state: { type, stream }, records }];
  });
}

test('TestFullRefresh.test_sequential_reads', async () => {
  const config = configFor(world, testsOf.full_refresh.tests[0].config_path);
  const catalog = catalogOf({ assets: 'full_refresh', alarms: 'full_refresh' });
  const first = await world.run('read', { config, catalog });
  const second = await world.run('read', { config, catalog });
  // emitted_at is the time of emission, neither frozen nor taken from the row
  expect(Math.max(...emissionTimes(first))).toBeLessThan(Math.min(...emissionTimes(second)));
  // the older version of the test: what the first read had, the second has too
  for (const kind of ['assets', 'alarms']) {
    expect(recordTexts(first, kind).length).toBeGreaterThan(0);
    expect(recordTexts(second, kind).toSorted()).toStrictEqual(recordTexts(first, kind).toSorted());
  }
});

describe('TestIncremental', () => {
  const [{ config_path, future_state }] = testsOf.incremental.tests;
  const catalog = catalogOf({ alarms: 'incremental' });
  const read = async (state: object | string | undefined): Promise<Run> =>
    world.run('read', { config: configFor(world, config_path), catalog, state });

  // test_two_sequential_reads is the last one of these slices
  test('test_read_sequential_slices', async () => {
    const first = await read(undefined);
    const all = recordTexts(first, 'alarms');
    const counted = countedStates(first);
    // at least one state must have a count, or the test would prove nothing
    expect(counted.length).toBeGreaterThan(0);
    expect(counted.at(-1)?.records).toBe(all.length);
    for (const { state, records } of counted) {
      const rest = recordTexts(await read([state]), 'alarms');
      expect(rest.length).toBeGreaterThanOrEqual(all.length - records);
      expect(rest).not.toStrictEqual(all);
      expect(all.slice(records).filter((text) => !rest.includes(text))).toStrictEqual([]);
    }
  });

  test('test_state_with_abnormally_large_values', async () => {
    const state = textAt(future_state?.future_state_path ?? '');
    // every incremental stream has a future state
    expect(JSON.parse(state)).toMatchObject([{ stream: { stream_descriptor: { name: 'alarms' } } }]);
    const run = await read(state);
    expect(recordTexts(run, 'alarms')).toStrictEqual([]);
    // it is handed back as it is
    expect(stateArray(run)).toStrictEqual(JSON.parse(state));
  });
});
