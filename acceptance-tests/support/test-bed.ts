import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { sharedSandbox } from '../sandbox/client.ts';
import type { GroundTruthSelection, ListName, Sandbox } from '../sandbox/client.ts';
import type { Scenario, ScenarioOptions } from '../sandbox/client.ts';
import { compareRows, exact } from './compare-rows.ts';
import { writeInputs, type Content, type Inputs } from './input-files.ts';
import { expectNoSecret, runConnector, type Run, type RunOptions } from './run-connector.ts';
import { recordTexts } from './run-views.ts';

export type Command = 'check' | 'discover' | 'read';

/** The input of a run; `config` defaults to that of the world. */
export interface WorldRun extends Inputs, Pick<RunOptions, 'env' | 'onLine'> {
  readonly options?: readonly string[]; // further command-line options
}

type ConfigChanges = Record<string, unknown> & { readonly assets?: object; readonly alarms?: object };

/** A world of the sandbox, and the connector to read it. */
export type TestWorld = ReturnType<typeof watched>;

/** The sandbox of this worker process, and a folder for a test file; each test has worlds. */
export function useTestBed() {
  let sandbox: Sandbox;
  let folder: string;
  beforeAll(async () => {
    [sandbox, folder] = await Promise.all([sharedSandbox(), mkdtemp(join(tmpdir(), 'acceptance-'))]);
  });
  afterAll(() => rm(folder, { recursive: true }));
  return {
    /** Creates a world whose config has assets, alarms, and further lists for which `options` have a number of rows. */
    world: async (options: ScenarioOptions) => watched(await sandbox.createScenario(options), folder),
    run: async (args: readonly string[], inputs: Inputs): Promise<Run> => {
      const files = await writeInputs(folder, inputs);
      return runConnector([...args, ...files.args], { folder: files.folder, secrets: [] });
    },
  };
}

function watched(world: Scenario, parent: string) {
  return {
    ...world,
    folder: parent, // of the test file
    /** The token requests among the last 1,000 requests. */
    tokenRequests: async () => (await world.requests()).last.filter(({ endpoint }) => endpoint === 'token'),
    /** The config with other keys, and with other settings of its lists. */
    configWith: ({ assets, alarms, ...keys }: ConfigChanges) => ({
      ...world.config,
      ...keys,
      assets: { ...world.config.assets, ...assets },
      alarms: { ...world.config.alarms, ...alarms },
    }),
    /** Expects that the runs together have emitted each of these rows once, and no others. */
    expectExact: async (runs: readonly Run[], list: ListName, selection: GroundTruthSelection) => {
      const emitted = runs.flatMap((run) => recordTexts(run, list));
      expect(await compareRows(emitted, world.groundTruthRows(list, selection))).toStrictEqual(exact);
    },
    /** Runs the built connector, and checks the run like `streamConnector`, with the secrets of this world. */
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

/** The secrets of a config, which no output may contain. */
export function secretsOf(config: Content | undefined): string[] {
  const { client_secret: secret } = (typeof config === 'object' ? config : {}) as { client_secret?: unknown };
  return typeof secret === 'string' && secret !== '' ? [secret] : [];
}
