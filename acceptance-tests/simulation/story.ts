import type { Feature } from './features.ts';
import { drawScenario } from './scenario.ts';
import { simulate } from './world.ts';

/** What is wrong with a seed, in words; null if everything holds. */
export async function failureOf(seed: number, without: ReadonlySet<Feature>): Promise<string | null> {
  return wordsOf(await simulate(drawScenario(seed, without), null));
}

/** A seed once more, as a log that a person can read: the scenario, requests, changes, output, and what is wrong. */
export async function storyOf(seed: number, without: ReadonlySet<Feature>): Promise<string> {
  const scenario = drawScenario(seed, without);
  const { runs, ...world } = scenario;
  const lines = [`seed ${seed}, ${runs.length} reads: ${JSON.stringify(world)}`];
  const failure = await simulate(scenario, (nowMs, words) => {
    lines.push(`${new Date(nowMs).toISOString()} ${words}`);
  });
  return [...lines, wordsOf(failure) ?? 'everything holds'].join('\n');
}

function wordsOf(failure: Awaited<ReturnType<typeof simulate>>): string | null {
  return failure === null ? null : `read ${failure.run}: ${failure.problems.join('; ')}`;
}
