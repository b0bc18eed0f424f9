// lists that only the key `lists` of the config describes
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listNames, pagedBy } from '../../sandbox/lists.ts';
import { compareRows, exact } from '../../support/compare-rows.ts';
import { writeInputs } from '../../support/input-files.ts';
import { killAtBytes } from '../../support/killed-process.ts';
import { discovered, errors, estimates, logs, recordTexts } from '../../support/run-views.ts';
import { stateArray, statuses, verdict } from '../../support/run-views.ts';
import { useTestBed, type TestWorld } from '../../support/test-bed.ts';
import { outputOf } from '../conformance/validate-output.ts';

const bed = useTestBed();
const six = { assets: 120, alarms: 120, drivers: 230, depots: 40, trips: 130, positions: 110 };

/** The config of a world without the predefined lists, with changed entries. */
function onlyEntries({ config }: TestWorld, changes: Readonly<Record<string, object>>) {
  const { assets: _assets, alarms: _alarms, lists = [], ...rest } = config;
  return { ...rest, lists: lists.map((entry) => ({ ...entry, ...changes[entry.name] })) };
}

test.concurrent('six lists at once, with one token per module', async () => {
  const world = await bed.world(six);
  const config = { ...world.config, token: { kind: 'module' }, concurrency: 2 };
  const input = { config, env: { SOURCE_TRAILER_DATA_CACHE: await mkdtemp(join(world.folder, 'tokens-')) } };
  const { lines } = verdict(await world.run('check', input));
  expect(lines.join()).toBe(
    'assets: ok (120 rows),alarms: ok,drivers: ok (230 rows),depots: ok (40 rows),trips: ok,positions: ok. ' +
      'Note: the stream has no primary key. If a destination must keep one version of each row, set lists[3].id_field.',
  );
  const streams = discovered(await world.run('discover', input));
  expect(streams.map(({ name }) => name)).toStrictEqual(listNames);
  const keys = streams.map(({ source_defined_primary_key: key }) => key?.flat().join());
  expect(keys).toStrictEqual(['assetId', 'alarmId', 'driverId', 'code', 'tripId', undefined]);
  const catalog = {
    streams: streams.map((stream) => ({ stream, sync_mode: stream.supported_sync_modes?.at(-1) })),
  };
  const run = await world.run('read', { ...input, catalog });
  expect([run.code, logs(run, 'WARN')]).toStrictEqual([0, []]);
  for (const name of listNames) await world.expectExact([run], name, {});
  const totals = estimates(run).map(({ name, row_estimate: rows }) => `${name} ${rows}`);
  expect(new Set(totals)).toStrictEqual(new Set(pagedBy('offset').map((name) => `${name} ${six[name]}`)));
  expect(logs(run, 'INFO').at(-1)).toMatch(
    /drivers 230 rows, depots 40 rows, trips 130 rows \(newest 2.*Z\),/,
  );
  const tokens = (await world.tokenRequests()).map(({ body }) => /"audience":"(\w+)"/.exec(body)?.[1]);
  // shared by the three processes, and by the lists of a module
  expect(tokens).toHaveLength(4);
  expect(new Set(tokens)).toStrictEqual(new Set(['AMAPI', 'DMAPI', 'PMAPI', 'UMAPI']));
  await Promise.all(pagedBy('cursor').map((name) => world.arrive(name, { count: 7 })));
  const next = await world.run('read', { ...input, catalog, state: stateArray(run) });
  expect(pagedBy('cursor').map((name) => recordTexts(next, name).length)).toStrictEqual([7, 7, 7]);
});

test.concurrent('each list fails alone, with its name and the path of the invalid key', async () => {
  const options = { permissions: { drivers: false } };
  const world = await bed.world({ drivers: 9, depots: 9, trips: 9, positions: 9, options });
  const config = onlyEntries(world, {
    depots: { path: '/v1/depot' },
    trips: { created_field: 'started' },
    positions: { id_field: 'assetId' },
  });
  const { lines } = verdict(await world.run('check', { config }));
  expect(lines).toStrictEqual([
    expect.stringMatching(/^drivers: the permission is missing or the product was not bought \(403\)/),
    expect.stringMatching(
      /^depots: .*\/v1\/depot \(404\)\. lists\[1\]\.base_url \(currently "\S+"\) or lists\[1\]\.path is/,
    ),
    expect.stringMatching(
      /^trips: "started" \(lists\[2\]\.created_field\) is not a field of the .*: "startedAt"/,
    ),
    expect.stringMatching(/^positions: "assetId" \(lists\[3\]\.id_field\) does not identify rows: /),
  ]);
  const run = await world.run('read', { config, options: ['--streams', 'drivers,depots,positions'] });
  const failed = errors(run).map(({ stream_descriptor: of, failure_type: type }) => `${of?.name} ${type}`);
  expect(new Set(failed)).toStrictEqual(new Set(['drivers config_error', 'depots config_error']));
  expect(statuses(run, 'positions').at(-1)).toBe('COMPLETE');
});

test.concurrent('changing lists, with reads that are killed and resumed', async () => {
  const world = await bed.world({ drivers: 400, trips: 1500, options: { latencyMs: 2 } });
  const config = onlyEntries(world, { drivers: { page_size: 20 } });
  const start = await world.mark();
  const parent = await mkdtemp(join(world.folder, 'killed-'));
  // rows arrive as fast as they are read
  const onBytes = async (): Promise<void> => {
    await world.insert('drivers', { count: 2 });
    await world.delete('drivers', { count: 1, at: 'random' });
    await world.arrive('trips', { count: 3 });
  };
  let state = '';
  const emitted = { drivers: [] as string[], trips: [] as string[] };
  for (const killAt of [50_000, 120_000, 200_000, Infinity]) {
    const { folder, args } = await writeInputs(parent, { config, state });
    const read = ['read', ...args, '--state-every', '0'];
    const { output, isKilled } = await killAtBytes({ args: read, folder, killAt, cut: 'byte', onBytes });
    expect(isKilled).toBe(killAt < Infinity);
    state += output.toString();
    for (const name of ['drivers', 'trips'] as const)
      emitted[name].push(...recordTexts(outputOf(output, !isKilled), name));
  }
  for (const name of ['drivers', 'trips'] as const) {
    const must = world.groundTruthRows(name, { since: start });
    const may = world.groundTruthRows(name, { lived: start });
    expect(await compareRows([...new Set(emitted[name])], must, may)).toStrictEqual(exact);
  }
});
