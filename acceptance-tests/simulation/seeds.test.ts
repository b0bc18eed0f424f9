import { expect, test } from 'vitest';
import { simulate, storyOf } from './world.ts';

/** In the project `long` as many as are worth it; elsewhere so many that a fault hardly slips through. */
const COUNT = process.env['TEST_LENGTH'] === 'long' ? 2000 : 500;

test(`whole reads hold: seeds 0 to ${COUNT - 1}`, async () => {
  for (let seed = 0; seed < COUNT; seed++) {
    const failure = await simulate(seed, null);
    if (failure === null) continue;
    const replay = `npx tsx acceptance-tests/simulation/main.ts --seed ${seed}`;
    expect.fail(`seed ${seed}: ${failure}\nreplay: ${replay}\n\n${await storyOf(seed)}`);
  }
}, 600_000);
