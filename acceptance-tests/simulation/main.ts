import { parseArgs } from 'node:util';
import { simulate, storyOf } from './world.ts';

/*
 * tsx acceptance-tests/simulation/main.ts --seed N tells the story of one scenario; without it `--count` scenarios are run from
 * `--first` on. The exit code is 1 if one fails.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    first: { type: 'string', default: '0' },
    count: { type: 'string', default: '2000' },
  },
});
if (values.seed !== undefined) console.log(await storyOf(Number(values.seed)));
else {
  const [first, count] = [Number(values.first), Number(values.count)];
  let failures = 0;
  for (let seed = first; seed < first + count; seed++) {
    const failure = await simulate(seed, null);
    if (failure === null) continue;
    failures++;
    console.log(`seed ${seed}: ${failure}`);
  }
  console.log(`${count} seeds, ${failures} failures`);
  if (failures > 0) process.exitCode = 1;
}
