import type { RowSet } from './digest.ts';
import type { FaultPlans, FaultReport } from './faults/fault-plan.ts';
import type { Knobs as Options, KnobPatch as OptionsPatch } from './knobs/knobs.ts';

/** The two lists. */
export type ListName = 'assets' | 'alarms';

/** A ready connector config for one world. */
export interface SandboxConfig {
  auth_url: string;
  client_id: string;
  client_secret: string;
  assets: { base_url: string; audience?: string };
  alarms: { base_url: string; audience: string; id_field: string };
}

/** How a new world starts. Everything left out has a default: an own id, seed 1, 100 assets, 100 alarms. */
export interface ScenarioOptions {
  id?: string;
  seed?: number;
  /** Rows at the start. */
  assets?: number;
  alarms?: number;
  options?: OptionsPatch;
  clientId?: string;
  clientSecret?: string;
}

/** Where an asset is put or taken: 0 is the head of the list, where the newest row stands. */
export type Place = 'head' | 'tail' | 'random' | number;

/** New assets. Without `at` they come in at the head, created now. */
export interface AssetInsertion {
  count: number;
  at?: Place;
}

/** Assets to delete: some at a place (without `at`, at the head), or those with the given ids. */
export type AssetDeletion = { count?: number; at?: Place } | { ids: string[] };

/** New alarms. Without `createdAt` (an ISO instant) the last one is created now; `spacingMs` (default 1) lies between two. */
export interface AlarmArrival {
  count: number;
  createdAt?: string;
  spacingMs?: number;
}

/** What the world holds, from the source. `existedThroughout`: the rows that lived from the mark until now. */
export interface GroundTruth {
  assets: RowSet;
  alarms: RowSet;
  existedThroughout: { assets: RowSet; alarms: RowSet };
}

/**
 * Which rows: `{}` those that exist now; `since` those that have existed from the mark until now; `after` those born
 * after the mark, alive or not; `lived` every row that existed at any moment from the mark on (all that may be emitted).
 */
export interface GroundTruthSelection {
  since?: number;
  after?: number;
  lived?: number;
}

/** The endpoints whose requests are logged. */
export type EndpointName = 'token' | ListName;

/** Requests to one endpoint. `maxInFlight`: the most that were open at the same time. */
export interface EndpointSummary {
  count: number;
  rows: number;
  maxInFlight: number;
  byStatus: Record<string, number>;
}

/**
 * One request. `at` is real time (not the world's clock); status 0 means that the caller went away first. `mark`: how far
 * the world's sequence of changes had come when it was answered.
 */
export interface LogEntry {
  at: string;
  endpoint: EndpointName;
  method: string;
  path: string;
  query: Record<string, string>;
  status: number;
  ms: number;
  rows: number;
  mark: number;
}

/** The request log of a world. `byAudience` counts the tokens issued per audience. */
export interface RequestLog {
  endpoints: Record<EndpointName, EndpointSummary>;
  tokens: { issued: number; refused: number; byAudience: Record<string, number> };
  last: LogEntry[];
}

/** One world of the sandbox: its own rows, knobs, tokens, clock and request log. */
export interface Scenario {
  readonly id: string;
  /** Ready to be written to a file and given to the connector. */
  readonly config: SandboxConfig;
  /** Changes some knobs while the world runs; resolves to all of them. */
  setOptions: (patch: OptionsPatch) => Promise<Options>;
  /** Each resolves to the ids of the rows: new ones, deleted ones, new ones in created order. */
  insert: (list: 'assets', insertion: AssetInsertion) => Promise<string[]>;
  delete: (list: 'assets', deletion: AssetDeletion) => Promise<string[]>;
  arrive: (list: 'alarms', arrival: AlarmArrival) => Promise<string[]>;
  /** Moves the world's clock; resolves to its new time (ISO instant). */
  advanceClock: (seconds: number) => Promise<string>;
  /** The present place in the world's sequence of changes. */
  mark: () => Promise<number>;
  /** Counts and digests; `since` is a mark, undefined stands for the world's beginning. */
  groundTruth: (since?: number) => Promise<GroundTruth>;
  /** The row texts in line form (see `digest.ts`), streamed, oldest created first, dead rows last. */
  groundTruthRows: (list: ListName, selection: GroundTruthSelection) => AsyncIterable<string>;
  /** The request log with the last `last` entries (default 1,000, at most 10,000). */
  requests: (last?: number) => Promise<RequestLog>;
  /** Replaces the faults of the world's endpoints; `{}` lifts them all. Read with the config that it gives. */
  faults: (plans: FaultPlans) => Promise<FaultReport>;
  faultReport: () => Promise<FaultReport>;
  clearRequests: () => Promise<void>;
  /** Deletes the world. */
  remove: () => Promise<void>;
}

/** A running sandbox process. */
export interface Sandbox {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  /** The world `demo` that every sandbox starts with. */
  readonly demo: Scenario;
  createScenario: (options: ScenarioOptions) => Promise<Scenario>;
  /** Ends the process and waits for its end. */
  stop: () => Promise<void>;
}
