import { describe, expect, test } from 'vitest';
import { compareRuns, exact } from '../../support/compare-rows.ts';
import { catalogOf } from '../../support/catalogs.ts';
import type { Inputs } from '../../support/input-files.ts';
import { errors, logs, statuses } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';
import type { Command } from '../../support/test-bed.ts';

// What is wrong with a file, in all its forms, is told beside the code that reads it; this is what becomes of it.
const bed = useTestBed();

const config = { auth_url: 'nowhere', client_id: 'me', client_secret: 'kept-to-itself' };
const alarms = { stream: { name: 'alarms', json_schema: {} }, sync_mode: 'full_refresh' };
const stateOf = (stream_state: unknown): object[] => [
  { type: 'STREAM', stream: { stream_descriptor: { name: 'alarms' }, stream_state } },
];

describe.concurrent(
  'a file that is wrong: one config_error with file and place, and nothing is asked',
  () => {
    test.concurrent.each<[string, Command, Inputs, RegExp]>([
      [
        'config, no JSON',
        'read',
        { config: '{"client_secret": "kept-to-itself",' },
        /config\.json: is not valid/,
      ],
      ['config, a wrong address', 'discover', { config }, /config\.json: auth_url must look like https:/],
      [
        'catalog, no JSON',
        'read',
        { catalog: '{"streams": [' },
        /catalog\.json: is not valid JSON at line 1/,
      ],
      [
        'catalog, a stream twice',
        'read',
        { catalog: { streams: [alarms, alarms] } },
        /catalog\.json: streams\[1\]/,
      ],
      ['state, no JSON', 'read', { state: 'hello' }, /state\.json: line 1/],
      ['state, cut off', 'read', { state: '{"type":"STATE","state":{"type":"STR' }, /state\.json: damaged/],
      ['state, no object', 'read', { state: stateOf('2026-01-01') }, /state\.json: \[0\]/],
    ])('%s', async (_, command, inputs, words) => {
      const world = await bed.world({});
      const run = await world.run(command, inputs);
      expect(run.code).toBe(1);
      expect(errors(run)).toMatchObject([
        { failure_type: 'config_error', message: expect.stringMatching(words) },
      ]);
      expect(new Set(run.messages.map(({ type }) => type))).toStrictEqual(new Set(['TRACE']));
      expect(run.stdout.includes('kept-to-itself')).toBe(false);
      const { endpoints } = await world.requests();
      expect(Object.values(endpoints).map(({ count }) => count)).toStrictEqual([0, 0, 0]);
    });

    test.concurrent.each(['config', 'catalog', 'state'])('%s, not there', async (name) => {
      const run = await bed.run(
        ['read', `--${name}`, '/nowhere/it'],
        name === 'config' ? {} : { config: good },
      );
      expect(run.code).toBe(1);
      expect(errors(run)).toMatchObject([{ failure_type: 'config_error' }]);
      expect(errors(run)[0]?.message).toContain(`${name} /nowhere/it: there is no such file`);
    });
  },
);

const good = {
  ...config,
  auth_url: 'https://auth.fleet.example',
  assets: { base_url: 'https://fleet.example' },
};

test.concurrent(
  'a state of a stream that makes no sense fails that stream, and is never a silent restart',
  async () => {
    const world = await bed.world({ assets: 5, alarms: 5 });
    const run = await world.run('read', { state: stateOf({ created_since: 'yesterday' }) });
    expect(run.code).toBe(1);
    expect(errors(run)).toMatchObject([
      { failure_type: 'config_error', stream_descriptor: { name: 'alarms' } },
    ]);
    expect(errors(run)[0]?.message).toMatch(/^state of alarms: created_since/);
    expect((await world.requests()).endpoints.alarms.count).toBe(0);
    expect(await compareRuns([run], world, 'assets', {})).toStrictEqual(exact);
  },
);

test.concurrent('keys that a config does not have are named', async () => {
  const world = await bed.world({ assets: 5, alarms: 5 });
  const misspelt = { ...world.config.alarms, start_dat: '2026-01-01T00:00:00Z' };
  const run = await world.run('read', { config: { ...world.config, alarms: misspelt, _comment: 'mine' } });
  expect(run.code).toBe(0);
  expect(logs(run, 'WARN')).toStrictEqual([expect.stringMatching(/: alarms\.start_dat$/)]);
  expect(await compareRuns([run], world, 'alarms', {})).toStrictEqual(exact);
});

test.concurrent(
  'a stream that the config does not have fails alone, and modes of destinations are not judged',
  async () => {
    const world = await bed.world({ assets: 5, alarms: 5 });
    const gone = '__AIRBYTE__stream_that_does_not_exist';
    const unknown = { stream: { name: gone, json_schema: {} }, sync_mode: 'INVALID' };
    const judged = { destination_sync_mode: 'INVALID', generation_id: 3, sync_id: 4 };
    const catalog = { streams: [unknown, { ...alarms, ...judged }] };
    const run = await world.run('read', { catalog });
    expect(run.code).toBe(1);
    expect(errors(run)).toMatchObject([{ failure_type: 'config_error', stream_descriptor: { name: gone } }]);
    expect(errors(run)[0]?.message).toMatch(
      /catalog\.json: streams\[0\]\.stream\.name must be one of the streams in the config .*__AIRBYTE__/,
    );
    expect(statuses(run, gone)).toStrictEqual(['STARTED', 'INCOMPLETE']);
    expect(statuses(run, 'alarms').at(-1)).toBe('COMPLETE');
    expect(await compareRuns([run], world, 'alarms', {})).toStrictEqual(exact);
  },
);

test.concurrent('states of streams that are not ours are skipped, with a log line', async () => {
  const world = await bed.world({ alarms: 3 });
  const run = await world.run('read', {
    catalog: catalogOf({ alarms: 'incremental' }),
    state: { trips: { cursor: 1 } },
  });
  expect(run.code).toBe(0);
  expect(logs(run, 'INFO').join('\n')).toMatch(/other streams: trips/);
  expect(await compareRuns([run], world, 'alarms', {})).toStrictEqual(exact);
});
