import { createHash } from 'node:crypto';
import type { TokenCache } from '../../src/token/cache.ts';
import { mix } from '../sandbox/data/random.ts';
import { each } from '../sandbox/lists.ts';
import { outputOf } from '../suites/conformance/validate-output.ts';
import { recordTexts } from '../support/run-views.ts';
import type { Output } from '../support/run-views.ts';
import { checkBounds } from './checks/bounds.ts';
import { checkComplete } from './checks/complete.ts';
import { checkCommonLogs, checkLogs } from './checks/logs.ts';
import { checkOutcome } from './checks/outcome.ts';
import { checkRows } from './checks/rows.ts';
import { createChoices } from './choices.ts';
import { createTally } from './coverage.ts';
import type { Tally } from './coverage.ts';
import { differencesOf } from './differences.ts';
import { handOver, lineagesAfter, startOf } from './lineage.ts';
import type { Lineage } from './lineage.ts';
import { runProcess } from './process.ts';
import type { RunRecord } from './run-record.ts';
import { LISTS, streamsOf } from './scenario.ts';
import type { Scenario } from './scenario.ts';
import { createSimulatedApi } from './simulated-api.ts';
import type { Tell } from './simulated-list.ts';
import { outputOfView, viewsOf } from './views.ts';
import type { View } from './views.ts';
import { createVirtualTime } from './virtual-time.ts';

/** All that must hold of every read, in the order in which a person wants to hear of it. */
const CHECKS = [checkOutcome, checkRows, checkComplete, checkLogs, checkBounds];

/** What came of a scenario. */
export interface Simulated {
  /** What is wrong, as text; null if everything holds. */
  readonly failure: string | null;
  readonly tally: Tally;
  /** A digest of every byte on stdout and of each request. */
  readonly digest: string;
}

/** Lets a whole scenario happen. */
export async function simulate(
  scenario: Scenario,
  /** Told of all that happens, line by line, or null. */
  story: ((line: string) => void) | null,
): Promise<Simulated> {
  const { seed, runs, ...world } = scenario;
  const choices = createChoices(mix(seed, 5));
  const disk = new Map<string, TokenCache>();
  const { tally, matters, endRun } = createTally(scenario);
  const digest = createHash('sha256');
  let skewMs: number = scenario.skewMs;
  let time = createVirtualTime(scenario.startMs);
  let isCalm = false;
  const tell: Tell = (words) => story?.(`${new Date(time.now()).toISOString()} ${words()}`);
  tell(() => `seed ${seed}, ${runs.length} reads: ${JSON.stringify(world)}`);
  const api = createSimulatedApi(scenario, { now: () => time.now(), isCalm: () => isCalm, tell, matters });
  const views = viewsOf(scenario, api);
  let lineage: Lineage = { states: new Map(), output: Buffer.alloc(0) };
  const everWritten: Lineage[] = [];
  const end = (failure: string | null) => ({ failure, tally, digest: digest.digest('hex') });

  for (const [run, plan] of runs.entries()) {
    ({ isCalm } = plan);
    time = createVirtualTime(time.now() + plan.gapMs);
    for (const stream of streamsOf(scenario)) api.lists.get(stream)?.change(plan.changes);
    api.nextRead();
    tell(() => `read ${run}: ${JSON.stringify(plan)}`);
    const { from, file } = handOver(plan, lineage, everWritten, choices);
    for (const { stream, state, progress } of from.states.values())
      tell(() => `from ${stream} ${JSON.stringify(state)}, rows ${[...progress().covered].join(' ')}`);
    const startMoment = api.moment();
    const startMs = time.now();
    const own = { seed: mix(seed, 6, run), disk, skewMs, state: file };
    const parts = { ...own, run, scenario, plan, api, time, tell, matters };
    const ended = await runProcess(parts);
    ({ skewMs } = ended);
    digest.update(ended.output).update(ended.requests.join('\n'));
    tell(() => (ended.exitCode === null ? ended.how : `${ended.how}, exit code ${ended.exitCode}`));
    let output: Output;
    try {
      output = outputOf(ended.output, ended.how === 'exit');
    } catch (error) {
      return end(`read ${run}: ${(error as Error).message}`);
    }
    const shared = {
      ended,
      state: file,
      given: from.states,
      startMoment,
      ms: time.now() - startMs,
      whole: output,
    };
    const records = views.map((view) => recordOf(view, views, run, shared));
    for (const dimension of records.slice(0, 1).flatMap(differencesOf)) matters(dimension);
    endRun(plan.drawn);
    const problems = [...records.flatMap(problemsOf), ...checkCommonLogs(records)];
    if (problems.length > 0) return end(`read ${run}: ${problems.join('; ')}`);
    const lineages = lineagesAfter(records, from);
    everWritten.push(...lineages);
    lineage = lineages.at(-1) ?? lineage;
  }
  return end(null);
}

/** A read, by its number, as a view has it. */
function recordOf(
  view: View,
  views: readonly View[],
  run: number,
  shared: Pick<RunRecord, 'ended' | 'state' | 'given' | 'startMoment' | 'ms' | 'whole'>,
): RunRecord {
  const plan = view.scenario.runs[run];
  if (plan === undefined) throw new Error(`no read ${run}`);
  const seen = outputOfView(view, views, shared.whole);
  const startProgress = each(LISTS, (kind) =>
    startOf(kind, plan, shared.given.get(view.names[kind]), shared.startMoment),
  );
  const emitted = each(LISTS, (kind) =>
    rowsIn(recordTexts(seen, kind), view.api[kind].rowsOf, startProgress[kind].covered),
  );
  return { ...shared, ...view, ...seen, plan, startProgress, emitted };
}

function problemsOf(run: RunRecord): readonly string[] {
  return CHECKS.flatMap((check) => check(run)).map((words) => `${run.label}${words}`);
}

/** The rows that texts stand for; of equal rows the first one that was not emitted before. -1: the API never showed it. */
function rowsIn(
  texts: readonly string[],
  rowsOf: (text: string) => readonly number[],
  covered: ReadonlySet<number>,
): readonly number[] {
  const emitted = new Set(covered);
  return texts.map((text) => {
    const rows = rowsOf(text);
    const row = rows.find((one) => !emitted.has(one)) ?? rows[0] ?? -1;
    emitted.add(row);
    return row;
  });
}

/** A scenario once more, as a trace that a person can read: requests, changes, output, and what is wrong. */
export async function storyOf(scenario: Scenario): Promise<string> {
  const lines: string[] = [];
  const { failure } = await simulate(scenario, (line) => lines.push(line));
  return [...lines, failure ?? 'everything holds'].join('\n');
}
