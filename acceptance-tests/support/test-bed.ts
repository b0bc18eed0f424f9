import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { startSandbox } from '../sandbox/client.ts';
import type { AirbyteMessage } from '../../src/generated/protocol.generated.ts';
import type { Sandbox, Scenario, ScenarioOptions } from '../sandbox/client.ts';
import type { LogEntry } from '../sandbox/request-log.ts';
import { writeInputs } from './input-files.ts';
import type { Content, Inputs } from './input-files.ts';
import { expectNoSecret, runConnector } from './run-connector.ts';
import type { Run, RunOptions } from './run-connector.ts';

/** The commands that take a config. */
export type Command = 'check' | 'discover' | 'read';

/** What a run gets, and who watches it. Without `config` it is the world's own. */
export interface WorldRun extends Inputs, Pick<RunOptions, 'env' | 'onLine'> {
  /** Further options on the command line. */
  readonly options?: readonly string[];
}

/** A world of the sandbox, and the connector to read it with. */
export interface TestWorld extends Scenario {
  /** Runs the built connector; every run is held to the rules of `streamConnector`, for the secrets of this world. */
  run(command: Command, input: WorldRun): Promise<Run>;
  /** The token requests that the world has seen, at most the last 1000 requests. */
  tokenRequests(): Promise<readonly LogEntry[]>;
}

/** What one test file needs. */
export interface TestBed {
  world(options: ScenarioOptions): Promise<TestWorld>;
  /** Runs the built connector without a world, with files (see `writeInputs`). */
  run(args: readonly string[], inputs: Inputs): Promise<Run>;
}

/** Starts one sandbox process for the test file and stops it behind the last test; worlds keep tests apart. */
export function useTestBed(): TestBed {
  let parts: { sandbox: Sandbox; folder: string } | undefined;

  beforeAll(async () => {
    parts = { sandbox: await startSandbox(), folder: await mkdtemp(join(tmpdir(), 'acceptance-')) };
  });
  afterAll(async () => {
    if (parts === undefined) return;
    await parts.sandbox.stop();
    await rm(parts.folder, { recursive: true });
  });

  const running = (): NonNullable<typeof parts> => {
    if (parts === undefined) throw new Error('the test bed is there only while tests run');
    return parts;
  };
  return {
    world: async (options) => {
      const { sandbox, folder } = running();
      return watched(await sandbox.createScenario(options), folder);
    },
    run: async (args, inputs) => {
      const files = await writeInputs(running().folder, inputs);
      return runConnector([...args, ...files.args], { folder: files.folder, secrets: [] });
    },
  };
}

function watched(world: Scenario, parent: string): TestWorld {
  return {
    ...world,
    tokenRequests: async () => (await world.requests()).last.filter(({ endpoint }) => endpoint === 'token'),
    run: async (command, { config: used = world.config, catalog, state, env, onLine, options = [] }) => {
      const { folder, args } = await writeInputs(parent, { config: used, catalog, state });
      const run = await runConnector([command, ...args, ...options], {
        folder,
        secrets: secretsOf(used),
        ...(env === undefined ? {} : { env }),
        ...(onLine === undefined ? {} : { onLine }),
      });
      const { tokens } = await world.requests(0);
      for (const [index, line] of run.lines.entries())
        expectNoSecret(run.messages[index] as AirbyteMessage, line, tokens.values);
      return run;
    },
  };
}

/** What must not appear in the output of a run with a config. */
export function secretsOf(config: Content | undefined): string[] {
  const { client_secret: secret } = (typeof config === 'object' ? config : {}) as { client_secret?: unknown };
  return typeof secret === 'string' && secret !== '' ? [secret] : [];
}
