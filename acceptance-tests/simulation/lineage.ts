import type { Random } from '../sandbox/data/random.ts';
import { announcesRepeats, isComplete } from './run-record.ts';
import type { Progress, RunRecord, SavedState } from './run-record.ts';
import type { StreamName } from './input-texts.ts';
import type { RunPlan } from './scenario-runs.ts';

/** What one read hands to the next. */
export interface Lineage {
  /** The last state of each stream. */
  readonly states: ReadonlyMap<StreamName, SavedState>;
  /** All saved output, joined. */
  readonly output: Buffer;
}

/** What a read is started with: the lineage that it continues, and its state file. */
export function handOver(
  plan: RunPlan,
  lineage: Lineage,
  everWritten: readonly Lineage[],
  random: Random,
): { readonly from: Lineage; readonly file: Buffer | null } {
  if (plan.handover === 'joined') return { from: lineage, file: lineage.output };
  const chosen = plan.handover === 'earlier' && everWritten.length > 0 ? random.pick(everWritten) : lineage;
  const saved = [...chosen.states.values()].map((state) => (plan.isKeyAlone ? withKeyAlone(state) : state));
  const entries = saved.map(({ stream, state }) => ({
    type: 'STREAM',
    stream: { stream_descriptor: { name: stream }, stream_state: state },
  }));
  const output = entries.map((state) => `${JSON.stringify({ type: 'STATE', state })}\n`).join('');
  return {
    from: { states: new Map(saved.map((state) => [state.stream, state])), output: Buffer.from(output) },
    file: saved.length === 0 ? null : Buffer.from(JSON.stringify(entries)),
  };
}

/** What a person may keep of a state: rows may repeat, none may be lost. */
function withKeyAlone(saved: SavedState): SavedState {
  if (saved.stream !== 'alarms') return saved;
  const { created_since } = saved.state;
  return {
    ...saved,
    state: created_since === undefined ? {} : { created_since },
    progress: () => ({ ...saved.progress(), mayRepeat: true }),
  };
}

/** Where a stream's read begins: behind the state that it was given, or anew. */
export function startOf(
  stream: StreamName,
  plan: RunPlan,
  given: SavedState | undefined,
  moment: number,
): Progress {
  const lookbackMs = plan.alarms.lookbackSeconds * 1000;
  const isAnew =
    given === undefined ||
    given.state['__ab_full_refresh_sync_complete'] === true ||
    (stream === 'alarms' && plan.alarmsMode === 'full_refresh');
  if (isAnew) return { covered: new Set(), since: moment, leastLookbackMs: lookbackMs, mayRepeat: false };
  const progress = given.progress();
  return { ...progress, leastLookbackMs: Math.min(progress.leastLookbackMs, lookbackMs) };
}

/** The lineages that a read's output makes, one for each of its states, in order; the last one is what a platform has. */
export function lineagesAfter(run: RunRecord, from: Lineage): readonly Lineage[] {
  const output = Buffer.concat([from.output, run.ended.output]);
  let states = new Map(from.states);
  const lineages = statesOf(run).map((saved) => {
    states = new Map(states).set(saved.stream, saved);
    return { states, output };
  });
  return lineages.length > 0 ? lineages : [{ states, output }];
}

/** The states of a read, in order, each with all that was emitted before it; one that is only said again means what it meant. */
function statesOf(run: RunRecord): readonly SavedState[] {
  const counts = new Map<string, number>();
  const saved = new Map<string, SavedState>();
  const lastOf = new Map(run.messages.map((message, index) => [streamOfState(message), index]));
  return run.messages.flatMap((message, index) => {
    if (message.type === 'RECORD')
      counts.set(message.record.stream, (counts.get(message.record.stream) ?? 0) + 1);
    if (message.type !== 'STATE') return [];
    const { stream_descriptor, stream_state } = message.state.stream;
    const stream = stream_descriptor.name as StreamName;
    const before = run.startProgress.get(stream);
    if (before === undefined) return [];
    const [text = ''] = String(run.lines[index]).split('"sourceStats"');
    const covers = counts.get(stream) ?? 0;
    const isEnd = isComplete(run, stream) && lastOf.get(stream) === index;
    const mayRepeat = !isEnd && (before.mayRepeat || announcesRepeats(run, stream));
    const progress = (): Progress => ({
      ...before,
      covered: new Set([...before.covered, ...run.emitted[stream].slice(0, covers)]),
      mayRepeat,
    });
    const state = saved.get(text) ?? { stream, state: stream_state, progress };
    saved.set(text, state);
    return [state];
  });
}

function streamOfState(message: RunRecord['messages'][number]): string | null {
  return message.type === 'STATE' ? message.state.stream.stream_descriptor.name : null;
}
