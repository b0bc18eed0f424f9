import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { AirbyteStream } from '../../../src/generated/protocol.generated.ts';
import type { Run } from '../../support/run-connector.ts';
import { discovered, emissionTimes, recordTexts, stateArray, statuses } from '../../support/run-views.ts';
import { useTestBed, type TestWorld } from '../../support/test-bed.ts';
import { catalogFaults } from './catalog-rules.ts';
import { filledPaths, schemaPaths, strictValidator } from './record-rules.ts';
import type { Schema } from './schema.ts';

// The assertions of Airbyte's connector acceptance tests, with their names, as declared in acceptance-test-config.yml. Other files
// have those of the form (spec.test.ts, config-examples.test.ts), test_check (check-messages.test.ts), test_image_labels
// (documentation.test.ts) and reads from states (resume.test.ts, the simulation).

const kinds = ['assets', 'alarms'] as const;
const bed = useTestBed();
let world: TestWorld;
let streams: readonly AirbyteStream[];
let run: Run;
let times: readonly number[];
beforeAll(async () => {
  // the rows that expected-records.jsonl is taken from
  const rows = { assets: 60, alarms: 120, drivers: 30, trips: 40 };
  world = await bed.world({ seed: 1, ...rows, options: { alarmsMaxPageSize: 25 } });
  streams = discovered(await world.run('discover', {}));
  // like the acceptance tests: every stream, in its first mode
  const configured = streams.map((stream) => ({
    stream,
    sync_mode: stream.supported_sync_modes[0],
    destination_sync_mode: 'append',
  }));
  const startedMs = Date.now();
  run = await world.run('read', { catalog: { streams: configured } });
  times = [startedMs, ...emissionTimes(run), Date.now()];
});

const textAt = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');

test('acceptance-test-config.yml has strictness "high" and declares every section', () => {
  const { test_strictness_level, acceptance_tests } = parse(textAt('acceptance-test-config.yml')) as {
    readonly test_strictness_level: string;
    readonly acceptance_tests: Readonly<Record<string, { readonly tests: readonly object[] }>>;
  };
  expect(test_strictness_level).toBe('high');
  const sections = ['spec', 'connection', 'discovery', 'basic_read', 'full_refresh', 'incremental'];
  expect(Object.keys(acceptance_tests)).toStrictEqual(sections);
  for (const { tests } of Object.values(acceptance_tests)) expect(tests).not.toStrictEqual([]);
  const read = acceptance_tests['basic_read']?.tests[0];
  const wanted = ['schema', 'data_points', 'stream_statuses', 'state_messages', 'primary_keys_data_type'];
  expect(read).toMatchObject(Object.fromEntries(wanted.map((name) => [`validate_${name}`, true])));
  const expect_records = { path: 'expected-records.jsonl', exact_order: true };
  expect(read).toMatchObject({ expect_records, fail_on_extra_columns: true });
  for (const key of ['empty_streams', 'configured_catalog_path']) expect(read).not.toHaveProperty(key);
  const future_state = { future_state_path: 'future-state.json' };
  expect(acceptance_tests['incremental']?.tests[0]).toMatchObject({ future_state });
});

test('test_match_expected: spec prints spec.json', async () => {
  const spec = JSON.parse(textAt('../../../spec.json')) as object;
  expect((await bed.run(['spec'], {})).messages).toStrictEqual([{ type: 'SPEC', spec }]);
});

test('test_image_environment_variables', () => {
  const dockerfile = textAt('../../../Dockerfile');
  const entrypoint = JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]') as string[];
  expect(entrypoint[0]).toMatch(/^\//);
  expect(/^ENV AIRBYTE_ENTRYPOINT="(.*)"$/m.exec(dockerfile)?.[1]).toBe(entrypoint.join(' '));
});

test('test_discover, test_read: emitted_at is the time of emission', () => {
  expect(catalogFaults(streams)).toStrictEqual([]);
  expect(streams.map(({ name }) => name)).toStrictEqual([...kinds, 'drivers', 'trips']);
  expect(run.code).toBe(0);
  expect(times).toStrictEqual(times.toSorted((one, other) => one - other));
});

describe.each(kinds)('test_read: %s', (kind) => {
  const view = () => {
    const [stream] = streams.filter(({ name }) => name === kind);
    const texts = recordTexts(run, kind);
    const rows = texts.map((text) => JSON.parse(text) as Record<string, unknown>);
    return { stream, schema: stream?.json_schema as Schema, texts, rows };
  };

  test('records exist, each is strictly valid and has a field of the schema (validate_schema)', () => {
    const { schema, texts, rows } = view();
    const named = new Set(schemaPaths(schema).slice(1));
    const faults = strictValidator(schema);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter((row) => !filledPaths(row, '$').some((path) => named.has(path)))).toStrictEqual([]);
    expect(texts.flatMap((text) => faults(text))).toStrictEqual([]);
  });

  test('the primary key is a unique string (primary keys)', () => {
    const { stream, rows } = view();
    const [path = []] = stream?.source_defined_primary_key ?? [];
    const keys = rows.map((row) => row[path[0] ?? '']);
    expect(keys.filter((key) => typeof key !== 'string')).toStrictEqual([]);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('the fields with values are those of the schema (validate_data_points, fail_on_extra_columns)', () => {
    const { schema, rows } = view();
    const filled = new Set(rows.flatMap((row) => filledPaths(row, '$')));
    const columns = new Set(rows.flatMap((row) => Object.keys(row)));
    expect(schemaPaths(schema).filter((path) => !filled.has(path))).toStrictEqual([]);
    expect(Object.keys(schema.properties ?? {})).toStrictEqual(expect.arrayContaining([...columns]));
  });

  test('the expected records are emitted exactly, in order (expect_records)', () => {
    const head = `{"stream":"${kind}","data":`;
    const lines = textAt('expected-records.jsonl').split('\n');
    const own = lines.filter((line) => line.startsWith(head));
    const wanted = own.map((line) => line.slice(head.length, line.lastIndexOf(',"emitted_at"')));
    expect(wanted.length).toBeGreaterThan(2);
    expect(view().texts.filter((text) => wanted.includes(text))).toStrictEqual(wanted);
  });

  // every output is checked for the earlier statuses and for STREAM states with counts (validate-output.ts)
  test('it is COMPLETE (validate_stream_statuses, validate_state_messages)', () => {
    expect(statuses(run, kind).at(-1)).toBe('COMPLETE');
  });
});

test('test_state_with_abnormally_large_values: no rows, and the same state again', async () => {
  const state = JSON.parse(textAt('future-state.json')) as object[];
  const incremental = streams.filter((stream) => stream.supported_sync_modes.includes('incremental'));
  // every incremental stream has a future state
  expect(state).toMatchObject(incremental.map(({ name }) => ({ stream: { stream_descriptor: { name } } })));
  const catalog = { streams: incremental.map((stream) => ({ stream, sync_mode: 'incremental' })) };
  const read = await world.run('read', { catalog, state });
  expect(read.messages.filter(({ type }) => type === 'RECORD')).toStrictEqual([]);
  expect(new Set(stateArray(read))).toStrictEqual(new Set(state));
});
