import { beforeAll, describe, expect, test } from 'vitest';
import type { AirbyteStream } from '../../src/generated/protocol.generated.ts';
import type { Schema } from '../spec/subschemas.ts';
import { memberText } from '../support/json-member.ts';
import type { Run } from '../support/run-connector.ts';
import { discovered, errors, recordTexts, states, statuses } from '../support/run-views.ts';
import { useTestBed } from '../support/test-bed.ts';
import type { TestWorld } from '../support/test-bed.ts';
import { declaredTest, readDeclared } from './acceptance-test-config.ts';
import { catWorld, configAt } from './cat-world.ts';
import { filledPaths, schemaPaths, strictValidator } from './record-rules.ts';

const bed = useTestBed();
const declared = declaredTest('basic_read');
const kinds = ['assets', 'alarms'] as const;
let world: TestWorld;
let streams: readonly AirbyteStream[];
let run: Run;

beforeAll(async () => {
  world = await catWorld(bed);
  const config = configAt(world, declared.config_path);
  streams = discovered(await world.run('discover', { config }));
  // as the acceptance tests configure it: every stream, in the first mode that it has
  const configured = streams.map((stream) => ({
    stream,
    sync_mode: stream.supported_sync_modes[0],
    destination_sync_mode: 'append',
  }));
  run = await world.run('read', { config, catalog: { streams: configured } });
});

function streamOf(kind: string): AirbyteStream {
  const found = streams.find(({ name }) => name === kind);
  if (found === undefined) throw new Error(`no stream ${kind}`);
  return found;
}

const rowsOf = (kind: (typeof kinds)[number]): Record<string, unknown>[] =>
  recordTexts(run, kind).map((text) => JSON.parse(text) as Record<string, unknown>);

describe('TestBasicRead.test_read', () => {
  test('there are records, and of each stream that is not declared as empty', () => {
    expect(run.code).toBe(0);
    const empty = (declared.empty_streams ?? []).map(({ name }) => name);
    for (const kind of kinds) expect(recordTexts(run, kind).length > 0 || empty.includes(kind)).toBe(true);
  });

  test.each(kinds)('each record of %s has a field of the schema', (kind) => {
    const named = new Set(schemaPaths(streamOf(kind).json_schema as Schema).slice(1));
    const strange = rowsOf(kind).filter((row) => !filledPaths(row, '$').some((path) => named.has(path)));
    expect(strange).toStrictEqual([]);
  });

  test.each(kinds)('each record of %s is valid by the schema, strictly (validate_schema)', (kind) => {
    const faults = strictValidator(streamOf(kind).json_schema);
    expect(recordTexts(run, kind).flatMap((text) => faults(text))).toStrictEqual([]);
  });

  test.each(kinds)('no record of %s has a column that the schema lacks (fail_on_extra_columns)', (kind) => {
    const named = Object.keys((streamOf(kind).json_schema as Schema).properties ?? {});
    const extra = rowsOf(kind).flatMap((row) => Object.keys(row).filter((name) => !named.includes(name)));
    expect(extra).toStrictEqual([]);
  });

  test.each(kinds)('the primary key of %s is a plain value, never null (primary keys)', (kind) => {
    const [path = []] = streamOf(kind).source_defined_primary_key ?? [];
    const keys = rowsOf(kind).map((row) => row[path[0] ?? '']);
    expect(keys.filter((key) => typeof key !== 'string')).toStrictEqual([]);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test.each(kinds)('each field of %s has a value in some record (validate_data_points)', (kind) => {
    expect(declared.validate_data_points).toBe(true);
    const filled = new Set(rowsOf(kind).flatMap((row) => filledPaths(row, '$')));
    const schema = streamOf(kind).json_schema as Schema;
    expect(schemaPaths(schema).filter((path) => !filled.has(path))).toStrictEqual([]);
  });

  test.each(kinds)('the expected records of %s are there, in order and exactly (expect_records)', (kind) => {
    const lines = readDeclared(declared.expect_records?.path ?? '').split('\n');
    const expected = lines.filter((line) => memberText(line, ['stream']) === `"${kind}"`);
    const texts = expected.map((line) => memberText(line, ['data']));
    expect(texts.length).toBeGreaterThan(2);
    expect(recordTexts(run, kind).filter((text) => texts.includes(text))).toStrictEqual(texts);
  });

  test('the streams with statuses are those that were configured (validate_stream_statuses)', () => {
    const named = run.messages.flatMap((message) =>
      message.type === 'TRACE' && message.trace.type === 'STREAM_STATUS'
        ? [message.trace.stream_status.stream_descriptor.name]
        : [],
    );
    expect(new Set(named)).toStrictEqual(new Set(streams.map(({ name }) => name)));
  });

  test.each(kinds)('%s is STARTED, then RUNNING, then COMPLETE (validate_stream_statuses)', (kind) => {
    const found = statuses(run, kind);
    expect(found.length).toBeGreaterThanOrEqual(3);
    expect([found[0], found.at(-1)]).toStrictEqual(['STARTED', 'COMPLETE']);
    expect(new Set(found.slice(1, -1))).toStrictEqual(new Set(['RUNNING']));
  });

  test('each stream has a state, none is of the old kind, each tells its count (validate_state_messages)', () => {
    const found = run.messages.flatMap((message) => (message.type === 'STATE' ? [message.state] : []));
    for (const kind of kinds) expect(states(run, kind).length).toBeGreaterThan(0);
    expect(found.filter(({ type }) => type !== 'STREAM')).toStrictEqual([]);
    expect(found.filter(({ sourceStats }) => typeof sourceStats.recordCount !== 'number')).toStrictEqual([]);
  });
});

describe('TestBasicRead.test_airbyte_trace_message_on_failure', () => {
  test('a stream that does not exist gives a TRACE ERROR', async () => {
    const broken = {
      stream: {
        name: '__AIRBYTE__stream_that_does_not_exist',
        json_schema: { type: 'object', properties: { f1: { type: 'string' } } },
        supported_sync_modes: ['full_refresh'],
      },
      sync_mode: 'INVALID',
      destination_sync_mode: 'INVALID',
    };
    const failed = await world.run('read', { catalog: { streams: [broken] } });
    expect(errors(failed).length).toBeGreaterThan(0);
    expect(failed.code).not.toBe(0);
  });
});
