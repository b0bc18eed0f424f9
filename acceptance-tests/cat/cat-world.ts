import type { SandboxConfig } from '../sandbox/client.ts';
import type { TestBed, TestWorld } from '../support/test-bed.ts';
import { readDeclared } from './acceptance-test-config.ts';

/** A world of the rows that `expected-records.jsonl` is taken from, as `acceptance-test-config.yml` says. */
export function catWorld(bed: TestBed): Promise<TestWorld> {
  return bed.world({ seed: 1, assets: 60, alarms: 120, options: { alarmsMaxPageSize: 25 } });
}

/** The config at a path of `acceptance-test-config.yml`: that of the world, or a file's with the world's addresses. */
export function configAt(world: TestWorld, path: string): SandboxConfig {
  // what the sandbox writes for people
  if (path.endsWith('.work/sandbox-config.json')) return world.config;
  const declared = JSON.parse(readDeclared(path)) as SandboxConfig;
  return {
    ...declared,
    auth_url: world.config.auth_url,
    assets: { ...declared.assets, base_url: world.config.assets.base_url },
    alarms: { ...declared.alarms, base_url: world.config.alarms.base_url },
  };
}
