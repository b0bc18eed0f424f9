import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { specRules } from '../spec/spec-rules.ts';
import type { Schema } from '../spec/subschemas.ts';
import { useTestBed } from '../support/test-bed.ts';
import { declaredTest, readAcceptanceTestConfig, readDeclared, sections } from './acceptance-test-config.ts';
import { catWorld, configAt } from './cat-world.ts';

const bed = useTestBed();
const declared = declaredTest('spec');

interface Spec {
  readonly connectionSpecification: Schema;
  readonly advanced_auth?: unknown;
}

async function printedSpec(): Promise<Spec> {
  const run = await bed.run(['spec'], {});
  const specs = run.messages.flatMap((message) => (message.type === 'SPEC' ? [message.spec] : []));
  expect(specs).toHaveLength(1);
  return specs[0] as unknown as Spec;
}

describe('acceptance-test-config.yml at strictness "high"', () => {
  const config = readAcceptanceTestConfig();

  test('declares every section, bypasses none', () => {
    expect(config.test_strictness_level).toBe('high');
    expect(Object.keys(config.acceptance_tests)).toStrictEqual([...sections]);
    for (const section of sections) expect(config.acceptance_tests[section].tests).not.toStrictEqual([]);
  });

  test('expects records and a future state, leaves no stream empty, and picks no catalog of its own', () => {
    expect(declaredTest('basic_read')).toMatchObject({
      expect_records: { path: expect.any(String) },
      validate_schema: true,
    });
    expect(declaredTest('basic_read')).not.toHaveProperty('empty_streams');
    expect(declaredTest('basic_read')).not.toHaveProperty('configured_catalog_path');
    expect(declaredTest('incremental')).toHaveProperty('future_state.future_state_path');
  });
});

describe('TestSpec', () => {
  test('test_config_match_spec', async () => {
    const world = await catWorld(bed);
    const ajv = formats.default(new Ajv({ strict: false }));
    const accepts = ajv.compile((await printedSpec()).connectionSpecification);
    expect(accepts(configAt(world, declared.config_path))).toBe(true);
    expect(accepts({})).toBe(false);
  });

  test('test_match_expected', async () => {
    expect(await printedSpec()).toStrictEqual(JSON.parse(readDeclared(declared.spec_path ?? '')));
  });

  test.each([
    'enum_usage',
    'oneof_usage',
    'secret_is_properly_marked',
    'property_type_is_not_array',
    'object_not_empty',
    'array_type',
    'forbidden_complex_types',
    'date_pattern',
    'date_format',
    'duplicate_order',
    'nested_group',
    'display_type',
    'defined_refs_exist_in_json_spec_file',
    'additional_properties_is_true',
  ])('test_%s', async (name) => {
    const rule = specRules[name];
    if (rule === undefined) throw new Error(`no rule ${name}`);
    expect(rule((await printedSpec()).connectionSpecification)).toStrictEqual([]);
  });

  test('test_required, test_optional, test_has_secret', async () => {
    const { connectionSpecification: form } = await printedSpec();
    expect(form.required).toContain('client_secret');
    expect(Object.keys(form.properties ?? {}).length).toBeGreaterThan(form.required?.length ?? 0);
    expect(form.properties?.['client_secret']).toMatchObject({ airbyte_secret: true });
  });

  test('test_secret_never_in_the_output', async () => {
    const world = await catWorld(bed);
    const config = { ...world.config, client_secret: 'kept-to-itself' };
    for (const command of ['check', 'discover', 'read'] as const) {
      const run = await world.run(command, { config });
      expect(run.stdout.toString()).not.toContain('kept-to-itself');
      // it was used: the API has refused it
      expect(run.stdout.toString()).toContain('client_secret');
    }
  });

  test('test_oauth_flow_parameters, test_oauth_is_default_method: there is no OAuth flow', async () => {
    expect(await printedSpec()).not.toHaveProperty('advanced_auth');
  });

  describe('the image, as its Dockerfile declares it', () => {
    const dockerfile = readFileSync(join(import.meta.dirname, '../../Dockerfile'), 'utf8');
    const { name, version } = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
    ) as { name: string; version: string };

    test('test_image_labels', () => {
      expect(dockerfile).toContain(`io.airbyte.name="${name}"`);
      expect(/ARG VERSION=(\S+)/.exec(dockerfile)?.[1]).toBe(version);
      expect(dockerfile).toMatch(/io\.airbyte\.version="\$\{VERSION\}"/);
    });

    test('test_image_environment_variables', () => {
      const entrypoint = /^ENTRYPOINT (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]';
      const variable = /^ENV AIRBYTE_ENTRYPOINT="(.*)"$/m.exec(dockerfile)?.[1];
      expect(variable).toBe((JSON.parse(entrypoint) as string[]).join(' '));
      expect(variable).toMatch(/^\//);
    });
  });
});
