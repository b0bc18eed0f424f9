import { beforeAll, describe, expect, test } from 'vitest';
import type { AirbyteStream } from '../../../src/generated/protocol.generated.ts';
import type { SandboxConfig } from '../../sandbox/client.ts';
import type { Run } from '../../support/run-connector.ts';
import { discovered, recordTexts, statuses, verdict } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';
import type { TestWorld } from '../../support/test-bed.ts';
import { catalogFaults } from './catalog-rules.ts';
import { configFor, declared, expectedWorld, textAt } from './declared.ts';
import { filledPaths, schemaPaths, strictValidator } from './record-rules.ts';
import type { Schema } from './schema.ts';

// The assertions of Airbyte's connector acceptance tests (their names are kept), as acceptance-test-config.yml declares
// them, on the built program. Those on the form alone are in spec.test.ts, test_config_match_spec in config-examples.test.ts,
// and each run of each suite is searched for secrets.

const testsOf = declared.acceptance_tests;
const kinds = ['assets', 'alarms'] as const;
const bed = useTestBed();
let world: TestWorld;
beforeAll(async () => {
  world = await expectedWorld(bed);
});
const configAt = (path: string): SandboxConfig => configFor(world, path);

test('acceptance-test-config.yml is of strictness "high": it declares every section, and leaves nothing out', () => {
  expect(declared.test_strictness_level).toBe('high');
  const sections = ['spec', 'connection', 'discovery', 'basic_read', 'full_refresh', 'incremental'];
  expect(Object.keys(testsOf)).toStrictEqual(sections);
  for (const { tests } of Object.values(testsOf)) expect(tests).not.toStrictEqual([]);
  const [read] = testsOf.basic_read.tests;
  const wanted = ['schema', 'data_points', 'stream_statuses', 'state_messages', 'primary_keys_data_type'];
  expect(read).toMatchObject(Object.fromEntries(wanted.map((name) => [`validate_${name}`, true])));
  expect(read).toMatchObject({ expect_records: { path: expect.any(String) }, fail_on_extra_columns: true });
  expect(read).not.toHaveProperty('empty_streams');
  expect(read).not.toHaveProperty('configured_catalog_path');
  expect(testsOf.incremental.tests[0]).toHaveProperty('future_state.future_state_path');
});

test('test_match_expected: what spec.test.ts finds in spec.json holds for what is printed', async () => {
  const spec = JSON.parse(textAt(testsOf.spec.tests[0].spec_path ?? '')) as object;
  expect((await bed.run(['spec'], {})).messages).toStrictEqual([{ type: 'SPEC', spec }]);
});

// test_image_labels is in packaging/versions.test.ts
test('test_image_environment_variables: as the Dockerfile declares them', () => {
  const dockerfile = textAt('../../../Dockerfile');
  const entrypoint = JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]') as string[];
  expect(entrypoint[0]).toMatch(/^\//);
  expect(/^ENV AIRBYTE_ENTRYPOINT="(.*)"$/m.exec(dockerfile)?.[1]).toBe(entrypoint.join(' '));
});

// one that breaks the spec is to fail too, or to be an exception
test.each([
  ...testsOf.connection.tests.map(({ config_path, status }) => [config_path, status, {}] as const),
  ['one that breaks the spec', 'failed', { client_id: 5 }] as const,
])('test_check: the config %s is to be %s', async (path, status, changes) => {
  const config = path.endsWith('.json') ? configAt(path) : world.config;
  const run = await world.run('check', { config: { ...config, ...changes } });
  expect(verdict(run).status).toBe(status === 'succeed' ? 'SUCCEEDED' : 'FAILED');
  expect(run.messages.filter(({ type }) => type === 'TRACE')).toStrictEqual([]);
});

describe('TestDiscovery and TestBasicRead', () => {
  let streams: readonly AirbyteStream[];
  let run: Run;

  beforeAll(async () => {
    const [{ config_path }] = testsOf.discovery.tests;
    streams = discovered(await world.run('discover', { config: configAt(config_path) }));
    // as the acceptance tests configure it: every stream, in the first mode that it has
    const configured = streams.map((stream) => ({
      stream,
      sync_mode: stream.supported_sync_modes[0],
      destination_sync_mode: 'append',
    }));
    const config = configAt(testsOf.basic_read.tests[0].config_path);
    run = await world.run('read', { config, catalog: { streams: configured } });
  });

  test('test_discover, test_read', () => {
    expect(catalogFaults(streams)).toStrictEqual([]);
    expect(streams.map(({ name }) => name)).toStrictEqual(kinds);
    expect(run.code).toBe(0);
  });

  describe.each(kinds)('test_read: %s', (kind) => {
    let stream: AirbyteStream;
    let schema: Schema;
    let texts: readonly string[];
    let rows: readonly Record<string, unknown>[];
    beforeAll(() => {
      stream = streams[kinds.indexOf(kind)] as AirbyteStream;
      schema = stream.json_schema as Schema;
      texts = recordTexts(run, kind);
      rows = texts.map((text) => JSON.parse(text) as Record<string, unknown>);
    });

    test('there are records, each with a field of the schema and valid by it, strictly (validate_schema)', () => {
      const named = new Set(schemaPaths(schema).slice(1));
      const faults = strictValidator(schema);
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.filter((row) => !filledPaths(row, '$').some((path) => named.has(path)))).toStrictEqual([]);
      expect(texts.flatMap((text) => faults(text))).toStrictEqual([]);
    });

    test('the primary key is a plain value, never null (primary keys)', () => {
      const [path = []] = stream.source_defined_primary_key ?? [];
      const keys = rows.map((row) => row[path[0] ?? '']);
      expect(keys.filter((key) => typeof key !== 'string')).toStrictEqual([]);
      expect(new Set(keys).size).toBe(keys.length);
    });

    test('what has a value in some record is what the schema names (validate_data_points, fail_on_extra_columns)', () => {
      const filled = new Set(rows.flatMap((row) => filledPaths(row, '$')));
      const columns = new Set(rows.flatMap((row) => Object.keys(row)));
      expect(schemaPaths(schema).filter((path) => !filled.has(path))).toStrictEqual([]);
      expect(Object.keys(schema.properties ?? {})).toStrictEqual(expect.arrayContaining([...columns]));
    });

    test('the expected records are there, in order and exactly (expect_records)', () => {
      const head = `{"stream":"${kind}","data":`;
      const lines = textAt(testsOf.basic_read.tests[0].expect_records?.path ?? '').split('\n');
      const own = lines.filter((line) => line.startsWith(head));
      const wanted = own.map((line) => line.slice(head.length, line.lastIndexOf(',"emitted_at"')));
      expect(wanted.length).toBeGreaterThan(2);
      expect(texts.filter((text) => wanted.includes(text))).toStrictEqual(wanted);
    });

    // what comes before, and a state of type STREAM with its count, is asked of every output (validate-output.ts)
    test('it is COMPLETE (validate_stream_statuses, validate_state_messages)', () => {
      expect(statuses(run, kind).at(-1)).toBe('COMPLETE');
    });
  });
});
