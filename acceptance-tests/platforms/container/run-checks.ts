import { deepStrictEqual, ok } from 'node:assert/strict';
import type { ListName } from '../../sandbox/client.ts';
import { catalogOf } from '../../support/catalogs.ts';
import type { Inputs } from '../../support/input-files.ts';
import type { Run } from '../../support/run-connector.ts';
import { errors, recordTexts, rowSet, stateArray, statuses } from '../../support/run-views.ts';
import type { Bench } from './bench.ts';
import { arriveYesterday } from './outputs.ts';

const lists: readonly ListName[] = ['assets', 'alarms'];
const catalog = catalogOf({ assets: 'full_refresh', alarms: 'incremental' });

/** A run as the container and the bare program must agree on it: everything but times, tokens, log lines and folders. */
function outcome(run: Run): object {
  const answers = run.messages.flatMap(({ type }, index) =>
    ['SPEC', 'CONNECTION_STATUS', 'CATALOG'].includes(type) ? [String(run.lines[index])] : [],
  );
  const told = errors(run).map(({ message, failure_type: type }) => `${type}: ${message}`);
  return {
    code: run.code,
    answers,
    rows: lists.map((list) => rowSet(run, list)),
    statuses: lists.map((list) => statuses(run, list)),
    states: stateArray(run),
    errors: told.map((words) => words.replaceAll(/\S*\/(?=config\.json)/g, '')).toSorted(),
  };
}

/** Runs both and holds the container, as a pod starts it, to the bare program. */
async function both(bench: Bench, command: string, inputs: Inputs): Promise<Run> {
  const contained = await bench.contained('platform', command, inputs);
  deepStrictEqual(outcome(contained), outcome(await bench.bare(command, inputs)), command);
  return contained;
}

/** spec, check and discover print the very bytes of the bare program; what fails has its exit code and words. */
export async function checkSameAnswers(bench: Bench): Promise<string> {
  const { config } = await bench.world({ assets: 120, alarms: 120 });
  const refused = (await bench.world({ options: { permissions: { alarms: false } } })).config;
  const cases: readonly (readonly [command: string, inputs: Inputs, code: number])[] = [
    ['spec', {}, 0],
    ['check', { config }, 0],
    ['discover', { config }, 0],
    ['read', { config: refused, catalog }, 1],
    ['read', { config: { ...config, auth_url: 'nowhere' }, catalog }, 1],
    ['read', {}, 2],
  ];
  for (const [command, inputs, code] of cases)
    deepStrictEqual((await both(bench, command, inputs)).code, code, command);
  return `${cases.length} runs`;
}

/** A full read and one from its state: rows, states and exit codes are those of the bare program, and the rows the truth. */
export async function checkSameReads(bench: Bench): Promise<string> {
  const world = await bench.world({ assets: 700, alarms: 3000, options: { assetsLimitCap: 100 } });
  const { config } = world;
  const first = await both(bench, 'read', { config, catalog });
  const { assets, alarms } = await world.groundTruth();
  deepStrictEqual([first.code, rowSet(first, 'assets'), rowSet(first, 'alarms')], [0, assets, alarms]);
  await arriveYesterday(world, 40);
  const second = await both(bench, 'read', { config, catalog, state: stateArray(first) });
  deepStrictEqual([second.code, recordTexts(second, 'alarms').length], [0, 40]);
  return `${assets.count} assets, ${alarms.count} alarms, then 40`;
}

/** Without a place to write, a token is announced in a CONTROL message; a run with the config that it holds needs no other. */
export async function checkAnnouncedTokens(bench: Bench): Promise<string> {
  const world = await bench.world({ assets: 60, alarms: 60 });
  const { config } = world;
  for (const way of ['platform', 'byHand'] as const) {
    const before = (await world.requests()).tokens.issued;
    const first = await bench.contained(way, 'read', { config });
    const [announcement, ...others] = announced(first);
    ok(announcement !== undefined && others.length === 0, 'one CONTROL message, not more');
    deepStrictEqual({ ...announcement, token_cache: '' }, { ...config, token_cache: '' });
    const second = await bench.contained(way, 'read', { config: announcement });
    deepStrictEqual([first.code, second.code, announced(second)], [0, 0, []]);
    const { assets, alarms } = await world.groundTruth();
    for (const run of [first, second])
      deepStrictEqual([rowSet(run, 'assets'), rowSet(run, 'alarms')], [assets, alarms]);
    deepStrictEqual((await world.requests()).tokens.issued, before + 1);
  }
  return '2 containers, 1 token, on a platform and by hand';
}

/** The configs that CONTROL messages hold. */
function announced(run: Run): object[] {
  return run.messages.flatMap((message) =>
    message.type === 'CONTROL' ? [message.control.connectorConfig.config as object] : [],
  );
}
