import { parseFeatures } from './features.ts';
import { failureWords, runSeed, storyOf } from './story.ts';

/*
 * tsx acceptance-tests/simulation/main.ts FIRST COUNT, or one seed alone for its story; SIMULATION_WITHOUT names features to leave out.
 */
const [first = '0', count] = process.argv.slice(2);
const without = parseFeatures(process.env['SIMULATION_WITHOUT'] ?? '');
if (count === undefined) console.log(await storyOf(Number(first), without));
else {
  const started = performance.now();
  let failures = 0;
  for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
    const failure = await runSeed(seed, without);
    if (failure === null) continue;
    failures++;
    console.log(`seed ${seed}: ${failureWords(failure)}`);
  }
  console.log(`${count} seeds, ${failures} failures, ${Math.round(performance.now() - started)} ms`);
}
