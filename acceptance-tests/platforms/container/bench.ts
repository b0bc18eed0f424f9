import { chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validateLines } from '../../suites/conformance/validate-output.ts';
import { startSandbox } from '../../sandbox/client.ts';
import type { Scenario, ScenarioOptions } from '../../sandbox/client.ts';
import { writeInputs } from '../../support/input-files.ts';
import type { Inputs } from '../../support/input-files.ts';
import { expectNoSecret, runConnector } from '../../support/run-connector.ts';
import type { Run } from '../../support/run-connector.ts';
import { ended, startContainer } from './container-tool.ts';
import type { Finished } from './container-tool.ts';

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
const platformVariables = [
  'WORKER_JOB_ID=1',
  'WORKER_JOB_ATTEMPT=0',
  'DEPLOYMENT_MODE=OSS',
  'USE_STREAM_CAPABLE_STATE=true',
].flatMap((variable) => ['-e', variable]);

/** A run in a container: how it is started, its input, and options of `docker run`, for example a volume. */
export interface ContainerRun extends Inputs {
  /** By the wrapper of a platform's pod, or by its ENTRYPOINT as `docker run` does. */
  readonly way: 'platform' | 'byHand';
  readonly options: readonly string[];
}

/** What the checks on a running container share. */
export interface Bench {
  /** A folder for files, removed at the end. */
  readonly folder: string;
  world(options: ScenarioOptions): Promise<Scenario>;
  /** Runs the image; throws if a line breaks the protocol, stderr is not empty, or the secret is in a message that may not hold it. */
  contained(command: string, run: ContainerRun): Promise<Run>;
  /** Runs the bare program in the same way, with a place of its own for tokens. */
  bare(command: string, inputs: Inputs): Promise<Run>;
  close(): Promise<void>;
}

/** Starts the sandbox that containers and the bare program read. */
export async function createBench(): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'container-tests-'));
  const sandbox = await startSandbox();
  return {
    folder,
    world: sandbox.createScenario,
    contained: async (command, run) => {
      const { code, stdout, stderr } = await finishedRun(folder, command, run);
      if (stderr !== '') throw new Error(`stderr is not empty: ${stderr}`);
      const messages = validateLines(stdout);
      // a newline is in no character of more than one byte
      const lines = stdout.split('\n').slice(0, -1);
      const bytes = lines.map((line) => Buffer.from(line));
      for (const [index, message] of messages.entries())
        expectNoSecret(message, bytes[index] ?? Buffer.alloc(0), secretsOf(run));
      return { code, signal: null, stderr, stdout: Buffer.from(stdout), messages, lines: bytes };
    },
    bare: async (command, inputs) => {
      const files = await writeInputs(folder, inputs);
      return runConnector([command, ...files.args], { folder: files.folder, secrets: secretsOf(inputs) });
    },
    close: async () => {
      await sandbox.stop();
      await rm(folder, { recursive: true });
    },
  };
}

function secretsOf({ config }: Inputs): readonly string[] {
  const secret = (config as { client_secret?: string } | undefined)?.client_secret;
  return secret === undefined ? [] : [secret];
}

async function finishedRun(parent: string, command: string, run: ContainerRun): Promise<Finished> {
  const { folder, args } = await writeSource(parent, run);
  if (run.way === 'byHand') {
    const options = [...confined, '-v', `${folder}:/source:ro`, ...run.options];
    return ended(startContainer(options, [command, ...args]));
  }
  // the wrapper of a pod: what the connector says goes to files (there: pipes), and so does its exit code
  const words = [command, ...args].join(' ');
  const wrapper = `(eval "$AIRBYTE_ENTRYPOINT ${words}" 2> stderr > stdout); echo $? > TEMP_EXIT_CODE.txt`;
  const pod = ['--user', `${user}:${user}`, '-v', `${folder}:/source`, '-w', '/source'];
  const options = [...confined, ...pod, '--entrypoint', 'sh', ...platformVariables, ...run.options];
  const { stderr } = await ended(startContainer(options, ['-c', wrapper]));
  const file = (name: string): Promise<string> =>
    readFile(join(folder, name), 'utf8').catch(() => {
      throw new Error(`the container left no ${name}: ${stderr}`);
    });
  const code = Number(await file('TEMP_EXIT_CODE.txt'));
  return { code, stdout: await file('stdout'), stderr: await file('stderr') };
}

/** Input files as a pod has them, all of them the connector's user's, and their arguments inside the container. */
async function writeSource(
  parent: string,
  { config, catalog, state }: Inputs,
): Promise<{ readonly folder: string; readonly args: readonly string[] }> {
  const folder = await mkdtemp(join(parent, 'source-'));
  await chown(folder, user, user);
  const args: string[] = [];
  for (const [option, name, content] of [
    ['--config', 'connectorConfig.json', config],
    ['--catalog', 'catalog.json', catalog],
    ['--state', 'inputState.json', state],
  ] as const) {
    if (content === undefined) continue;
    const path = join(folder, name);
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
    await chown(path, user, user);
    args.push(option, `/source/${name}`);
  }
  return { folder, args };
}
