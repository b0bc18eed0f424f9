import { test } from 'vitest';

import { TIMEOUT_MS, expectSeeds } from './expect-seeds.ts';

test('whole reads hold: seeds 1000 to 1999', () => expectSeeds(1000, 1000), TIMEOUT_MS);
