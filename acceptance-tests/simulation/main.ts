import { parseArgs } from 'node:util';

import { parseFeatures } from './features.ts';
import { failureOf, storyOf } from './story.ts';

/*
 * tsx acceptance-tests/simulation/main.ts --seed N tells the story of one scenario; without it `--count` scenarios are run from
 * `--first` on, up to `--most-failures`. `--without` names features to leave out. The exit code is 1 if one fails.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    first: { type: 'string', default: '0' },
    count: { type: 'string', default: '2000' },
    'most-failures': { type: 'string', default: '1000000' },
    without: { type: 'string', default: '' },
  },
});
const without = parseFeatures(values.without);
if (values.seed !== undefined) console.log(await storyOf(Number(values.seed), without));
else {
  const first = Number(values.first);
  const end = first + Number(values.count);
  let failures = 0;
  let seed = first;
  for (; seed < end && failures < Number(values['most-failures']); seed++) {
    const failure = await failureOf(seed, without);
    if (failure === null) continue;
    failures++;
    console.log(`seed ${seed}: ${failure}`);
  }
  console.log(`${seed - first} seeds, ${failures} failures`);
  if (failures > 0) process.exitCode = 1;
}
