import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { SandboxConfig } from '../../sandbox/client.ts';
import type { TestBed, TestWorld } from '../../support/test-bed.ts';

type Section = 'spec' | 'connection' | 'discovery' | 'basic_read' | 'full_refresh' | 'incremental';

/** One entry of a section of the config, as far as these tests use it; paths go from this folder. */
interface DeclaredTest {
  readonly config_path: string;
  readonly status?: 'succeed' | 'failed';
  readonly spec_path?: string;
  readonly expect_records?: { readonly path: string };
  readonly future_state?: { readonly future_state_path: string };
}

/** What `acceptance-test-config.yml` declares. */
export const declared = parse(textAt('acceptance-test-config.yml')) as {
  readonly test_strictness_level: string;
  readonly acceptance_tests: Record<Section, { readonly tests: readonly [DeclaredTest] }>;
};

/** A world of the rows that `expected-records.jsonl` is taken from. */
export function expectedWorld(bed: TestBed): Promise<TestWorld> {
  return bed.world({ seed: 1, assets: 60, alarms: 120, options: { alarmsMaxPageSize: 25 } });
}

/** The text of a file that the config names. */
export function textAt(path: string): string {
  return readFileSync(join(import.meta.dirname, path), 'utf8');
}

/** The config at a path: the world's where the sandbox writes one for people, or a file's with the world's addresses. */
export function configFor(world: TestWorld, path: string): SandboxConfig {
  if (path.endsWith('.work/sandbox-config.json')) return world.config;
  const { auth_url, assets, alarms } = world.config;
  const written = JSON.parse(textAt(path)) as SandboxConfig;
  return {
    ...written,
    auth_url,
    assets: { ...written.assets, base_url: assets.base_url },
    alarms: { ...written.alarms, base_url: alarms.base_url },
  };
}
