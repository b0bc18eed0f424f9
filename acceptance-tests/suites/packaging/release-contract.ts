import type { AirbyteStream } from '../../../src/generated/protocol.generated.ts';
import type { Scenario, ScenarioOptions } from '../../sandbox/client.ts';
import { catalogOf } from '../../support/catalogs.ts';
import { stateArray, states } from '../../support/run-views.ts';
import type { Inputs } from '../../support/input-files.ts';
import type { Run } from '../../support/run-connector.ts';
import type { Schema } from '../conformance/schema.ts';

/** What users of a release rely on: their saved configs, their connections, and states that it wrote. */
export interface ReleaseContract {
  readonly spec: { readonly connectionSpecification: Schema };
  readonly catalog: { readonly streams: readonly AirbyteStream[] };
  readonly states: readonly ReleasedState[];
}

/** A state as a release wrote it, and where in a read. */
export interface ReleasedState {
  readonly written: string;
  /** Array of STREAM states, as a platform hands it back. */
  readonly state: readonly object[];
}

/** The world that the contract is taken from, and states of which are read again. */
export const contractWorld: ScenarioOptions = { assets: 120, alarms: 400, options: { assetsLimitCap: 25 } };

/** Runs a command of the built program, for the world of the contract. */
export type RunCommand = (command: string, inputs: Inputs) => Promise<Run>;

/** The catalog of a config that names a primary key, with the schemas as shipped. */
export async function releasedCatalog(run: RunCommand, world: Scenario): Promise<readonly AirbyteStream[]> {
  const { messages } = await run('discover', { config: { ...world.config, sample_rows: 0 } });
  const catalog = messages.find((message) => message.type === 'CATALOG');
  if (catalog === undefined) throw new Error('discover printed no CATALOG');
  return catalog.catalog.streams;
}

/** States of every form: inside a read and behind it, of both streams, by one chain and by several. */
export async function releasedStates(run: RunCommand, world: Scenario): Promise<ReleasedState[]> {
  const catalog = catalogOf({ assets: 'full_refresh', alarms: 'incremental' });
  const { config } = world;
  const whole = await run('read', { config, catalog });
  const inParallel = await run('read', {
    config: { ...config, alarms: { ...config.alarms, parallel_chains: 3 } },
    catalog,
  });
  return [
    { written: 'behind a whole read', state: stateArray(whole) },
    { written: 'inside a read of assets', state: middle(whole, 'assets') },
    { written: 'inside a read of alarms', state: middle(whole, 'alarms') },
    { written: 'inside a read of alarms by several chains', state: middle(inParallel, 'alarms') },
  ];
}

/** The state in the middle of those that a read wrote of a stream. Throws if there are too few to have a middle. */
function middle(read: Run, stream: 'assets' | 'alarms'): object[] {
  const all = states(read, stream);
  const state = all[Math.floor(all.length / 2)];
  if (state === undefined || all.length < 3) throw new Error(`no state inside the read of ${stream}`);
  return [{ type: 'STREAM', stream: { stream_descriptor: { name: stream }, stream_state: state } }];
}
