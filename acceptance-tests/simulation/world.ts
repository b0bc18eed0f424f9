import type { TokenCache } from '../../src/token/cache.ts';
import { mix } from '../sandbox/data/random.ts';
import { each } from '../sandbox/lists.ts';
import { outputOf } from '../suites/conformance/validate-output.ts';
import { recordTexts } from '../support/run-views.ts';
import type { Output } from '../support/run-views.ts';
import { checkBounds } from './checks/bounds.ts';
import { checkComplete } from './checks/complete.ts';
import { checkLogs } from './checks/logs.ts';
import { checkOutcome } from './checks/outcome.ts';
import { checkRows } from './checks/rows.ts';
import { createChoices } from './choices.ts';
import { handOver, lineagesAfter, startOf } from './lineage.ts';
import type { Lineage } from './lineage.ts';
import { runProcess } from './process.ts';
import type { RunRecord } from './run-record.ts';
import { drawScenario, LISTS } from './scenario.ts';
import { createSimulatedApi } from './simulated-api.ts';
import type { Tell } from './simulated-list.ts';
import { createVirtualTime } from './virtual-time.ts';

/** All that must hold of every read, in the order in which a person wants to hear of it. */
const CHECKS = [checkOutcome, checkRows, checkComplete, checkLogs, checkBounds];

/** Lets the whole scenario of a seed happen; what is wrong with it in words, null if everything holds. */
export async function simulate(
  seed: number,
  /** Told of all that happens, line by line, or null. */
  story: ((line: string) => void) | null,
): Promise<string | null> {
  const scenario = drawScenario(seed);
  const choices = createChoices(mix(seed, 5));
  const disk = new Map<string, TokenCache>();
  let time = createVirtualTime(scenario.startMs);
  let isCalm = false;
  const tell: Tell = (words) => story?.(`${new Date(time.now()).toISOString()} ${words()}`);
  const { runs, ...world } = scenario;
  tell(() => `seed ${seed}, ${runs.length} reads: ${JSON.stringify(world)}`);
  const api = createSimulatedApi(scenario, { now: () => time.now(), isCalm: () => isCalm, tell });
  let lineage: Lineage = { states: new Map(), output: Buffer.alloc(0) };
  const everWritten: Lineage[] = [];

  for (const [run, plan] of runs.entries()) {
    ({ isCalm } = plan);
    time = createVirtualTime(time.now() + plan.gapMs);
    for (const stream of scenario.streams) api[stream].change(plan.changes);
    api.nextRead();
    tell(() => `read ${run}: ${JSON.stringify(plan)}`);
    const { from, file } = handOver(plan, lineage, everWritten, choices);
    for (const { stream, state, progress } of from.states.values())
      tell(() => `from ${stream} ${JSON.stringify(state)}, rows ${[...progress().covered].join(' ')}`);
    const startMoment = api.moment();
    const startMs = time.now();
    const startProgress = each(LISTS, (name) => startOf(name, plan, from.states.get(name), startMoment));
    const parts = { scenario, plan, seed: mix(seed, 6, run), api, disk, time, state: file, tell };
    const ended = await runProcess(parts);
    tell(() => (ended.exitCode === null ? ended.how : `${ended.how}, exit code ${ended.exitCode}`));
    let output: Output;
    try {
      output = outputOf(ended.output, ended.how === 'exit');
    } catch (error) {
      return `read ${run}: ${(error as Error).message}`;
    }
    const emitted = each(LISTS, (stream) =>
      recordTexts(output, stream).map((text) => api[stream].rowOf(text) ?? -1),
    );
    const told = { ...parts, ...output, ended, emitted };
    const ms = time.now() - startMs;
    const record: RunRecord = { ...told, given: from.states, startProgress, startMoment, ms };
    const problems = CHECKS.flatMap((check) => check(record));
    if (problems.length > 0) return `read ${run}: ${problems.join('; ')}`;
    const lineages = lineagesAfter(record, from);
    everWritten.push(...lineages);
    lineage = lineages.at(-1) ?? lineage;
  }
  return null;
}

/** A seed once more, as a log that a person can read: the scenario, requests, changes, output, and what is wrong. */
export async function storyOf(seed: number): Promise<string> {
  const lines: string[] = [];
  const failure = await simulate(seed, (line) => lines.push(line));
  return [...lines, failure ?? 'everything holds'].join('\n');
}
