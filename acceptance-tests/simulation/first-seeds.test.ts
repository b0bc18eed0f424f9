import { test } from 'vitest';

import { TIMEOUT_MS, expectSeeds } from './expect-seeds.ts';

test('whole reads hold: seeds 0 to 999', () => expectSeeds(0, 1000), TIMEOUT_MS);
