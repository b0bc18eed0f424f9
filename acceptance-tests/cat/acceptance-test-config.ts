import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The sections of the config that strictness "high" asks for. */
export const sections = [
  'spec',
  'connection',
  'discovery',
  'basic_read',
  'full_refresh',
  'incremental',
] as const;

/** One entry of a section, as far as these tests use it. */
export interface DeclaredTest {
  readonly config_path: string;
  readonly status?: 'succeed' | 'failed' | 'exception';
  readonly spec_path?: string;
  readonly configured_catalog_path?: string;
  readonly empty_streams?: readonly { readonly name: string; readonly bypass_reason?: string }[];
  readonly expect_records?: { readonly path: string; readonly exact_order?: boolean };
  readonly validate_schema?: boolean;
  readonly validate_data_points?: boolean;
  readonly validate_stream_statuses?: boolean;
  readonly validate_state_messages?: boolean;
  readonly validate_primary_keys_data_type?: boolean;
  readonly expect_trace_message_on_failure?: boolean;
  readonly future_state?: { readonly future_state_path: string };
}

/** `acceptance-test-config.yml`, in the format of Airbyte's connector acceptance tests. */
export interface AcceptanceTestConfig {
  readonly connector_image: string;
  readonly test_strictness_level: string;
  readonly acceptance_tests: Readonly<
    Record<(typeof sections)[number], { readonly tests: readonly DeclaredTest[] }>
  >;
}

const base = join(import.meta.dirname, '..');

/** The config as it stands in the repository. */
export function readAcceptanceTestConfig(): AcceptanceTestConfig {
  return parse(readDeclared('acceptance-test-config.yml')) as AcceptanceTestConfig;
}

/** The one entry of a section. Throws if it has none. */
export function declaredTest(section: (typeof sections)[number]): DeclaredTest {
  const [test] = readAcceptanceTestConfig().acceptance_tests[section].tests;
  if (test === undefined) throw new Error(`acceptance-test-config.yml: ${section} has no test`);
  return test;
}

/** The text of a file that the config names; paths go from the folder of the config. */
export function readDeclared(path: string): string {
  return readFileSync(join(base, path), 'utf8');
}
