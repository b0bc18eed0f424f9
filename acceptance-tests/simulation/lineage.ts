import type { Choices } from './choices.ts';
import { announcesRepeats, isComplete } from './run-record.ts';
import type { Progress, RunRecord, SavedState } from './run-record.ts';
import type { RunPlan } from './scenario-runs.ts';
import { LISTS, type ListName } from './scenario.ts';

/** What one read hands to the next: the last state of each stream, and all saved output. */
export interface Lineage {
  readonly states: ReadonlyMap<string, SavedState>;
  readonly output: Buffer;
}

/** The lineage that a read continues, and its state file. The first lineage is empty, the last one is the newest. */
export function handOver(
  { handover, isKeyAlone }: RunPlan,
  lineages: readonly Lineage[],
  { pick }: Pick<Choices, 'pick'>,
): { readonly from: Lineage; readonly file: Buffer | null } {
  const isEarlier = handover === 'earlier' && lineages.length > 1;
  const from = isEarlier ? pick(lineages.slice(1)) : lineages.at(-1);
  if (from === undefined) throw new Error('no lineage');
  if (handover === 'joined') return { from, file: from.output };
  const saved = [...from.states.values()].map((state) => (isKeyAlone ? withKeyAlone(state) : state));
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

/** A state of alarms that a person has reduced to `created_since`, without known rows: rows may be repeated, none may be lost. */
function withKeyAlone(saved: SavedState): SavedState {
  if (saved.stream !== 'alarms') return saved;
  const { created_since } = saved.state;
  const state = created_since === undefined ? {} : { created_since, seen: [] };
  return { ...saved, state, progress: () => ({ ...saved.progress(), mayRepeat: true }) };
}

/** What a stream has read before it resumes from a state, or nothing if it starts over. */
export function startOf(
  stream: ListName,
  plan: RunPlan,
  given: SavedState | undefined,
  moment: number,
): Progress {
  const lookbackMs = plan.alarms.lookback_seconds * 1000;
  const isOver = given?.state['__ab_full_refresh_sync_complete'] === true;
  const itsField = given?.state['created_field'] ?? plan.alarms.created_field;
  const isOtherField = stream === 'alarms' && itsField !== plan.alarms.created_field;
  const { parallel_chains: chains, start_date: start, end_date: end } = plan.alarms;
  const own = {
    minLookbackMs: lookbackMs,
    maxChains: chains,
    hadDates: (start ?? end) !== undefined,
    firstStart: start ?? null,
  };
  if (given === undefined || isOver || isOtherField || (stream === 'alarms' && plan.isFull))
    return { covered: [], since: moment, mayRepeat: false, ...own };
  const progress = given.progress();
  return {
    ...progress,
    minLookbackMs: Math.min(progress.minLookbackMs, own.minLookbackMs),
    maxChains: Math.max(progress.maxChains, own.maxChains),
    hadDates: progress.hadDates || own.hadDates,
    // until there is a question, each start date is the first one
    firstStart: given.state['created_since'] === undefined ? own.firstStart : progress.firstStart,
  };
}

/** One lineage for each state of a read, in order; a platform continues the last one. */
export function lineagesAfter(views: readonly RunRecord[], from: Lineage): readonly Lineage[] {
  const output = Buffer.concat([from.output, ...views.slice(0, 1).map(({ ended }) => ended.output)]);
  const lineages = [{ states: from.states, output }];
  for (const saved of statesOf(views))
    lineages.push({ states: new Map(lineages.at(-1)?.states).set(saved.stream, saved), output });
  return lineages.length > 1 ? lineages.slice(1) : lineages;
}

/** The states of a read, in order, each with all rows emitted before it; a repeated state covers what it covered at first. */
function statesOf(views: readonly RunRecord[]): readonly SavedState[] {
  const counts = new Map<string, number>();
  const saved = new Map<string, SavedState>();
  const { messages, lines } = views[0]?.whole ?? { messages: [], lines: [] };
  const streams = messages.map((message) =>
    message.type === 'STATE' ? message.state.stream.stream_descriptor.name : null,
  );
  return messages.flatMap((message, index) => {
    if (message.type === 'RECORD')
      counts.set(message.record.stream, (counts.get(message.record.stream) ?? 0) + 1);
    if (message.type !== 'STATE') return [];
    const stream = message.state.stream.stream_descriptor.name;
    const [text = ''] = String(lines[index]).split('"sourceStats"');
    const count = counts.get(stream) ?? 0;
    const isLast = streams.lastIndexOf(stream) === index;
    const state = saved.get(text) ?? {
      stream,
      state: message.state.stream.stream_state,
      progress: progressOf(views, message.state.stream, count, isLast),
    };
    saved.set(text, state);
    return [state];
  });
}

type Written = Extract<RunRecord['messages'][number], { type: 'STATE' }>['state']['stream'];

/** What a stream has read once `count` of its rows are emitted. */
function progressOf(
  views: readonly RunRecord[],
  { stream_descriptor: { name: stream }, stream_state: state }: Written,
  count: number,
  isLast: boolean,
) {
  const run = views.find(({ names }) => Object.values(names).includes(stream));
  const kind = LISTS.find((name) => run?.names[name] === stream);
  if (run === undefined || kind === undefined) throw new Error(`no list ${stream}`);
  const before = run.startProgress[kind];
  const given = run.given.get(stream);
  // a read that starts over hands the given state on if it fails before it has one of its own
  if (given !== undefined && count === 0 && isHandedOn(given.state, state)) return given.progress;
  // rows after an end date are left to later reads
  const isEnd = isLast && isComplete(run, kind) && run.plan.alarms.end_date === undefined;
  const mayRepeat = !isEnd && (before.mayRepeat || announcesRepeats(run, kind));
  return (): Progress => ({
    ...before,
    covered: [...before.covered, ...run.emitted[kind].slice(0, count)],
    mayRepeat,
  });
}

function isHandedOn(given: object, written: object): boolean {
  return JSON.stringify(given) === JSON.stringify(written);
}
