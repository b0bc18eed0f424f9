import { expect, test } from 'vitest';
import { catalogOf } from '../../support/catalogs.ts';
import { fastTime } from '../../support/fast-time.ts';
import { errors, logs, recordTexts, states } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';

// what people and other tools pass as files; unit tests cover every form
const bed = useTestBed();

/** What Windows PowerShell writes. */
const utf16 = (document: unknown): Buffer => Buffer.from(`\ufeff${JSON.stringify(document)}\r\n`, 'utf16le');

test.concurrent('each input file in UTF-16 is refused with the cure', async () => {
  const world = await bed.world({});
  const catalog = catalogOf({ assets: 'full_refresh' });
  const inputs = { config: utf16(world.config), catalog: utf16(catalog), state: utf16([]) };
  for (const [name, content] of Object.entries(inputs)) {
    const run = await world.run('read', { [name]: content });
    expect([run.code, errors(run)]).toMatchObject([1, [{ failure_type: 'config_error' }]]);
    expect(errors(run)[0]?.message).toMatch(
      new RegExp(
        `^${name} \\S+: is encoded in UTF-16, as the > of Windows PowerShell .*; save it as UTF-8\\.$`,
      ),
    );
  }
  expect((await world.requests()).last).toStrictEqual([]);
});

const STATE = { created_since: '2025-12-01T00:00:00Z', created_field: 'createdDate' };

test.concurrent.each<[what: string, wrap: (name: string, state: object) => object]>([
  ['the settings page of Airbyte', (name, state) => [{ streamDescriptor: { name }, streamState: state }]],
  ['Singer', (name, state) => ({ bookmarks: { [name]: state } })],
  ['Meltano', (name, state) => ({ completed: { singer_state: { bookmarks: { [name]: state } } } })],
])('a read resumes from a state as %s has it', async (_, wrap) => {
  const world = await bed.world({ assets: 2, alarms: 300 });
  const run = await world.run('read', { state: wrap('alarms', STATE) });
  expect([run.code, errors(run)]).toStrictEqual([0, []]);
  const found = recordTexts(run, 'alarms').length;
  expect(found).toBeGreaterThan(0);
  expect(found).toBeLessThan(100);
});

test.concurrent.each<[what: string, state: object, words: RegExp]>([
  [
    'other streams',
    { trucks: STATE, 'my alarms': STATE },
    /only states of "trucks", "my alarms", and the config has "assets", "alarms"\. /,
  ],
  [
    'other streams, as a platform writes them',
    [{ streamDescriptor: { name: 'trucks' }, streamState: STATE }],
    /only states of "trucks"/,
  ],
])('a state of %s is an error, and nothing is read', async (_, state, words) => {
  const world = await bed.world({});
  const run = await world.run('read', { state });
  expect([run.code, errors(run)]).toMatchObject([
    1,
    [{ failure_type: 'config_error', internal_message: 'STATE_INVALID' }],
  ]);
  expect(errors(run)[0]?.message).toMatch(words);
  expect((await world.requests()).endpoints.alarms.count).toBe(0);
});

test.concurrent(
  'an empty state and the output of a read without a state begin from the start, the latter with a WARN',
  async () => {
    const world = await bed.world({ assets: 1, alarms: 2 });
    const failed = await world.run('read', {
      config: world.configWith({ alarms: { base_url: 'http://127.0.0.1:1' } }),
      options: ['--streams', 'alarms'],
      env: fastTime(50),
    });
    expect([failed.code, states(failed, 'alarms')]).toStrictEqual([75, []]);
    for (const state of [failed.stdout, '', '[]', '{}', 'null']) {
      const run = await world.run('read', { state });
      expect(run.code).toBe(0);
      const warning = expect.stringMatching(
        /^state \S+: contains no state of a stream, so every stream is read from/,
      ) as unknown;
      expect(logs(run, 'WARN')).toStrictEqual(typeof state === 'string' ? [] : [warning]);
      await world.expectExact([run], 'alarms', {});
    }
  },
);

test.concurrent(
  'the output of discover is a catalog: each stream of it is read, incrementally where it can be',
  async () => {
    const world = await bed.world({ assets: 3, alarms: 30 });
    const catalog = (await world.run('discover', {})).stdout;
    const run = await world.run('read', { catalog });
    expect([run.code, logs(run, 'WARN')]).toStrictEqual([0, []]);
    expect(logs(run, 'INFO')).toContainEqual(
      expect.stringMatching(
        /^catalog \S+: is the output of discover; reading all of its streams: assets \(full_refresh\), alarms \(incremental\)$/,
      ),
    );
    for (const list of ['assets', 'alarms'] as const) await world.expectExact([run], list, {});
    expect(states(run, 'alarms').at(-1)).toHaveProperty('created_since');
  },
);

test.concurrent.each(['check', 'read'] as const)('the output of %s is no catalog', async (command) => {
  const world = await bed.world({ assets: 1, alarms: 1 });
  const run = await world.run('read', { catalog: (await world.run(command, {})).stdout });
  expect(errors(run).map(({ message }) => message)).toStrictEqual([
    expect.stringMatching(
      /^catalog \S+: is output of the connector without a CATALOG; discover prints one\.$/,
    ),
  ]);
});
