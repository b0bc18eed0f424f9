import type { AirbyteMessage } from '../../src/generated/protocol.generated.ts';
import type { Ended } from './process.ts';
import type { RunPlan, StreamName } from './run-plan.ts';
import type { Scenario } from './scenario.ts';
import type { SimulatedApi } from './simulated-api.ts';
import type { ServedPage } from './simulated-list.ts';

/** A state that was written, and what it says has been read. */
export interface SavedState {
  readonly stream: StreamName;
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

/** A read that has ended, with all that a checker needs to know of it. */
export interface RunRecord {
  readonly index: number;
  readonly plan: RunPlan;
  readonly scenario: Scenario;
  readonly api: SimulatedApi;
  readonly ended: Ended;
  /** What left the process, whole lines and a last one that lost nothing but its line end. */
  readonly messages: readonly AirbyteMessage[];
  /** Lines of these messages. */
  readonly lines: readonly string[];
  /** The content of its state file; null for none. */
  readonly stateFile: Buffer | null;
  /** The state that each stream went on from, null for none. */
  readonly given: ReadonlyMap<StreamName, SavedState | null>;
  readonly startProgress: ReadonlyMap<StreamName, Progress>;
  /** Requests served before it began. */
  readonly startMoment: number;
  /** Pages that it was shown. */
  readonly served: ReadonlyMap<StreamName, readonly ServedPage[]>;
  readonly tokenRequests: number;
  readonly tokenRefusals: number;
  /** ms that it took. */
  readonly ms: number;
}

/** What a checker finds wrong, in words; empty for nothing. */
export type Check = (run: RunRecord) => readonly string[];

/** Numbers of the rows that a read emitted of one stream, in order; -1 for a text that the API never showed. */
export function emittedRows(run: RunRecord, stream: StreamName): readonly number[] {
  const list = run.api[stream];
  return run.messages.flatMap((message, index) =>
    message.type === 'RECORD' && message.record.stream === stream
      ? [list.rowOf(dataText(run.lines[index] ?? '')) ?? -1]
      : [],
  );
}

/** The text of a record's data, as it stands in its line. */
function dataText(line: string): string {
  return line.slice(line.indexOf(',"data":') + 8, line.lastIndexOf('}}'));
}

/** True if a stream's read ended with COMPLETE. */
export function isComplete(run: RunRecord, stream: StreamName): boolean {
  return statusesOf(run, stream).at(-1) === 'COMPLETE';
}

export function statusesOf(run: RunRecord, stream: StreamName): readonly string[] {
  return run.messages.flatMap((message) =>
    message.type === 'TRACE' &&
    message.trace.type === 'STREAM_STATUS' &&
    message.trace.stream_status.stream_descriptor.name === stream
      ? [message.trace.stream_status.status]
      : [],
  );
}

/** How the connector says that rows repeat. */
const REPEATS = /repeat|read again|begins again|from the start again/;

/** True if a read said of a stream that rows repeat, or if nobody can expect anything else of it. */
export function announcesRepeats(run: RunRecord, stream: StreamName): boolean {
  const isAstray =
    stream === 'alarms' && run.plan.alarms.createdField !== run.scenario.api.alarms.createdField;
  return isAstray || logsOf(run, 'WARN').some((words) => words.startsWith(stream) && REPEATS.test(words));
}

/** The words of log lines of a level. */
export function logsOf(run: RunRecord, level: 'INFO' | 'WARN'): readonly string[] {
  return run.messages.flatMap((message) =>
    message.type === 'LOG' && message.log.level === level ? [message.log.message] : [],
  );
}

/** Codes of the errors that were told, each behind its stream, if it has one. */
export function errorsOf(
  run: RunRecord,
): readonly { readonly stream: string | null; readonly code: string; readonly words: string }[] {
  return run.messages.flatMap((message) =>
    message.type === 'TRACE' && message.trace.type === 'ERROR'
      ? [
          {
            stream: message.trace.error.stream_descriptor?.name ?? null,
            code: (message.trace.error.internal_message ?? '').replace(/:.*/s, ''),
            words: `${message.trace.error.failure_type}: ${message.trace.error.message}`,
          },
        ]
      : [],
  );
}
