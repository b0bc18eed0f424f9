import { chmod } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { catalogOf } from '../../support/catalogs.ts';
import { writeInputs, type Inputs } from '../../support/input-files.ts';
import { runConnector, type Run } from '../../support/run-connector.ts';
import { announcedConfigs, errors, recordTexts, stateArray, statuses } from '../../support/run-views.ts';
import { secretsOf, useTestBed } from '../../support/test-bed.ts';
import { confined, newFolder, user } from './containers.ts';
import { canRunImages, image, tool } from './image.ts';

/** The options of a platform's pods that a connector can see. */
const variables = 'WORKER_JOB_ID=1 WORKER_JOB_ATTEMPT=0 DEPLOYMENT_MODE=OSS USE_STREAM_CAPABLE_STATE=true';
const env = variables.split(' ').map((variable) => `--env=${variable}`);
const pod = [`--user=${user}:${user}`, '--workdir=/source', ...env, '--entrypoint=sh'];

/** Starts the ENTRYPOINT, as `docker run` does, or the wrapper of a platform's pod. */
const WAYS = { byHand: [image], platform: [...pod, image, '-c', 'eval "$AIRBYTE_ENTRYPOINT $*"', 'sh'] };

/** Runs the image without writable folders. Every run must follow the rules of `streamConnector`. */
async function runImage(way: keyof typeof WAYS, command: string, inputs: Inputs): Promise<Run> {
  const { folder, args } = await writeInputs(await newFolder(), inputs);
  await chmod(folder, 0o755);
  const instead = [tool, 'run', ...confined, '-v', `${folder}:/source:ro`, ...WAYS[way]];
  const inside = args.map((word) => word.replace(folder, '/source'));
  return runConnector([command, ...inside], { folder, secrets: secretsOf(inputs.config), instead });
}

const catalog = catalogOf({ assets: 'full_refresh', alarms: 'incremental' });

/** What the container and the program must have in common: everything except times, tokens, log lines and folders. */
function outcome(run: Run): object {
  const messages = errors(run).map(({ message, failure_type: type }) => `${type}: ${message}`);
  return {
    code: run.code,
    answers: run.lines
      .filter((line) => /^\{"type":"(SPEC|CONNECTION_STATUS|CATALOG)"/.test(String(line)))
      .map(String),
    streams: ['assets', 'alarms'].map((list) => [recordTexts(run, list), statuses(run, list)]),
    // times depend on when the read began and how long it took
    states: JSON.stringify(stateArray(run)).replaceAll(/("(?:created_since|read_at)":")[^"]*/g, '$1'),
    errors: messages.map((message) => message.replaceAll(/\S*\/(?=config\.json)/g, '')).toSorted(),
  };
}

describe.runIf(canRunImages)('a pod without writable folders', () => {
  const bed = useTestBed();

  test('spec, check, discover and failures equal those of the program', async () => {
    const { config } = await bed.world({ assets: 120, alarms: 120 });
    const { config: refused } = await bed.world({ options: { permissions: { alarms: false } } });
    for (const [command, inputs, code] of [
      ['spec', {}, 0],
      ['check', { config }, 0],
      ['discover', { config }, 0],
      ['read', { config, catalog }, 0],
      ['read', { config: refused, catalog }, 1],
      ['read', { config: { ...config, auth_url: 'nowhere' }, catalog }, 1],
      ['read', {}, 2],
    ] as const) {
      const contained = await runImage('platform', command, inputs);
      expect(contained.code, command).toBe(code);
      expect(outcome(contained)).toStrictEqual(outcome(await bed.run([command], inputs)));
    }
  });

  test.each(['platform', 'byHand'] as const)('passes its token on in the config, started %s', async (way) => {
    const world = await bed.world({ assets: 60, alarms: 60 });
    // by hand, tokens are passed on if the config asks for it
    const config = { ...world.config, ...(way === 'byHand' ? { token_cache: '' } : {}) };
    const first = await runImage(way, 'read', { config });
    const [announcement, ...others] = announcedConfigs(first);
    expect(others).toStrictEqual([]);
    expect(announcement).toStrictEqual({ ...config, token_cache: expect.any(String) });
    const second = await runImage(way, 'read', { config: announcement });
    expect(announcedConfigs(second)).toStrictEqual([]);
    expect([first.code, second.code]).toStrictEqual([0, 0]);
    for (const run of [first, second])
      for (const list of ['assets', 'alarms'] as const) await world.expectExact([run], list, {});
    expect((await world.requests()).tokens.issued).toBe(1);
  });
});
