import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { startSandbox } from '../sandbox/client.ts';
import type { Sandbox, SandboxConfig, Scenario, ScenarioOptions } from '../sandbox/client.ts';
import { lists } from '../sandbox/lists.ts';
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
export type TestWorld = ReturnType<typeof watched>;

/** Starts one sandbox process for the test file and stops it behind the last test; worlds keep tests apart. */
export function useTestBed() {
  let sandbox: Sandbox;
  let folder: string;
  beforeAll(async () => {
    [sandbox, folder] = await Promise.all([startSandbox(), mkdtemp(join(tmpdir(), 'acceptance-'))]);
  });
  afterAll(async () => {
    await sandbox.stop();
    await rm(folder, { recursive: true });
  });
  return {
    /** A world whose config has assets, alarms, and further lists where `options` say how many rows they have. */
    world: async (options: ScenarioOptions) => {
      const scenario = await sandbox.createScenario(options);
      const named = { assets: 0, alarms: 0, ...options };
      const own = <C extends SandboxConfig>(config: C): C =>
        Object.fromEntries(Object.entries(config).filter(([key]) => !(key in lists) || key in named)) as C;
      const faults: Scenario['faults'] = async (plans) => {
        const report = await scenario.faults(plans);
        return { ...report, config: own(report.config) };
      };
      return watched({ ...scenario, config: own(scenario.config), faults }, folder);
    },
    /** Runs the built connector without a world, with files (see `writeInputs`). */
    run: async (args: readonly string[], inputs: Inputs): Promise<Run> => {
      const files = await writeInputs(folder, inputs);
      return runConnector([...args, ...files.args], { folder: files.folder, secrets: [] });
    },
  };
}

function watched(world: Scenario, parent: string) {
  return {
    ...world,
    /** The token requests that the world has seen, at most the last 1000 requests. */
    tokenRequests: async () => (await world.requests()).last.filter(({ endpoint }) => endpoint === 'token'),
    /** Runs the built connector; every run is held to the rules of `streamConnector`, for the secrets of this world. */
    run: async (command: Command, input: WorldRun): Promise<Run> => {
      const { config = world.config, catalog, state, env, onLine, options = [] } = input;
      const { folder, args } = await writeInputs(parent, { config, catalog, state });
      const secrets = secretsOf(config);
      const run = await runConnector([command, ...args, ...options], { folder, secrets, env, onLine });
      const { tokens } = await world.requests(0);
      for (const [index, message] of run.messages.entries())
        expectNoSecret(message, run.lines[index] ?? Buffer.alloc(0), tokens.values);
      return run;
    },
  };
}

/** What must not appear in the output of a run with a config. */
export function secretsOf(config: Content | undefined): string[] {
  const { client_secret: secret } = (typeof config === 'object' ? config : {}) as { client_secret?: unknown };
  return typeof secret === 'string' && secret !== '' ? [secret] : [];
}
