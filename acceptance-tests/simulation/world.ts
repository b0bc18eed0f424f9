import type { AirbyteMessage } from '../../src/generated/protocol.generated.ts';
import type { TokenCache } from '../../src/token/cache.ts';
import { createRandom, mix } from '../sandbox/data/random.ts';
import { CHECKS } from './checks/all.ts';
import { NO_LINEAGE, handOver, lineagesAfter, startOf } from './lineage.ts';
import type { Lineage } from './lineage.ts';
import { runProcess } from './process.ts';
import type { Ended } from './process.ts';
import type { RunRecord } from './run-record.ts';
import type { Scenario } from './scenario.ts';
import { createSimulatedApi } from './simulated-api.ts';
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
  const { seed, runs, streams } = scenario;
  const random = createRandom(mix(seed, 5));
  const disk = new Map<string, TokenCache>();
  let time = createVirtualTime(scenario.startMs);
  let isCalm = false;
  const say: Tell = (words) => {
    if (tell !== null) tell(time.now(), words());
  };
  const api = createSimulatedApi(scenario.api, seed, {
    now: () => time.now(),
    isCalm: () => isCalm,
    tell: say,
  });
  let lineage: Lineage = NO_LINEAGE;
  const everWritten: Lineage[] = [];

  for (const [index, plan] of runs.entries()) {
    ({ isCalm } = plan);
    time = createVirtualTime(time.now() + plan.gapMs);
    if (streams.includes('assets')) api.assets.change(plan.changes);
    if (streams.includes('alarms')) api.alarms.grow(plan.changes);
    api.alarms.nextRead();
    api.tokens.nextRead();
    say(() => `read ${index}: ${JSON.stringify(plan)}`);
    const { from, file } = handOver(plan, lineage, everWritten, random);
    const given = new Map(streams.map((stream) => [stream, from.states.get(stream) ?? null]));
    for (const [stream, state] of given)
      if (state !== null)
        say(
          () =>
            `goes on from ${stream} ${JSON.stringify(state.state)}, rows ${[...state.progress().covered].join(' ')}`,
        );
    const before = {
      startMoment: api.moment(),
      startMs: time.now(),
      assets: api.assets.served.length,
      alarms: api.alarms.served.length,
      tokens: api.tokens.requests(),
      refusals: api.tokens.refusals(),
    };
    const ended = await runProcess({
      run: plan,
      seed: mix(seed, 6, index),
      api,
      network: scenario.network,
      tokens: scenario.api.tokens,
      disk,
      time,
      skewMs: scenario.skewMs,
      state: file,
      tell: say,
    });
    const { startMoment } = before;
    const read = messagesOf(ended.output);
    if (read === null) return { run: index, problems: ['a line of the output is not JSON'] };
    const record: RunRecord = {
      index,
      plan,
      scenario,
      api,
      ended,
      ...read,
      stateFile: file,
      given,
      startProgress: new Map(
        [...given].map(([stream, state]) => [stream, startOf(stream, plan, state, startMoment)]),
      ),
      startMoment,
      served: new Map(streams.map((stream) => [stream, api[stream].served.slice(before[stream])])),
      tokenRequests: api.tokens.requests() - before.tokens,
      tokenRefusals: api.tokens.refusals() - before.refusals,
      ms: time.now() - before.startMs,
    };
    say(() => endWords(ended));
    const problems = CHECKS.flatMap((check) => check(record));
    if (problems.length > 0) return { run: index, problems };
    const lineages = lineagesAfter(record, from);
    everWritten.push(...lineages);
    lineage = lineages.at(-1) ?? lineage;
  }
  return null;
}

function endWords({ how, exitCode }: Ended): string {
  return exitCode === null ? how : `${how}, exit code ${exitCode}`;
}

/** Whole lines, and a last one that lost nothing but its line end; null if one of them is not JSON. */
function messagesOf(output: Buffer): Pick<RunRecord, 'messages' | 'lines'> | null {
  const texts = output.toString('utf8').split('\n');
  const rest = texts.pop() ?? '';
  if (isJson(rest)) texts.push(rest);
  try {
    return { messages: texts.map((line) => JSON.parse(line) as AirbyteMessage), lines: texts };
  } catch {
    return null;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
