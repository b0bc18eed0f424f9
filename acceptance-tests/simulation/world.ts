import { createHash } from 'node:crypto';
import type { TokenCache } from '../../src/token/cache.ts';
import { mix } from '../sandbox/data/random.ts';
import { each } from '../sandbox/lists.ts';
import { outputOf } from '../suites/conformance/validate-output.ts';
import { recordTexts, type Output } from '../support/run-views.ts';
import { checkBounds } from './checks/bounds.ts';
import { checkComplete } from './checks/complete.ts';
import { checkCommonLogs, checkLimit } from './checks/logs.ts';
import { checkOutcome } from './checks/outcome.ts';
import { checkRows } from './checks/rows.ts';
import { createChoices } from './choices.ts';
import { createTally } from './coverage.ts';
import { differencesOf } from './differences.ts';
import { handOver, lineagesAfter, startOf, type Lineage } from './lineage.ts';
import { runProcess } from './process.ts';
import type { RunRecord } from './run-record.ts';
import type { RunPlan } from './scenario-runs.ts';
import { LISTS, streamsOf, type Scenario } from './scenario.ts';
import { createSimulatedApi } from './simulated-api.ts';
import type { Trace } from './simulated-list.ts';
import { outputOfView, viewsOf, type View } from './views.ts';
import { createVirtualTime } from './virtual-time.ts';

/** What must hold for every read, the most important first. */
const CHECKS = [checkOutcome, checkRows, checkComplete, checkLimit, checkBounds];

/** Runs all reads of a scenario, up to the first that fails a check. `onLine` receives the lines of a trace. */
export async function simulate(scenario: Scenario, onLine: ((line: string) => void) | null) {
  const { seed, runs, ...rest } = scenario;
  const choices = createChoices(mix(seed, 5));
  const disk = new Map<string, TokenCache>();
  const { tally, matters, endRun } = createTally(scenario);
  const digest = createHash('sha256');
  let skewMs: number = scenario.skewMs;
  let time = createVirtualTime(scenario.startMs);
  let isCalm = false;
  let failure: string | null = null;
  const trace: Trace = (line) => onLine?.(`${new Date(time.now()).toISOString()} ${line()}`);
  trace(() => `seed ${seed}, ${runs.length} reads: ${JSON.stringify(rest)}`);
  const api = createSimulatedApi(scenario, { now: () => time.now(), isCalm: () => isCalm, trace, matters });
  const views = viewsOf(scenario, api);
  const lineages: Lineage[] = [{ states: new Map(), output: Buffer.alloc(0) }];
  for (const [run, plan] of runs.entries()) {
    ({ isCalm } = plan);
    time = createVirtualTime(time.now() + plan.gapMs);
    for (const stream of streamsOf(scenario)) api.lists.get(stream)?.change(plan.changes);
    api.startRead();
    const { from, file } = handOver(plan, lineages, choices);
    traceStart(trace, run, plan, from);
    const [startMoment, startMs] = [api.moment(), time.now()];
    const own = { run, seed: mix(seed, 6, run), disk, skewMs, state: file };
    const ended = await runProcess({ ...own, scenario, plan, api, time, trace, matters });
    ({ skewMs } = ended);
    trace(() => (ended.exitCode === null ? ended.how : `${ended.how}, exit code ${ended.exitCode}`));
    digest.update(ended.output).update(ended.requests.join('\n'));
    const read = { ended, state: file, given: from.states, startMoment, ms: time.now() - startMs };
    const { records, problems } = check(views, run, read);
    for (const dimension of records.slice(0, 1).flatMap(differencesOf)) matters(dimension);
    endRun(plan.drawn);
    if (problems.length > 0) failure = `read ${run}: ${problems.join('; ')}`;
    if (failure !== null) break;
    lineages.push(...lineagesAfter(records, from));
  }
  return { failure, tally, digest: digest.digest('hex') };
}

function traceStart(trace: Trace, run: number, plan: RunPlan, from: Lineage): void {
  trace(() => `read ${run}: ${JSON.stringify(plan)}`);
  for (const { stream, state, progress } of from.states.values())
    trace(() => `from ${stream} ${JSON.stringify(state)}, rows ${[...progress().covered].join(' ')}`);
}

type Read = Pick<RunRecord, 'ended' | 'state' | 'given' | 'startMoment' | 'ms'>;

function check(views: readonly View[], run: number, read: Read) {
  let whole: Output;
  try {
    whole = outputOf(read.ended.output, read.ended.how === 'exit');
  } catch (error) {
    return { records: [], problems: [(error as Error).message] };
  }
  const records = views.map((view) => recordOf(view, views, run, { ...read, whole }));
  return { records, problems: [...records.flatMap(problemsOf), ...checkCommonLogs(records)] };
}

function recordOf(view: View, views: readonly View[], run: number, read: Read & Pick<RunRecord, 'whole'>) {
  const plan = view.scenario.runs[run];
  if (plan === undefined) throw new Error(`no read ${run}`);
  const output = outputOfView(view, views, read.whole);
  const startProgress = each(LISTS, (kind) =>
    startOf(kind, plan, read.given.get(view.names[kind]), read.startMoment),
  );
  const emitted = each(LISTS, (kind) =>
    rowsIn(recordTexts(output, kind), view.api[kind].rowsOf, startProgress[kind].covered),
  );
  return { ...read, ...view, ...output, plan, startProgress, emitted };
}

function problemsOf(run: RunRecord): readonly string[] {
  return CHECKS.flatMap((checkRun) => checkRun(run)).map((problem) => `${run.label}${problem}`);
}

/** The rows that texts belong to; -1 for an unknown text. Texts of equal rows are assigned to as many rows as possible. */
function rowsIn(
  texts: readonly string[],
  rowsOf: (text: string) => readonly number[],
  covered: readonly number[],
): readonly number[] {
  const before = new Set(covered);
  const found = texts.map(rowsOf);
  const owners = new Map<number, number>();
  const assign = (text: number, tried: Set<number>): boolean => {
    for (const row of found[text] ?? []) {
      if (before.has(row) || tried.has(row)) continue;
      tried.add(row);
      const owner = owners.get(row);
      if (owner !== undefined && !assign(owner, tried)) continue;
      owners.set(row, text);
      return true;
    }
    return false;
  };
  for (const text of found.keys()) assign(text, new Set());
  const rowOf = new Map([...owners].map(([row, text]) => [text, row]));
  return found.map((rows, text) => rowOf.get(text) ?? rows[0] ?? -1);
}

/** A readable trace of a scenario: requests, changes, output, and what is wrong. */
export async function traceOf(scenario: Scenario): Promise<string> {
  const lines: string[] = [];
  const { failure } = await simulate(scenario, (line) => lines.push(line));
  return [...lines, failure ?? 'no problems'].join('\n');
}
