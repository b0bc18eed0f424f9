import type { TokenCache } from '../../src/token/cache.ts';
import { createRandom, mix } from '../sandbox/data/random.ts';
import { outputOf } from '../suites/conformance/validate-output.ts';
import { recordTexts } from '../support/run-views.ts';
import type { Output } from '../support/run-views.ts';
import { CHECKS } from './checks/all.ts';
import { handOver, lineagesAfter, startOf } from './lineage.ts';
import type { Lineage } from './lineage.ts';
import { runProcess } from './process.ts';
import type { StreamName } from './input-texts.ts';
import type { RunRecord } from './run-record.ts';
import type { Scenario } from './scenario.ts';
import { createSimulatedApi } from './simulated-api.ts';
import type { SimulatedApi } from './simulated-api.ts';
import type { Tell } from './tell.ts';
import { createVirtualTime } from './virtual-time.ts';

/** What went wrong in a scenario. */
export interface Failure {
  /** The read, counted from 0. */
  readonly run: number;
  readonly problems: readonly string[];
}

/** Lets a whole scenario happen; null if everything holds. */
export async function simulate(
  scenario: Scenario,
  /** Told of all that happens, with the time, ms since the epoch; null where nobody wants to know. */
  tell: ((nowMs: number, words: string) => void) | null,
): Promise<Failure | null> {
  const { seed, streams } = scenario;
  const random = createRandom(mix(seed, 5));
  const disk = new Map<string, TokenCache>();
  let time = createVirtualTime(scenario.startMs);
  let isCalm = false;
  const say: Tell = (words) => {
    if (tell !== null) tell(time.now(), words());
  };
  const around = { now: () => time.now(), isCalm: () => isCalm, tell: say };
  const api = createSimulatedApi(scenario.api, seed, around);
  let lineage: Lineage = { states: new Map(), output: Buffer.alloc(0) };
  const everWritten: Lineage[] = [];

  for (const [run, plan] of scenario.runs.entries()) {
    ({ isCalm } = plan);
    time = createVirtualTime(time.now() + plan.gapMs);
    for (const stream of streams) api[stream].change(plan.changes);
    api.nextRead();
    say(() => `read ${run}: ${JSON.stringify(plan)}`);
    const { from, file } = handOver(plan, lineage, everWritten, random);
    for (const { stream, state, progress } of from.states.values())
      say(() => `goes on from ${stream} ${JSON.stringify(state)}, rows ${[...progress().covered].join(' ')}`);
    const startMoment = api.moment();
    const begun = streams.map(
      (stream) => [stream, startOf(stream, plan, from.states.get(stream), startMoment)] as const,
    );
    const startMs = time.now();
    const process = { run: plan, scenario, seed: mix(seed, 6, run), api, disk, time, state: file, tell: say };
    const ended = await runProcess(process);
    say(() => (ended.exitCode === null ? ended.how : `${ended.how}, exit code ${ended.exitCode}`));
    const output = validOutput(ended.output, ended.how === 'exit');
    if (typeof output === 'string') return { run, problems: [output] };
    const record: RunRecord = {
      ...output,
      plan,
      scenario,
      api,
      ended,
      emitted: { assets: rowsIn(output, 'assets', api), alarms: rowsIn(output, 'alarms', api) },
      stateFile: file,
      given: from.states,
      startProgress: new Map(begun),
      startMoment,
      ms: time.now() - startMs,
    };
    const problems = CHECKS.flatMap((check) => check(record));
    if (problems.length > 0) return { run, problems };
    const lineages = lineagesAfter(record, from);
    everWritten.push(...lineages);
    lineage = lineages.at(-1) ?? lineage;
  }
  return null;
}

/** What has left a process; the rule in words that it breaks. */
function validOutput(bytes: Buffer, hasEnded: boolean): Output | string {
  try {
    return outputOf(bytes, hasEnded);
  } catch (error) {
    return (error as Error).message;
  }
}

function rowsIn(output: Output, stream: StreamName, api: SimulatedApi): readonly number[] {
  return recordTexts(output, stream).map((text) => api[stream].rowOf(text) ?? -1);
}
