import { once } from 'node:events';
import { chown, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { validateLines } from '../conformance/validate-output.ts';
import type { Inputs } from '../support/input-files.ts';
import type { Run } from '../support/run-connector.ts';
import { startContainer } from './container-tool.ts';

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

/** How a run is started: by the wrapper of a platform's pod, or by its ENTRYPOINT as `docker run` does. */
export type Way = 'platform' | 'byHand';

/** A run in a container: its options, and where its files are. */
export interface ContainerRun extends Inputs {
  readonly way: Way;
  /** Options of `docker run`, for example a volume. */
  readonly options: readonly string[];
}

/** Runs one command in a container and checks every line of its output against the protocol. */
export async function runInContainer(parent: string, command: string, run: ContainerRun): Promise<Run> {
  const source = await writeSource(parent, run);
  const args = [command, ...source.args];
  if (run.way === 'byHand') {
    const options = [...confined, '-v', `${source.folder}:/source:ro`, ...run.options];
    const child = startContainer(options, args);
    const [stdout, stderr, [code]] = await Promise.all([
      buffer(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    return runOf(stdout, stderr, code);
  }
  // the wrapper of a pod: what the connector says goes to files (there: pipes), and so does its exit code
  const wrapper = `(eval "$AIRBYTE_ENTRYPOINT ${args.join(' ')}" 2> stderr > stdout); echo $? > TEMP_EXIT_CODE.txt`;
  const pod = ['--user', `${user}:${user}`, '-v', `${source.folder}:/source`, '-w', '/source'];
  const shell = ['--entrypoint', 'sh'];
  const child = startContainer(
    [...confined, ...pod, ...shell, ...platformVariables, ...run.options],
    ['-c', wrapper],
  );
  const [said] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'close')]);
  const file = (name: string): Promise<Buffer> =>
    readFile(join(source.folder, name)).catch(() => {
      throw new Error(`the container left no ${name}: ${said}`);
    });
  const code = Number((await file('TEMP_EXIT_CODE.txt')).toString());
  return runOf(await file('stdout'), (await file('stderr')).toString(), code);
}

function runOf(stdout: Buffer, stderr: string, code: number | null): Run {
  if (stderr !== '') throw new Error(`stderr is not empty: ${stderr}`);
  const messages = validateLines(stdout);
  const lines: Buffer[] = [];
  for (let start = 0; start < stdout.length; start = stdout.indexOf('\n', start) + 1)
    lines.push(stdout.subarray(start, stdout.indexOf('\n', start)));
  return { code, signal: null, stderr, stdout, messages, lines };
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
    const plain = typeof content === 'string' || Buffer.isBuffer(content);
    const path = join(folder, name);
    await writeFile(path, plain ? content : JSON.stringify(content), { mode: 0o600 });
    await chown(path, user, user);
    args.push(option, `/source/${name}`);
  }
  return { folder, args };
}
