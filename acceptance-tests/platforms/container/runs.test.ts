import { chmod } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { catalogOf } from '../../support/catalogs.ts';
import { writeInputs } from '../../support/input-files.ts';
import type { Inputs } from '../../support/input-files.ts';
import { runConnector } from '../../support/run-connector.ts';
import type { Run } from '../../support/run-connector.ts';
import { errors, rowSet, stateArray, statuses } from '../../support/run-views.ts';
import { secretsOf, useTestBed } from '../../support/test-bed.ts';
import { confined, newFolder, user } from './containers.ts';
import { canRunImages, image, tool } from './image.ts';

/** What the pods of a platform set, as far as it tells a connector where it is. */
const pod = [
  `--user=${user}:${user}`,
  '--workdir=/source',
  '--env=WORKER_JOB_ID=1',
  '--env=WORKER_JOB_ATTEMPT=0',
  '--env=DEPLOYMENT_MODE=OSS',
  '--env=USE_STREAM_CAPABLE_STATE=true',
  '--entrypoint=sh',
];

/** Started by its ENTRYPOINT, as `docker run` does, or by the wrapper of a platform's pod. */
const WAYS = {
  byHand: [image],
  platform: [...pod, image, '-c', 'eval "$AIRBYTE_ENTRYPOINT $*"', 'sh'],
};

/** Runs the image, which can write nowhere; every run is held to the rules of `streamConnector`. */
async function runImage(way: keyof typeof WAYS, command: string, inputs: Inputs): Promise<Run> {
  const { folder, args } = await writeInputs(await newFolder(), inputs);
  await chmod(folder, 0o755);
  const instead = [tool, 'run', ...confined, '-v', `${folder}:/source:ro`, ...WAYS[way]];
  const inside = args.map((word) => word.replace(folder, '/source'));
  return runConnector([command, ...inside], { folder, secrets: secretsOf(inputs.config), instead });
}

const catalog = catalogOf({ assets: 'full_refresh', alarms: 'incremental' });

/** A run as the container and the bare program must agree on it: everything but times, tokens, log lines and folders. */
function outcome(run: Run): object {
  const told = errors(run).map(({ message, failure_type: type }) => `${type}: ${message}`);
  return {
    code: run.code,
    answers: run.lines
      .filter((line) => /^\{"type":"(SPEC|CONNECTION_STATUS|CATALOG)"/.test(String(line)))
      .map(String),
    streams: ['assets', 'alarms'].map((list) => [rowSet(run, list), statuses(run, list)]),
    // the watermark depends on how long the read took
    states: JSON.stringify(stateArray(run)).replaceAll(/("created_since":")[^"]*/g, '$1'),
    errors: told.map((words) => words.replaceAll(/\S*\/(?=config\.json)/g, '')).toSorted(),
  };
}

/** The configs that CONTROL messages hold. */
function announced(run: Run): object[] {
  return run.messages.flatMap((message) =>
    message.type === 'CONTROL' ? [message.control.connectorConfig.config as object] : [],
  );
}

describe.runIf(canRunImages)('a pod that can write nowhere', () => {
  const bed = useTestBed();

  test('spec, check, discover and failures are those of the bare program', async () => {
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

  // a run with the config of the CONTROL message needs no other token
  test.each(['platform', 'byHand'] as const)(
    'it hands its token on in the config, started %s',
    async (way) => {
      const world = await bed.world({ assets: 60, alarms: 60 });
      const { config } = world;
      const first = await runImage(way, 'read', { config });
      const [announcement, ...others] = announced(first);
      expect(others).toStrictEqual([]);
      expect(announcement).toStrictEqual({ ...config, token_cache: expect.any(String) });
      const second = await runImage(way, 'read', { config: announcement });
      expect(announced(second)).toStrictEqual([]);
      const { assets, alarms } = await world.groundTruth();
      for (const run of [first, second])
        expect([run.code, rowSet(run, 'assets'), rowSet(run, 'alarms')]).toStrictEqual([0, assets, alarms]);
      expect((await world.requests()).tokens.issued).toBe(1);
    },
  );
});
