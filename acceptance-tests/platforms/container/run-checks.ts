import { deepStrictEqual, ok } from 'node:assert/strict';
import { digestOf } from '../../sandbox/client.ts';
import type { ListName } from '../../sandbox/client.ts';
import { catalogOf } from '../../support/catalogs.ts';
import type { Inputs } from '../../support/input-files.ts';
import type { Run } from '../../support/run-connector.ts';
import { errors, recordTexts, stateArray, statuses } from '../../support/run-views.ts';
import type { Bench } from './bench.ts';
import { arriveYesterday } from './steps.ts';

const kinds: readonly ListName[] = ['assets', 'alarms'];
const catalog = catalogOf({ assets: 'full_refresh', alarms: 'incremental' });

/** A run as the container and the bare program must agree on it: everything but times, tokens and log lines. */
function outcome(run: Run): object {
  const streams = kinds.map((kind) => ({
    kind,
    rows: digestOf(recordTexts(run, kind)),
    statuses: statuses(run, kind),
  }));
  const told = errors(run).map(({ message, failure_type: type }) => `${type}: ${message}`);
  return { code: run.code, streams, states: stateArray(run), errors: told.toSorted() };
}

/** spec, check and discover print the very bytes that the bare program prints. */
export async function checkSameAnswers(bench: Bench): Promise<string> {
  const world = await bench.world({ assets: 120, alarms: 120 });
  const { config } = world;
  let bytes = 0;
  for (const [command, inputs] of [
    ['spec', {}],
    ['check', { config }],
    ['discover', { config }],
  ] as const) {
    const contained = await bench.contained(command, { ...inputs, way: 'platform', options: [] });
    const bare = await bench.bare(command, inputs);
    deepStrictEqual(answerOf(contained), answerOf(bare), command);
    deepStrictEqual([contained.code, bare.code], [0, 0]);
    bytes += contained.stdout.length;
  }
  return `${bytes} bytes`;
}

/** The lines that are the answer: a container without a place for tokens also announces one, for the config to keep. */
function answerOf(run: Run): string[] {
  return run.messages.flatMap(({ type }, index) =>
    type === 'SPEC' || type === 'CONNECTION_STATUS' || type === 'CATALOG' ? [String(run.lines[index])] : [],
  );
}

/** A full read and one from its state: rows, states and exit codes are those of the bare program, and the rows the truth. */
export async function checkSameReads(bench: Bench): Promise<string> {
  const world = await bench.world({ assets: 700, alarms: 3000, options: { assetsLimitCap: 100 } });
  const { config } = world;
  const both = async (inputs: Inputs): Promise<Run> => {
    const contained = await bench.contained('read', { ...inputs, way: 'platform', options: [] });
    deepStrictEqual(outcome(contained), outcome(await bench.bare('read', inputs)));
    deepStrictEqual(contained.code, 0);
    return contained;
  };
  const first = await both({ config, catalog });
  const truth = await world.groundTruth();
  for (const kind of kinds) deepStrictEqual(digestOf(recordTexts(first, kind)), truth[kind]);
  await arriveYesterday(world, 40);
  const second = await both({ config, catalog, state: stateArray(first) });
  deepStrictEqual(recordTexts(second, 'alarms').length, 40);
  return `${recordTexts(first, 'assets').length} assets, ${recordTexts(first, 'alarms').length} alarms, then 40`;
}

/** A failing stream, and a config that is none, end with the exit code and the error of the bare program. */
export async function checkSameFailures(bench: Bench): Promise<string> {
  const world = await bench.world({ options: { permissions: { alarms: false } } });
  const { config } = world;
  const cases: [Inputs, number][] = [
    [{ config, catalog }, 1],
    [{ config: { ...config, auth_url: 'nowhere' }, catalog }, 1],
    [{}, 2],
  ];
  const said: string[] = [];
  for (const [inputs, code] of cases) {
    const contained = await bench.contained('read', { ...inputs, way: 'platform', options: [] });
    const bare = await bench.bare('read', inputs);
    deepStrictEqual([contained.code, bare.code], [code, code]);
    ok(errors(contained).length > 0, 'no TRACE ERROR');
    deepStrictEqual(errorsWithoutPaths(contained), errorsWithoutPaths(bare));
    deepStrictEqual(recordTexts(contained, 'assets').length, recordTexts(bare, 'assets').length);
    said.push(`exit ${code}`);
  }
  return said.join(', ');
}

/** The errors, where files have the same names whatever folder they are in. */
function errorsWithoutPaths(run: Run): string[] {
  return errors(run).map(({ message, failure_type: type }) =>
    `${type}: ${message}`.replaceAll(/\S*\/(config|connectorConfig)\.json/g, 'config.json'),
  );
}
