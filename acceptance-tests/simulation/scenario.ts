import { mix } from '../sandbox/data/random.ts';
import { createDraw, type Draw } from './choices.ts';
import { drawFurtherLists } from './further-lists.ts';
import { drawAlarms, drawAssets } from './scenario-lists.ts';
import { drawRuns, type RunPlan } from './scenario-runs.ts';

/** The lists of the API. */
export const LISTS = ['assets', 'alarms'] as const;
export type ListName = (typeof LISTS)[number];

/** Everything that happens except what the connector does. It is JSON, so it can be saved and replayed. */
export type Scenario = ReturnType<typeof drawScenario>;

const START_MS = Date.UTC(2026, 2, 1, 10);
export const DAY_MS = 86_400_000;

/** The scenario of a seed; `isBaseline`: with the baseline of each dimension. */
export function drawScenario(seed: number, isBaseline: boolean) {
  const drawFor = (part: number): Draw => createDraw(isBaseline ? null : mix(seed, part));
  const [whole, ofAlarms, ofAssets, ofRuns] = [1, 2, 3, 4].map(drawFor) as [Draw, Draw, Draw, Draw];
  const { below, draw } = whole;
  const predefined = { alarms: ['alarms'], assets: ['assets'], both: LISTS }[
    draw('streams')
  ] as readonly ListName[];
  const startMs = START_MS + below(DAY_MS);
  const network = drawNetwork(whole);
  const areDependable = network.date === 'each' && network.dateBehindMs >= 0;
  // how far the local clock is ahead of the server's
  const skewMs = draw('localClock');
  const clocks = {
    startMs,
    latencyMs: network.maxMs,
    areDependable,
    aheadMs: clockAheadMs({ network, skewMs, runs: [] }),
  };
  const alarms = drawAlarms(ofAlarms, clocks);
  const assets = drawAssets(ofAssets);
  // `areKept`: between reads; otherwise each read requests one
  const tokens = { kind: draw('tokenKind'), areKept: draw('tokenStore'), tells: draw('tokenLife') };
  const runs = drawRuns(ofRuns, clocks, alarms);
  const ofLists = drawFor(7);
  const count = ofLists.draw('furtherLists');
  const further = drawFurtherLists(seed, count, clocks, runs);
  const streams = count === 4 ? LISTS : predefined;
  const drawn = { ...whole.drawn, ...ofLists.drawn, ...ofAlarms.drawn, ...ofAssets.drawn };
  return { seed, drawn, startMs, skewMs, streams, further, api: { assets, alarms, tokens }, network, runs };
}

/** How far, in ms, the clock that reads take for the server's may be ahead of that of the rows. */
export function clockAheadMs({
  network: { date, dateBehindMs },
  skewMs,
  runs,
}: {
  readonly network: ReturnType<typeof drawNetwork>;
  readonly skewMs: number;
  readonly runs: readonly Pick<RunPlan, 'clockChange'>[];
}): number {
  const forwardMs = runs.map(({ clockChange }) => Math.max(0, clockChange?.byMs ?? 0));
  const localMs = forwardMs.reduce((sum, one) => sum + one, skewMs);
  return Math.max(0, date === 'none' ? 0 : -dateBehindMs, date === 'each' ? 0 : localMs);
}

/** The streams that are read, in the order of the catalog. */
export function streamsOf({ streams, further }: Pick<Scenario, 'streams' | 'further'>): readonly string[] {
  return [...streams, ...further.map(({ name }) => name)];
}

/** A scenario as a line of a file, without the names of its answers. */
export function savedText(scenario: Scenario): string {
  const line = JSON.stringify(scenario, (key, value: unknown) => (key === 'drawn' ? undefined : value));
  return `${line}\n`;
}

/** A saved scenario; what it lacks is taken from the baseline. */
export function savedScenario(text: string): Scenario {
  const saved = JSON.parse(text) as Scenario;
  const base = drawScenario(saved.seed, true);
  const [baseRun] = base.runs;
  const runs = saved.runs.map((run) => ({ ...baseRun, ...run }));
  const { assets, alarms, tokens } = saved.api;
  const api = {
    assets: { ...base.api.assets, ...assets },
    alarms: { ...base.api.alarms, ...alarms },
    tokens: { ...base.api.tokens, ...tokens },
  };
  const whole = { ...base, ...saved };
  const further = whole.further.map((list) => Object.assign({ drawn: {} }, list));
  return { ...whole, api, network: { ...base.network, ...saved.network }, further, runs };
}

function drawNetwork({ between, draw, size }: Draw) {
  // each way, so responses overtake each other
  const [minMs, maxMs] = draw('latency');
  return {
    minMs,
    maxMs,
    // of requests, and in a row of the same request (fewer than a read has attempts)
    faultPercent: draw('faultRate'),
    maxInRow: between(1, 4),
    // which responses state the server's time, and how far it lags behind the records' clock
    date: draw('dateHeader'),
    dateBehindMs: size('serverClock'),
  };
}
