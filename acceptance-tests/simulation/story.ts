import { drawScenario } from './scenario.ts';
import type { Feature } from './features.ts';
import { simulate } from './world.ts';
import type { Failure } from './world.ts';

/** What came of a seed; null if everything holds. */
export function runSeed(seed: number, without: ReadonlySet<Feature>): Promise<Failure | null> {
  return simulate(drawScenario(seed, without), null);
}

/** A seed once more, as a log that a person can read: the scenario, requests, changes, output, and what is wrong. */
export async function storyOf(seed: number, without: ReadonlySet<Feature>): Promise<string> {
  const scenario = drawScenario(seed, without);
  const { runs, ...world } = scenario;
  const lines = [`seed ${seed}, ${runs.length} reads: ${JSON.stringify(world)}`];
  const failure = await simulate(scenario, (nowMs, words) => {
    lines.push(`${new Date(nowMs).toISOString()} ${words}`);
  });
  lines.push(failure === null ? 'everything holds' : failureWords(failure));
  return lines.join('\n');
}

export function failureWords({ run, problems }: Failure): string {
  return `read ${run}: ${problems.join('; ')}`;
}
