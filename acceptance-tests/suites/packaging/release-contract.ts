import type { AirbyteStream } from '../../../src/generated/protocol.generated.ts';
import type { ScenarioOptions } from '../../sandbox/client.ts';
import type { Schema } from '../conformance/schema.ts';

/** What users of a release rely on: their saved configs, their connections, and states that it wrote. */
export interface ReleaseContract {
  readonly spec: { readonly connectionSpecification: Schema };
  readonly catalog: { readonly streams: readonly AirbyteStream[] };
  readonly states: readonly {
    /** Where in a read. */
    readonly written: string;
    /** As a platform hands it back. */
    readonly state: readonly object[];
  }[];
}

/** The world that the contract is taken from, and states of which are read again. */
export const contractWorld: ScenarioOptions = { assets: 120, alarms: 400, options: { assetsLimitCap: 25 } };

/** The config of which the catalog has the schemas as shipped. */
export const unsampled = <T extends object>(config: T): T => ({ ...config, sample_rows: 0 });
