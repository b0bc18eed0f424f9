import { logs, statuses } from '../support/run-views.ts';
import type { Output } from '../support/run-views.ts';
import type { Ended } from './process.ts';
import type { RunPlan } from './scenario-runs.ts';
import type { ListName } from './scenario.ts';
import type { View } from './views.ts';

/** A state that was written, and what it says has been read. */
export interface SavedState {
  readonly stream: string;
  readonly state: Readonly<Record<string, unknown>>;
  readonly progress: () => Progress;
}

/** What a stream's reads have emitted, from one without a state up to some state or end. */
export interface Progress {
  /** Numbers of rows. */
  readonly covered: ReadonlySet<number>;
  /** Requests served before the first of these reads began. */
  readonly since: number;
  /** ms: the shortest lookback of these reads. */
  readonly leastLookbackMs: number;
  /** True if rows may come again: a read said so, or had a wrong created field, and none has been complete since. */
  readonly mayRepeat: boolean;
}

/** A read that has ended, as a view has it, with all that a check needs to know of it. */
export interface RunRecord extends Output, View {
  readonly plan: RunPlan;
  /** All that was written, also of streams that the view does not have. */
  readonly whole: Output;
  readonly ended: Ended;
  /** For each stream the numbers of the rows that were emitted, in order; -1 for a text that the API never showed. */
  readonly emitted: Readonly<Record<ListName, readonly number[]>>;
  /** The content of its state file; null for none. */
  readonly state: Buffer | null;
  /** The state that each stream went on from, and what was read before. */
  readonly given: ReadonlyMap<string, SavedState>;
  readonly startProgress: Readonly<Record<ListName, Progress>>;
  /** Requests served before it began. */
  readonly startMoment: number;
  /** ms that it took. */
  readonly ms: number;
}

/** What a check finds wrong, in words; empty for nothing. */
export type Check = (run: RunRecord) => readonly string[];

/** True if a stream's read ended with COMPLETE. */
export function isComplete(run: RunRecord, stream: ListName): boolean {
  return statuses(run, stream).at(-1) === 'COMPLETE';
}

/** True if a read takes another field for the created time, or one that alarms do not have. */
export function hasWrongField({ plan, scenario }: RunRecord): boolean {
  return plan.alarms.created_field !== scenario.api.alarms.createdField;
}

/** How the connector says that rows repeat. */
const REPEATS = /repeat|read again|begins again|from the start again|starts over|identical to rows/;
/** The line that counts rows which were emitted, though equal ones may be the same (design: cursors may be positions). */
const COUNTED = /rows are identical to rows of earlier pages/;

/** True if a read said of a stream that rows repeat, or if nobody can expect anything else of it. */
export function announcesRepeats(run: RunRecord, stream: ListName): boolean {
  const words = [...logs(run, 'WARN'), ...logs(run, 'INFO').filter((line) => COUNTED.test(line))];
  const isSaid = words.some((line) => line.startsWith(stream) && REPEATS.test(line));
  return isSaid || (stream === 'alarms' && hasWrongField(run));
}
