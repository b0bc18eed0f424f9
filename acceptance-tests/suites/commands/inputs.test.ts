import { describe, expect, test } from 'vitest';
import type { Content } from '../../support/input-files.ts';
import type { Run } from '../../support/run-connector.ts';
import { errors, logs, rowSet, statuses } from '../../support/run-views.ts';
import { catalogOf } from '../../support/catalogs.ts';
import { useTestBed } from '../../support/test-bed.ts';
import type { TestWorld } from '../../support/test-bed.ts';

const bed = useTestBed();

const alarmsState = (state: unknown): object => ({
  type: 'STREAM',
  stream: { stream_descriptor: { name: 'alarms' }, stream_state: state },
});

/** One TRACE ERROR that a person can act on, exit code 1, and the API was not asked for anything. */
async function expectRefusal(run: Run, world: TestWorld, words: RegExp): Promise<void> {
  expect(run.code).toBe(1);
  expect(errors(run)).toHaveLength(1);
  expect(errors(run)[0]).toMatchObject({ failure_type: 'config_error' });
  expect(errors(run)[0]?.message).toMatch(words);
  expect(run.messages.filter(({ type }) => type === 'RECORD' || type === 'STATE')).toStrictEqual([]);
  const { endpoints } = await world.requests();
  expect([endpoints.token.count, endpoints.assets.count, endpoints.alarms.count]).toStrictEqual([0, 0, 0]);
}

describe.concurrent('a bad config: file, path and what is expected there', () => {
  const good = {
    auth_url: 'https://auth.fleet.example/token',
    client_id: 'me',
    client_secret: 'kept-to-itself',
    assets: { base_url: 'https://assets.fleet.example' },
  };
  test.concurrent.each<[string, Content, RegExp]>([
    ['no JSON', '{"client_secret": "kept-to-itself",', /config\.json: is not valid JSON/],
    ['an empty file', '', /config\.json: is /],
    ['no object', '[]', /config\.json: .*must be an object/],
    ['a key that is missing', { ...good, client_id: undefined }, /config\.json: client_id is missing/],
    ['no stream', { ...good, assets: undefined }, /config\.json: at least one stream must be there/],
    ['a stream without an address', { ...good, assets: {} }, /config\.json: assets\.base_url is missing/],
    ['a wrong type', { ...good, concurrency: 'four' }, /config\.json: concurrency must be an integer/],
    ['a number out of range', { ...good, concurrency: 33 }, /config\.json: concurrency must be .*32/],
    [
      'a kind of token that is none',
      { ...good, token: { kind: 'user' } },
      /config\.json: token.*general.*scoped.*module/,
    ],
    [
      'scopes that are missing',
      { ...good, token: { kind: 'scoped' } },
      /config\.json: token\.scopes is missing/,
    ],
    [
      'a module token without the audience of alarms',
      { ...good, token: { kind: 'module' }, alarms: { base_url: 'https://alarms.fleet.example' } },
      /config\.json: alarms\.audience is missing/,
    ],
    [
      'plain http to another machine',
      { ...good, auth_url: 'http://auth.fleet.example/token' },
      /config\.json: auth_url must start with https/,
    ],
    [
      'dates in the wrong order',
      {
        ...good,
        alarms: {
          base_url: 'https://alarms.fleet.example',
          start_date: '2026-02-01T00:00:00Z',
          end_date: '2026-01-01T00:00:00Z',
        },
      },
      /config\.json: alarms\.end_date must not be before alarms\.start_date/,
    ],
  ])('%s', async (_, config, words) => {
    const world = await bed.world({});
    const run = await world.run('read', { config });
    await expectRefusal(run, world, words);
    expect(run.stdout.includes('kept-to-itself')).toBe(false);
  });

  test.concurrent('discover says it in the same way', async () => {
    const world = await bed.world({});
    const run = await world.run('discover', { config: { ...world.config, auth_url: 'nowhere' } });
    await expectRefusal(run, world, /config\.json: auth_url must look like https:\/\/host\/path/);
  });

  test.concurrent('a file that is not there', async () => {
    const run = await bed.run(['read', '--config', '/nowhere/config.json'], {});
    expect(run.code).toBe(1);
    expect(errors(run)[0]?.message).toMatch(/\/nowhere\/config\.json: ./);
  });

  test.concurrent('unknown keys are accepted and named', async () => {
    const world = await bed.world({ assets: 5, alarms: 5 });
    const alarms = { ...world.config.alarms, start_dat: '2026-01-01T00:00:00Z' };
    const run = await world.run('read', { config: { ...world.config, alarms, _comment: 'mine' } });
    expect(run.code).toBe(0);
    expect(logs(run, 'WARN').join()).toMatch(/alarms\.start_dat/);
    expect(rowSet(run, 'alarms').count).toBe(5);
  });
});

describe.concurrent('a bad catalog: file, path and what is expected there', () => {
  const entry = { stream: { name: 'alarms', json_schema: {} }, sync_mode: 'full_refresh' };
  const invalid = '__AIRBYTE__stream_that_does_not_exist';
  test.concurrent.each<[string, Content, RegExp]>([
    ['no JSON', '{"streams": [', /catalog\.json: is not valid JSON/],
    ['no streams', {}, /catalog\.json: streams is missing/],
    ['streams that are no list', { streams: {} }, /catalog\.json: streams must be an array/],
    [
      'a stream without a name',
      { streams: [{ ...entry, stream: {} }] },
      /streams\[0\]\.stream\.name is missing/,
    ],
    [
      'a stream of another namespace',
      { streams: [{ ...entry, stream: { name: 'alarms', namespace: 'other', json_schema: {} } }] },
      /catalog\.json: streams\[0\]\.stream/,
    ],
    [
      'a stream twice',
      { streams: [entry, entry] },
      /catalog\.json: streams\[1\]\.stream.* alarms a second time/,
    ],
    [
      'a sync mode that is none',
      { streams: [{ ...entry, sync_mode: 'INVALID' }] },
      /catalog\.json: streams\[0\]\.sync_mode must be .*full_refresh.*incremental/,
    ],
    ['no sync mode', { streams: [{ stream: entry.stream }] }, /catalog\.json: streams\[0\]\.sync_mode/],
  ])('%s', async (_, catalog, words) => {
    const world = await bed.world({});
    await expectRefusal(await world.run('read', { catalog }), world, words);
  });

  test.concurrent.each<[string, string, object]>([
    ['has lost it', 'trips', catalogOf({ trips: 'incremental', alarms: 'full_refresh' })],
    [
      'never had it, as in the connector acceptance test',
      invalid,
      {
        streams: [
          {
            stream: {
              name: invalid,
              json_schema: { type: 'object', properties: { f1: { type: 'string' } } },
              supported_sync_modes: ['full_refresh', 'incremental'],
            },
            sync_mode: 'INVALID',
            destination_sync_mode: 'INVALID',
          },
          entry,
        ],
      },
    ],
  ])('a stream that the config does not have fails alone: it %s', async (_, gone, catalog) => {
    const world = await bed.world({ assets: 5, alarms: 5 });
    const run = await world.run('read', { catalog });
    expect(run.code).toBe(1);
    const [error, ...more] = errors(run);
    expect(more).toStrictEqual([]);
    expect(error).toMatchObject({ failure_type: 'config_error' });
    expect(error?.message).toMatch(
      /catalog\.json: streams\[0\]\.stream\.name must be one of the streams in the config/,
    );
    expect(error?.message).toContain(`"${gone}"`);
    expect(error?.stream_descriptor?.name).toBe(gone);
    expect(statuses(run, gone)).toStrictEqual(['STARTED', 'INCOMPLETE']);
    expect(statuses(run, 'alarms').at(-1)).toBe('COMPLETE');
    expect(rowSet(run, 'alarms')).toStrictEqual((await world.groundTruth()).alarms);
  });

  test.concurrent('destination_sync_mode is not ours to judge', async () => {
    const world = await bed.world({ assets: 0, alarms: 5 });
    const streams = [{ ...entry, destination_sync_mode: 'INVALID', generation_id: 3, sync_id: 4 }];
    const run = await world.run('read', { catalog: { streams } });
    expect(run.code).toBe(0);
    expect(rowSet(run, 'alarms').count).toBe(5);
  });
});

describe.concurrent('a damaged state: an error, never a silent restart', () => {
  test.concurrent.each<[string, Content]>([
    ['neither JSON nor output', 'hello'],
    ['a number', '7'],
    ['a state that is a text', [alarmsState('2026-01-01')]],
    ['a time that is none', [alarmsState({ created_since: 'yesterday' })]],
    ['a time that is a number', [alarmsState({ created_since: 1_767_225_600 })]],
    ['fingerprints that are none', [alarmsState({ created_since: '2026-01-01T00:00:00Z', seen: ['x'] })]],
    ['the middle of a record', 'd":"alarms"}}\n'],
  ])('%s', async (_, state) => {
    const world = await bed.world({});
    const run = await world.run('read', { catalog: catalogOf({ alarms: 'incremental' }), state });
    expect(run.code).toBe(1);
    expect(errors(run)).toHaveLength(1);
    expect(errors(run)[0]).toMatchObject({ failure_type: 'config_error' });
    expect(errors(run)[0]?.message).toMatch(/state/);
    expect(run.messages.filter(({ type }) => type === 'RECORD' || type === 'STATE')).toStrictEqual([]);
    expect((await world.requests()).endpoints.alarms.count).toBe(0);
  });

  test.concurrent('a file that is not there', async () => {
    const world = await bed.world({});
    const run = await bed.run(['read', '--state', '/nowhere/state.json'], { config: world.config });
    await expectRefusal(run, world, /state \/nowhere\/state\.json: ./);
  });
});
