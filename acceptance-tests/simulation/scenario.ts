import { mix } from '../sandbox/data/random.ts';
import { createChoices } from './choices.ts';
import type { Choices } from './choices.ts';
import { drawAlarms, drawAssets } from './scenario-lists.ts';
import { drawRuns } from './scenario-runs.ts';

/** The lists of the API. */
export const LISTS = ['assets', 'alarms'] as const;
export type ListName = (typeof LISTS)[number];

/** All that happens, but for what the connector makes of it. */
export type Scenario = ReturnType<typeof drawScenario>;

const START_MS = Date.UTC(2026, 2, 1, 10);
const DAY_MS = 86_400_000;

export function drawScenario(seed: number) {
  const choices = createChoices(mix(seed, 1));
  const { below, weighted } = choices;
  const streams = weighted<ListName[]>([58, ['alarms']], [30, ['assets']], [12, ['assets', 'alarms']]);
  const startMs = START_MS + below(DAY_MS);
  const network = drawNetwork(choices);
  const isTold = network.dateBehindMs !== null;
  // how far the local clock is ahead of the server's: without the server's time the local one must be right
  const skewMs = isTold ? weighted([70, 0], [15, 3_600_000], [15, -5_400_000]) : 0;
  const alarms = drawAlarms(createChoices(mix(seed, 2)), network.mostMs);
  const assets = drawAssets(createChoices(mix(seed, 3)));
  const tokens = drawTokens(choices);
  const runs = drawRuns({ ...createChoices(mix(seed, 4)), startMs, alarms });
  return { seed, startMs, skewMs, streams, api: { assets, alarms, tokens }, network, runs };
}

/** How long requests take, and what becomes of them. */
function drawNetwork({ between, weighted }: Choices) {
  // each way: answers overtake each other
  const [leastMs, mostMs] = weighted<readonly [number, number]>(
    [20, [0, 0]],
    [40, [1, 50]],
    [30, [50, 3000]],
    [10, [500, 20_000]],
  );
  return {
    leastMs,
    mostMs,
    // requests of a hundred, and of the same one in a row (fewer than a read has attempts)
    faultPercent: weighted([50, 0], [25, 3], [25, 15]),
    // what the server says of its time: how far behind it is, or nothing at all
    dateBehindMs: weighted([70, 0], [15, null], [15, between(1000, 600_000)]),
    mostInRow: between(1, 4),
  };
}

/** How tokens are issued. */
function drawTokens({ chance, pick, weighted }: Choices) {
  return {
    kind: weighted([60, 'general'], [20, 'scoped'], [20, 'module']),
    // between reads; else each read has to ask for one
    areKept: chance(85),
    // how an answer says for how long it is valid
    tells: pick(['seconds', 'minutes', 'milliseconds', 'expires_in', 'nothing'] as const),
  };
}
