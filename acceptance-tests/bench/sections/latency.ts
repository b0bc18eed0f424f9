import { median, script } from '../contest.ts';
import { measure } from '../measure.ts';
import type { Contender } from '../contest.ts';
import type { SectionResult, TableRow } from '../report-types.ts';
import { CHAINED, LATENCY_PAGE, MOST_IN_FLIGHT } from '../sizes.ts';
import type { Workbench } from '../workbench.ts';

const ASSETS_TARGET = { atMost: 1.15 };
const CHAIN_TARGET = { atMost: 1.05 };
const PARALLEL_TARGET = { atLeast: 6.5 };
/** Some rounds of requests are spent on finding where the rows are. */
const CLUSTER_TARGET = { atLeast: 5 };
const CHAINS = 8;
const ROUNDS = 3;

/** b) Wall where each answer takes its time: assets by pages in flight, alarms by one chain and by several. */
export async function measureLatency(bench: Workbench): Promise<SectionResult> {
  const { latencyMs, pages } = bench.sizes;
  const rows: TableRow[] = [];
  for (const concurrency of [1, 4, MOST_IN_FLIGHT]) {
    bench.say(`b) assets, ${concurrency} in flight …`);
    const place = { rows: pages * concurrency * LATENCY_PAGE, latencyMs, pageSize: LATENCY_PAGE };
    const list = { page_size: LATENCY_PAGE };
    const reader = await bench.reader('connector', 'assets', bench.baseUrl(place), { concurrency, list });
    rows.push(
      againstBound(
        `assets, ${pages * concurrency} pages, ${concurrency} in flight: wall / (pages x latency / in flight)`,
        await wall(bench, reader),
        pages * latencyMs,
        ASSETS_TARGET,
      ),
    );
  }
  const chained = CHAINED * pages;
  bench.say('b) alarms, one chain and several …');
  const place = { rows: chained * LATENCY_PAGE, latencyMs, pageSize: LATENCY_PAGE };
  const chains = async (parallel_chains: number, isOld: boolean): Promise<number> => {
    const list = { page_size: LATENCY_PAGE, parallel_chains };
    const base = bench.baseUrl({ ...place, isOld });
    return wall(bench, await bench.reader('connector', 'alarms', base, { list }));
  };
  const one = await chains(1, false);
  const floorArgs = [bench.baseUrl(place), 'alarms', place.rows, LATENCY_PAGE, 1, 0];
  const floor = await wall(bench, script('floor', floorArgs));
  const several = await chains(CHAINS, false);
  const oneOld = await chains(1, true);
  const severalOld = await chains(CHAINS, true);
  rows.push(
    againstBound(
      `alarms, ${chained} pages, one chain: wall / (pages x latency)`,
      one,
      chained * latencyMs,
      CHAIN_TARGET,
    ),
    {
      section: 'b',
      what: `alarms, ${chained} pages, one chain: wall / floor`,
      figure: `${(floor / 1000).toFixed(2)} s`,
      ratio: one / floor,
      target: null,
    },
    {
      section: 'b',
      what: `alarms, parallel_chains ${CHAINS}: times as fast as one chain`,
      figure: `${(several / 1000).toFixed(2)} s`,
      ratio: one / several,
      target: PARALLEL_TARGET,
    },
    {
      section: 'b',
      what: `alarms, parallel_chains ${CHAINS}, rows within some hours long ago: times as fast as one chain`,
      figure: `${(severalOld / 1000).toFixed(2)} s`,
      ratio: oneOld / severalOld,
      target: CLUSTER_TARGET,
    },
  );
  return { rows, bars: [], notes: [] };
}

async function wall({ settings }: Workbench, { command, args }: Contender): Promise<number> {
  const walls: number[] = [];
  for (let round = 0; round < ROUNDS; round++) walls.push((await measure(command, args, settings)).wallMs);
  return median(walls);
}

function againstBound(what: string, ms: number, boundMs: number, target: TableRow['target']): TableRow {
  const figure = `${(ms / 1000).toFixed(2)} s of ${(boundMs / 1000).toFixed(2)} s`;
  return { section: 'b', what, figure, ratio: ms / boundMs, target };
}
