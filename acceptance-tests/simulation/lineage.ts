import type { Random } from '../sandbox/data/random.ts';
import { announcesRepeats, emittedRows, isComplete } from './run-record.ts';
import type { Progress, RunRecord, SavedState } from './run-record.ts';
import type { RunPlan, StreamName } from './run-plan.ts';

/** What one read hands to the next. */
export interface Lineage {
  /** The last state of each stream. */
  readonly states: ReadonlyMap<StreamName, SavedState>;
  /** All saved output, joined. */
  readonly output: Buffer;
}

export const NO_LINEAGE: Lineage = { states: new Map(), output: Buffer.alloc(0) };

/** What a read is started with: the lineage that it continues, and its state file. */
export function handOver(
  plan: RunPlan,
  lineage: Lineage,
  everWritten: readonly Lineage[],
  random: Random,
): { readonly from: Lineage; readonly file: Buffer | null } {
  if (plan.handover === 'joined') return { from: lineage, file: lineage.output };
  const from = plan.handover === 'earlier' && everWritten.length > 0 ? random.pick(everWritten) : lineage;
  const states = [...from.states.values()].map(plan.isKeyAlone ? withKeyAlone : (saved) => saved);
  const entries = states.map(({ stream, state }) => ({
    type: 'STREAM',
    stream: { stream_descriptor: { name: stream }, stream_state: state },
  }));
  const lines = entries.map((state) => `${JSON.stringify({ type: 'STATE', state })}\n`).join('');
  return {
    from: {
      states: new Map(states.map((saved) => [saved.stream, saved])),
      output: Buffer.from(lines),
    },
    file: states.length === 0 ? null : Buffer.from(JSON.stringify(entries)),
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
  given: SavedState | null,
  moment: number,
): Progress {
  const lookbackMs = plan.alarms.lookbackSeconds * 1000;
  const isAnew =
    given === null ||
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
  const emitted = new Map(run.plan.streams.map((stream) => [stream, emittedRows(run, stream)]));
  const counts = new Map<StreamName, number>();
  const saved = new Map<string, SavedState>();
  const inOrder: SavedState[] = [];
  for (const [index, message] of run.messages.entries()) {
    if (message.type === 'RECORD') {
      const stream = message.record.stream as StreamName;
      counts.set(stream, (counts.get(stream) ?? 0) + 1);
    }
    if (message.type !== 'STATE') continue;
    const { stream_descriptor, stream_state } = message.state.stream;
    const stream = stream_descriptor.name as StreamName;
    const before = run.startProgress.get(stream);
    if (before === undefined) continue;
    const [text = ''] = (run.lines[index] ?? '').split('"sourceStats"');
    const rows = emitted.get(stream) ?? [];
    const count = counts.get(stream) ?? 0;
    const isEnd = isComplete(run, stream) && !hasStateAfter(run, stream, index);
    const mayRepeat = !isEnd && (before.mayRepeat || announcesRepeats(run, stream));
    const state = saved.get(text) ?? {
      stream,
      state: stream_state ?? {},
      progress: () => ({
        ...before,
        covered: new Set([...before.covered, ...rows.slice(0, count)]),
        mayRepeat,
      }),
    };
    saved.set(text, state);
    inOrder.push(state);
  }
  return inOrder;
}

function hasStateAfter({ messages }: RunRecord, stream: StreamName, index: number): boolean {
  return messages
    .slice(index + 1)
    .some((message) => message.type === 'STATE' && message.state.stream.stream_descriptor.name === stream);
}
