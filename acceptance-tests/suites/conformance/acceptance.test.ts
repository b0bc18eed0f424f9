import { beforeAll, describe, expect, test } from 'vitest';
import type { AirbyteStream } from '../../../src/generated/protocol.generated.ts';
import type { SandboxConfig } from '../../sandbox/client.ts';
import type { Run } from '../../support/run-connector.ts';
import { discovered, recordTexts, states, statuses, verdict } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';
import type { TestWorld } from '../../support/test-bed.ts';
import { catalogFaults, fieldAt } from './catalog-rules.ts';
import { configFor, declared, expectedWorld, sections, textAt } from './declared.ts';
import { filledPaths, schemaPaths, strictValidator } from './record-rules.ts';
import type { Schema } from './schema.ts';

// The assertions of Airbyte's connector acceptance tests (their names are kept), as acceptance-test-config.yml declares
// them, on the built program. Those on the form alone are in spec.test.ts.

const testsOf = declared.acceptance_tests;
const kinds = ['assets', 'alarms'] as const;
const bed = useTestBed();
let world: TestWorld;
beforeAll(async () => {
  world = await expectedWorld(bed);
});
const configAt = (path: string): SandboxConfig => configFor(world, path);

describe('acceptance-test-config.yml at strictness "high"', () => {
  test('declares every section, bypasses none', () => {
    expect(declared.test_strictness_level).toBe('high');
    expect(Object.keys(testsOf)).toStrictEqual([...sections]);
    for (const section of sections) expect(testsOf[section].tests).not.toStrictEqual([]);
  });

  test('expects records and a future state, leaves no stream empty, and picks no catalog of its own', () => {
    const [read] = testsOf.basic_read.tests;
    const wanted = ['schema', 'data_points', 'stream_statuses', 'state_messages', 'primary_keys_data_type'];
    expect(read).toMatchObject(Object.fromEntries(wanted.map((name) => [`validate_${name}`, true])));
    expect(read).toMatchObject({ expect_records: { path: expect.any(String) }, fail_on_extra_columns: true });
    expect(read).not.toHaveProperty('empty_streams');
    expect(read).not.toHaveProperty('configured_catalog_path');
    expect(testsOf.incremental.tests[0]).toHaveProperty('future_state.future_state_path');
  });
});

describe('TestSpec', () => {
  const [{ spec_path = '' }] = testsOf.spec.tests;
  const spec = JSON.parse(textAt(spec_path)) as object;

  test('test_match_expected: what spec.test.ts finds in spec.json holds for what is printed', async () => {
    expect((await bed.run(['spec'], {})).messages).toStrictEqual([{ type: 'SPEC', spec }]);
  });

  // test_config_match_spec is in config-examples.test.ts, and each run of each suite is searched for secrets

  test('test_image_labels, test_image_environment_variables: the image, as its Dockerfile declares it', () => {
    const dockerfile = textAt('../../../Dockerfile');
    const { name, version } = JSON.parse(textAt('../../../package.json')) as Record<string, string>;
    expect(dockerfile).toContain(`io.airbyte.name="${name}"`);
    expect(/ARG VERSION=(\S+)/.exec(dockerfile)?.[1]).toBe(version);
    expect(dockerfile).toMatch(/io\.airbyte\.version="\$\{VERSION\}"/);
    const entrypoint = /^ENTRYPOINT (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]';
    const variable = /^ENV AIRBYTE_ENTRYPOINT="(.*)"$/m.exec(dockerfile)?.[1];
    expect(variable).toBe((JSON.parse(entrypoint) as string[]).join(' '));
    expect(variable).toMatch(/^\//);
  });
});

describe('TestConnection', () => {
  test.each(testsOf.connection.tests)('test_check: $config_path is to $status', async (entry) => {
    const run = await world.run('check', { config: configAt(entry.config_path) });
    expect(verdict(run).status).toBe(entry.status === 'succeed' ? 'SUCCEEDED' : 'FAILED');
  });

  test('test_check: a config that breaks the spec is to fail too, or to be an exception', async () => {
    const run = await world.run('check', { config: { ...world.config, client_id: 5 } });
    const types = run.messages.map(({ type }) => type);
    expect([
      types.filter((type) => type === 'CONNECTION_STATUS').length,
      types.includes('TRACE'),
    ]).toStrictEqual([1, false]);
  });
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

  test('test_discover and the rules for a catalog', () => {
    expect(catalogFaults(streams)).toStrictEqual([]);
    const keys = streams.map((stream) =>
      (stream.source_defined_primary_key ?? []).map((path) => fieldAt(stream, path)),
    );
    expect(keys).toMatchObject([[{ type: ['null', 'string'] }], [{ type: ['null', 'string'] }]]);
    expect(streams.map(({ default_cursor_field: cursor }) => cursor)).toStrictEqual([
      undefined,
      ['createdDate'],
    ]);
  });

  test('test_read', () => {
    expect(run.code).toBe(0);
    expect(streams.map(({ name }) => name)).toStrictEqual([...kinds]);
  });

  describe.each(kinds)('test_read: %s', (kind) => {
    const [{ expect_records }] = testsOf.basic_read.tests;
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
      const named = Object.keys(schema.properties ?? {});
      expect(schemaPaths(schema).filter((path) => !filled.has(path))).toStrictEqual([]);
      expect(rows.flatMap((row) => Object.keys(row).filter((name) => !named.includes(name)))).toStrictEqual(
        [],
      );
    });

    test('the expected records are there, in order and exactly (expect_records)', () => {
      const lines = textAt(expect_records?.path ?? '').split('\n');
      const head = `{"stream":"${kind}","data":`;
      const own = lines.filter((line) => line.startsWith(head));
      const wanted = own.map((line) => line.slice(head.length, line.lastIndexOf(',"emitted_at"')));
      expect(wanted.length).toBeGreaterThan(2);
      expect(texts.filter((text) => wanted.includes(text))).toStrictEqual(wanted);
    });

    // that a state is of type STREAM and tells its count is held of every line (validate-output.ts)
    test('it is STARTED, then RUNNING, then COMPLETE, and has a state', () => {
      const found = statuses(run, kind);
      expect([found[0], new Set(found.slice(1, -1)), found.at(-1)]).toStrictEqual([
        'STARTED',
        new Set(['RUNNING']),
        'COMPLETE',
      ]);
      expect(states(run, kind).length).toBeGreaterThan(0);
    });
  });
});
