import { mix } from '../sandbox/data/random.ts';
import { lists } from '../sandbox/lists.ts';
import { createDraw } from './choices.ts';
import { drawAlarms, drawAssets, type Clocks } from './scenario-lists.ts';
import { drawRuns, type RunPlan } from './scenario-runs.ts';

const NAMES = ['drivers', 'trips', 'depots', 'positions'] as const;
const MAX_ROWS = 30;
const MAX_CHAINS = 4;

/** An entry of `lists` in the config. It behaves like the predefined list of its kind. */
export type FurtherList = ReturnType<typeof drawFurtherList>;

/** The lists besides assets and alarms, with their settings for each run. */
export function drawFurtherLists(
  seed: number,
  count: number,
  clocks: Clocks,
  runs: readonly RunPlan[],
): readonly FurtherList[] {
  const first = mix(seed, 20) % NAMES.length;
  const names = [...NAMES.slice(first), ...NAMES.slice(0, first)].slice(0, count);
  return names.map((name, at) => drawFurtherList(name, mix(seed, 21, at), clocks, runs));
}

function drawFurtherList(
  name: (typeof NAMES)[number],
  seed: number,
  clocks: Clocks,
  runs: readonly RunPlan[],
) {
  const draws = createDraw(seed);
  const kind = lists[name].paging === 'offset' ? ('assets' as const) : ('alarms' as const);
  const assets = small(drawAssets(draws));
  const alarms = small(drawAlarms(draws, clocks));
  const { drawn } = draws;
  // the last runs of all lists are the undisturbed ones
  const own = drawRuns(createDraw(mix(seed, 1)), clocks, alarms);
  const settings = runs.map((run, at) => settingsOf(own.at(at - runs.length) ?? own[0] ?? run));
  return { name, kind, seed, drawn: { ...drawn }, assets, alarms, settings };
}

function small<Plan extends { readonly rows: number; readonly maxRows: number }>(plan: Plan): Plan {
  return { ...plan, rows: Math.min(plan.rows, MAX_ROWS >> 1), maxRows: MAX_ROWS };
}

function settingsOf({ alarms, assetsPageSize, missingRows, minRows }: RunPlan) {
  const parallel_chains = Math.min(alarms.parallel_chains, MAX_CHAINS);
  return { alarms: { ...alarms, parallel_chains }, assetsPageSize, missingRows, minRows };
}
