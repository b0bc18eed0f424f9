import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearValid } from '../../../src/config/near-valid.test-support.ts';
import { catalogOf } from '../../support/catalogs.ts';
import { fastTime } from '../../support/fast-time.ts';
import type { Inputs } from '../../support/input-files.ts';
import { errors } from '../../support/run-views.ts';
import { useTestBed } from '../../support/test-bed.ts';

// In thousands of runs the functions that load the files are tested beside the code; here a few go through the program.
const bed = useTestBed();
const seed = Number(process.env['PROPERTY_SEED'] ?? Date.now() % 2 ** 31);
const files = 12;

function samples(document: unknown): [index: number, content: Buffer][] {
  const found = fc.sample(nearValid([document]), { seed, numRuns: files });
  return found.map((content, index) => [index, content]);
}

const world = (): ReturnType<typeof bed.world> => bed.world({ assets: 10, alarms: 10 });
const alarms = { type: 'STREAM', stream: { stream_descriptor: { name: 'alarms' } } };
const state = [{ ...alarms, stream_state: { created_since: '2026-01-01T00:00:00Z', seen: [] } }];

describe.concurrent(`files written by hand, cut or damaged (PROPERTY_SEED=${seed})`, () => {
  test.concurrent.each<[keyof Inputs, number, Buffer]>([
    ...samples(catalogOf({ assets: 'full_refresh', alarms: 'incremental' })).map(
      ([index, content]): [keyof Inputs, number, Buffer] => ['catalog', index, content],
    ),
    ...samples(state).map(([index, content]): [keyof Inputs, number, Buffer] => ['state', index, content]),
  ])('%s %i: a config_error that names it, or a sound run', async (name, _, content) => {
    const run = await (await world()).run('read', { [name]: content });
    expect(run.code).toBe(errors(run).length === 0 ? 0 : 1);
    for (const { failure_type: type, message, stack_trace: stack } of errors(run)) {
      expect([type, stack]).toStrictEqual(['config_error', undefined]);
      expect(message).toMatch(new RegExp(`^${name} .*: |^state of (assets|alarms): `));
    }
  });

  test.concurrent.each(Array.from({ length: files }, (_, index) => index))(
    'config %i: a config_error that names it, or a sound run',
    async (index) => {
      const tried = await world();
      const [, content] = samples(tried.config)[index] ?? [0, Buffer.from('')];
      const run = await tried.run('read', { config: content, env: fastTime(50) });
      expect(run.code).toBe(errors(run).length === 0 ? 0 : 1);
      for (const { failure_type: type, stack_trace: stack } of errors(run)) {
        // another address is a sound config, and nobody answers there
        expect(['config_error', 'transient_error']).toContain(type);
        expect(stack).toBeUndefined();
      }
    },
  );
});
