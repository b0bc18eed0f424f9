import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '../sandbox/client.ts';
import type { Sandbox, Scenario, ScenarioOptions } from '../sandbox/client.ts';
import { writeInputs } from '../support/input-files.ts';
import type { Inputs } from '../support/input-files.ts';
import { runConnector } from '../support/run-connector.ts';
import type { Run } from '../support/run-connector.ts';
import { runInContainer } from './container-run.ts';
import type { ContainerRun } from './container-run.ts';

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
  const sandbox: Sandbox = await startSandbox();
  return {
    folder,
    world: sandbox.createScenario,
    contained: async (command, run) => {
      const result = await runInContainer(folder, command, run);
      for (const [index, message] of result.messages.entries())
        if (
          message.type !== 'CONTROL' &&
          secretsOf(run).some((secret) => result.lines[index]?.includes(secret))
        )
          throw new Error(`a secret is in the output: ${String(result.lines[index])}`);
      return result;
    },
    bare: async (command, inputs) => {
      const files = await writeInputs(folder, inputs);
      return runConnector([command, ...files.args], {
        folder: files.folder,
        secrets: () => secretsOf(inputs),
      });
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
