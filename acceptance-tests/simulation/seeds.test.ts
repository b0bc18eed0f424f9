import { expect, test } from 'vitest';

import { failureOf, storyOf } from './story.ts';

/** In the project `long` as many as are worth it; elsewhere so many that a fault hardly slips through. */
const COUNT = process.env['TEST_LENGTH'] === 'long' ? 2000 : 500;
const NOTHING_LEFT_OUT = new Set<never>();

test(`whole reads hold: seeds 0 to ${COUNT - 1}`, async () => {
  for (let seed = 0; seed < COUNT; seed++) {
    const failure = await failureOf(seed, NOTHING_LEFT_OUT);
    if (failure === null) continue;
    const replay = `npx tsx acceptance-tests/simulation/main.ts --seed ${seed}`;
    expect.fail(`${failure}\nreplay: ${replay}\n\n${await storyOf(seed, NOTHING_LEFT_OUT)}`);
  }
}, 600_000);
