import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '../../sandbox/client.ts';
import type { Scenario, ScenarioOptions } from '../../sandbox/client.ts';
import { writeInputs } from '../../support/input-files.ts';
import type { Inputs } from '../../support/input-files.ts';
import { runConnector } from '../../support/run-connector.ts';
import type { Run } from '../../support/run-connector.ts';
import { image, tool } from './container-tool.ts';

/** The user as whom platforms run a connector. */
export const user = 1000;

/** What every run in a container gets: no way to write but to mounts, no rights beyond those of a plain user. */
export const confined = [
  '--read-only',
  '--read-only-tmpfs=false',
  '--cap-drop=ALL',
  '--security-opt=no-new-privileges',
];

/** What the pods of a platform set, as far as it tells a connector where it is. */
const podVariables = [
  '--env=WORKER_JOB_ID=1',
  '--env=WORKER_JOB_ATTEMPT=0',
  '--env=DEPLOYMENT_MODE=OSS',
  '--env=USE_STREAM_CAPABLE_STATE=true',
];
const pod = [`--user=${user}:${user}`, '--workdir=/source', ...podVariables, '--entrypoint=sh'];

/** Started by its ENTRYPOINT, as `docker run` does, or by the wrapper of a platform's pod. */
const WAYS = {
  byHand: [image],
  platform: [...pod, image, '-c', 'eval "$AIRBYTE_ENTRYPOINT $*"', 'sh'],
};

/** What the checks on a running container share. Runs are held to what every run of the program is held to. */
export interface Bench {
  /** A new folder that every user may read, removed at the end. */
  newFolder(): Promise<string>;
  world(options: ScenarioOptions): Promise<Scenario>;
  /** Runs the image, which can write nowhere. */
  contained(way: keyof typeof WAYS, command: string, inputs: Inputs): Promise<Run>;
  /** Runs the bare program, with a place of its own for tokens. */
  bare(command: string, inputs: Inputs): Promise<Run>;
  close(): Promise<void>;
}

/** Starts the sandbox that containers and the bare program read. */
export async function createBench(): Promise<Bench> {
  const parent = await mkdtemp(join(tmpdir(), 'container-tests-'));
  const sandbox = await startSandbox();
  return {
    newFolder: async () => {
      const folder = await mkdtemp(join(parent, 'folder-'));
      await chmod(folder, 0o755);
      return folder;
    },
    world: sandbox.createScenario,
    contained: async (way, command, inputs) => {
      const { folder, args } = await writeInputs(parent, inputs);
      await chmod(folder, 0o755);
      const instead = [tool, 'run', ...confined, '-v', `${folder}:/source:ro`, ...WAYS[way]];
      const inside = args.map((word) => word.replace(folder, '/source'));
      return runConnector([command, ...inside], { folder, secrets: secretsOf(inputs), instead });
    },
    bare: async (command, inputs) => {
      const { folder, args } = await writeInputs(parent, inputs);
      return runConnector([command, ...args], { folder, secrets: secretsOf(inputs) });
    },
    close: async () => {
      await sandbox.stop();
      await rm(parent, { recursive: true });
    },
  };
}

function secretsOf({ config }: Inputs): readonly string[] {
  return [(config as { client_secret?: string } | undefined)?.client_secret ?? []].flat();
}
