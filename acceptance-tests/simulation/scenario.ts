import { createRandom, mix } from '../sandbox/data/random.ts';
import type { Random } from '../sandbox/data/random.ts';
import { between, weighted } from './choice.ts';
import { chooser } from './features.ts';
import type { Choose, Feature } from './features.ts';
import type { StreamName } from './input-texts.ts';
import { drawAlarms } from './scenario-alarms.ts';
import { drawAssets } from './scenario-assets.ts';
import { drawRuns } from './scenario-runs.ts';

/** All that happens, but for what the connector makes of it. */
export type Scenario = ReturnType<typeof drawScenario>;
/** How long requests take, and what becomes of them. */
export type NetworkPlan = ReturnType<typeof drawNetwork>;
/** How tokens are issued. */
export type TokenPlan = ReturnType<typeof drawTokens>;

const START_MS = Date.UTC(2026, 2, 1, 10, 0, 0);
const DAY_MS = 86_400_000;

/** The scenario of a seed; features that are left out change nothing else in it. */
export function drawScenario(seed: number, without: ReadonlySet<Feature>) {
  const choose = chooser(without);
  const random = createRandom(mix(seed, 1));
  const streams = weighted<readonly StreamName[]>(
    random,
    [58, ['alarms']],
    [30, ['assets']],
    [12, ['assets', 'alarms']],
  );
  const startMs = START_MS + random.below(DAY_MS);
  const network = drawNetwork(random, choose);
  // how far the local clock is ahead of the server's: without the server's time the local one must be right
  const skewMs =
    network.dateBehindMs === null ? 0 : weighted(random, [70, 0], [15, 3_600_000], [15, -5_400_000]);
  const alarms = drawAlarms(createRandom(mix(seed, 2)), choose, network.mostMs);
  const assets = drawAssets(createRandom(mix(seed, 3)), choose);
  const tokens = drawTokens(random, choose);
  const runs = drawRuns(createRandom(mix(seed, 4)), choose, { startMs, streams, alarms });
  return { seed, startMs, skewMs, streams, api: { assets, alarms, tokens }, network, runs };
}

function drawNetwork(random: Random, choose: Choose) {
  const [leastMs, mostMs] = weighted<readonly [number, number]>(
    random,
    [20, [0, 0]],
    [40, [1, 50]],
    [30, [50, 3000]],
    [10, [500, 20_000]],
  );
  const percent = weighted(random, [50, 0], [25, 3], [25, 15]);
  return {
    // each way: answers overtake each other
    leastMs,
    mostMs,
    // what the server says of its time: how far behind it is, or nothing at all
    dateBehindMs: weighted(random, [70, 0], [15, null], [15, between(random, 1000, 600_000)]),
    // requests of a hundred, of the same one in a row (fewer than a read has attempts), and times that tokens are revoked
    faults: { percent: choose('faults', percent, 0), mostInRow: between(random, 1, 4), mostRevoked: 1 },
  };
}

function drawTokens(random: Random, choose: Choose) {
  return {
    kind: choose(
      'scarce tokens',
      weighted(random, [60, 'general'], [20, 'scoped'], [20, 'module']),
      'general',
    ),
    // between reads; else each read has to ask for one
    areKept: choose('scarce tokens', random.below(100) < 85, true),
    // how an answer says for how long it is valid
    tells: random.pick(['seconds', 'minutes', 'milliseconds', 'expires_in', 'nothing'] as const),
  };
}
