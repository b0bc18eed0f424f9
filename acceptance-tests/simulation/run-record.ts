import { REPEATS, logs, statuses, type Output } from '../support/run-views.ts';
import type { Ended } from './process.ts';
import type { RunPlan } from './scenario-runs.ts';
import type { ListName } from './scenario.ts';
import type { View } from './views.ts';

/** A state that was written, and what was read before it. */
export interface SavedState {
  readonly stream: string;
  readonly state: Readonly<Record<string, unknown>>;
  readonly progress: () => Progress;
}

/** What the reads of a stream have emitted, from the first without a state up to a state or an end. */
export interface Progress {
  /** Numbers of rows, as often as they were emitted. */
  readonly covered: readonly number[];
  /** Requests served before the first of these reads began. */
  readonly since: number;
  /** The shortest lookback of these reads. */
  readonly minLookbackMs: number;
  /** The most chains that these reads may have had at the same time, and whether one of them had dates. */
  readonly maxChains: number;
  readonly hadDates: boolean;
  /** The start date of the first of these reads; null for none. */
  readonly firstStart: string | null;
  /** Whether rows may repeat: a read said so, or had a wrong created field, and none has read all of the list since. */
  readonly mayRepeat: boolean;
}

/** A read that has ended, as seen by a view, with everything that a check needs. */
export interface RunRecord extends Output, View {
  readonly plan: RunPlan;
  /** Everything that was written, also of streams that the view lacks. */
  readonly whole: Output;
  readonly ended: Ended;
  /** For each stream the numbers of the emitted rows, in order; -1 for a text that the API never showed. */
  readonly emitted: Readonly<Record<ListName, readonly number[]>>;
  /** The content of its state file; null for none. */
  readonly state: Buffer | null;
  /** The state from which each stream resumed. */
  readonly given: ReadonlyMap<string, SavedState>;
  readonly startProgress: Readonly<Record<ListName, Progress>>;
  /** Requests served before it began. */
  readonly startMoment: number;
  readonly ms: number;
}

/** Returns what is wrong with a read. */
export type Check = (run: RunRecord) => readonly string[];

/** Whether the read of a stream ended with COMPLETE. */
export function isComplete(run: RunRecord, stream: ListName): boolean {
  return statuses(run, stream).at(-1) === 'COMPLETE';
}

/** Whether the config names another field than the created time of alarms. */
export function hasWrongField({ plan, scenario }: RunRecord): boolean {
  return plan.alarms.created_field !== scenario.api.alarms.createdField;
}

/** Whether assets without a key change, so that each version of them counts as a row. */
export function hasVersions({ scenario }: RunRecord): boolean {
  const { ids, isVolatile } = scenario.api.assets;
  return isVolatile && (ids === 'absent' || ids === 'mixed');
}

/** Whether a read said that rows of a stream repeat, or nothing else can be expected. */
export function announcesRepeats(run: RunRecord, stream: ListName): boolean {
  const isSaid = logs(run, 'WARN').some((line) => line.startsWith(stream) && line.includes(REPEATS));
  return isSaid || (stream === 'alarms' && hasWrongField(run));
}
