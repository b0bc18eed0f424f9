import { parseFeatures } from './features.ts';
import { failureWords, runSeed, storyOf } from './story.ts';

const REPLAY = 'npx vitest run --project acceptance acceptance-tests/simulation/first-seeds';
/** Against hanging alone: a thousand seeds take some ten seconds of a core. */
export const TIMEOUT_MS = 600_000;
/** Failures after which the rest is not run: one is enough to begin with. */
const MOST_FAILURES = 5;

/**
 * Runs the scenarios of seeds; or that of `SIMULATION_SEED` alone, if it is set, with its story. `SIMULATION_WITHOUT` names features
 * that are left out.
 *
 * @throws Error that names the seeds that fail, what is wrong, and how to replay them; with the story of the first one
 */
export async function expectSeeds(first: number, count: number): Promise<void> {
  const without = parseFeatures(process.env['SIMULATION_WITHOUT'] ?? '');
  if (without.size > 0) console.log(`simulated without: ${[...without].join(', ')}`);
  const alone = process.env['SIMULATION_SEED'];
  if (alone !== undefined && alone !== '') {
    const story = await storyOf(Number(alone), without);
    console.log(story);
    if ((await runSeed(Number(alone), without)) !== null)
      throw new Error(`seed ${alone} fails; its story stands above`);
    return;
  }
  const failures: string[] = [];
  let story = '';
  for (let seed = first; seed < first + count && failures.length < MOST_FAILURES; seed++) {
    const failure = await runSeed(seed, without);
    if (failure === null) continue;
    failures.push(`seed ${seed}: ${failureWords(failure)}\n    replay: SIMULATION_SEED=${seed} ${REPLAY}`);
    if (failures.length === 1) story = await storyOf(seed, without);
  }
  if (failures.length > 0) throw new Error(`${failures.join('\n')}\n\nthe story of the first one:\n${story}`);
}
