import { describe, expect, test } from 'vitest';
import { catalogOf } from '../support/catalogs.ts';
import { emissionTimes, recordTexts } from '../support/run-views.ts';
import { useTestBed } from '../support/test-bed.ts';
import { declaredTest } from './acceptance-test-config.ts';
import { catWorld, configAt } from './cat-world.ts';

const bed = useTestBed();

describe('TestFullRefresh', () => {
  test('test_sequential_reads', async () => {
    const world = await catWorld(bed);
    const input = {
      config: configAt(world, declaredTest('full_refresh').config_path),
      catalog: catalogOf({ assets: 'full_refresh', alarms: 'full_refresh' }),
    };
    const first = await world.run('read', input);
    const second = await world.run('read', input);
    // emitted_at is the time of emission, neither frozen nor taken from the row
    expect(Math.max(...emissionTimes(first))).toBeLessThan(Math.min(...emissionTimes(second)));
    // the older version of the test: what the first read had, the second has too
    for (const kind of ['assets', 'alarms'] as const) {
      expect(recordTexts(first, kind).length).toBeGreaterThan(0);
      expect(recordTexts(second, kind).toSorted()).toStrictEqual(recordTexts(first, kind).toSorted());
    }
  });
});
