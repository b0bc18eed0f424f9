import { deepStrictEqual, ok } from 'node:assert/strict';
import { compareRows, exact } from '../../support/compare-rows.ts';
import { catalogOf } from '../../support/catalogs.ts';
import { recordTexts, stateArray, statuses } from '../../support/run-views.ts';
import type { Bench } from './bench.ts';
import { engine } from './container-tool.ts';
import { alarmsServed } from './steps.ts';

const catalog = catalogOf({ alarms: 'incremental' });

/**
 * `docker stop` reaches the connector, which is PID 1 there: it ends with its last state and the exit code 143, and a read
 * from that state brings what is left, nothing twice.
 */
export async function checkStop(bench: Bench): Promise<string> {
  const world = await bench.world({ assets: 0, alarms: 2000, options: { latencyMs: 50 } });
  const { config } = world;
  const name = `source-trailer-data-stop-${process.pid}`;
  const running = bench.contained('read', { config, catalog, way: 'byHand', options: [`--name=${name}`] });
  await alarmsServed(world, 300, running);
  await engine('kill', '--signal', 'TERM', name);
  const stopped = await running;
  deepStrictEqual(stopped.code, 143);
  deepStrictEqual(statuses(stopped, 'alarms').at(-1), 'INCOMPLETE');
  const before = recordTexts(stopped, 'alarms');
  ok(before.length > 0 && before.length < 2000, `${before.length} rows before it was stopped`);
  const rest = await bench.contained('read', {
    config,
    catalog,
    state: stateArray(stopped),
    way: 'byHand',
    options: [],
  });
  deepStrictEqual(rest.code, 0);
  const all = [...before, ...recordTexts(rest, 'alarms')];
  deepStrictEqual(await compareRows(all, world.groundTruthRows('alarms', {})), exact);
  return `${before.length} rows, exit 143, then ${recordTexts(rest, 'alarms').length}`;
}
