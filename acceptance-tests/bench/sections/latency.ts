import { compete, script } from '../contest.ts';
import { ratioLine, seconds } from '../report/lines.ts';
import type { Findings, Line } from '../report/lines.ts';
import { CHAINED, LATENCY_MS, LATENCY_PAGE, MOST_IN_FLIGHT } from '../sizes.ts';
import type { Workbench } from '../workbench.ts';

const CHAINS = 8;
const ASSETS_ROUNDS = 3;
const CHAIN_ROUNDS = 2;

/** Wall where each answer takes its time: assets by pages in flight, alarms by one chain and by several. */
export async function measureLatency(bench: Workbench): Promise<Findings> {
  const assets: Line[] = [];
  for (const concurrency of [1, 4, MOST_IN_FLIGHT]) assets.push(await assetsLine(bench, concurrency));
  const lines = [...assets, ...(await chainLines(bench))];
  const title = `Wall at ${LATENCY_MS} ms of latency, against pages × latency`;
  return { groups: [{ title, columns: ['figure', 'ratio', '', 'target'], lines }], bars: [] };
}

async function assetsLine(bench: Workbench, concurrency: number): Promise<Line> {
  const pages = bench.sizes.pages * concurrency;
  bench.say(`latency: assets, ${concurrency} in flight …`);
  const source = bench.source('assets', pages * LATENCY_PAGE, LATENCY_MS, LATENCY_PAGE);
  const reader = { name: 'reader', ...(await bench.connector('read', bench.node, source, { concurrency })) };
  const contest = await compete([reader], ASSETS_ROUNDS, bench.settings);
  const ms = contest.median('reader', 'wallMs');
  const boundMs = bench.sizes.pages * LATENCY_MS;
  const what = `assets, ${pages} pages, ${concurrency} in flight`;
  return ratioLine(what, `${seconds(ms)} of ${seconds(boundMs)}`, [ms / boundMs], { atMost: 1.15 });
}

async function chainLines(bench: Workbench): Promise<Line[]> {
  bench.say('latency: alarms, one chain and several …');
  const pages = CHAINED * bench.sizes.pages;
  const rows = pages * LATENCY_PAGE;
  const alarms = bench.source('alarms', rows, LATENCY_MS, LATENCY_PAGE);
  const old = bench.source('oldAlarms', rows, LATENCY_MS, LATENCY_PAGE);
  const several = { parallel_chains: CHAINS };
  const contest = await compete(
    [
      { name: 'one', ...(await bench.connector('read', bench.node, alarms, { parallel_chains: 1 })) },
      script(bench.node, 'floor', [alarms.baseUrl, 'alarms', rows, LATENCY_PAGE, 1, 0]),
      { name: 'several', ...(await bench.connector('read', bench.node, alarms, several)) },
      { name: 'several, old', ...(await bench.connector('read', bench.node, old, several)) },
    ],
    CHAIN_ROUNDS,
    bench.settings,
  );
  const wall = (name: string): string => seconds(contest.median(name, 'wallMs'));
  const faster = (name: string): number[] => [contest.ratio('one', name, 'wallMs')];
  const boundMs = pages * LATENCY_MS;
  const overBound = contest.median('one', 'wallMs') / boundMs;
  return [
    ratioLine(
      `alarms, ${pages} pages, one chain`,
      `${wall('one')} of ${seconds(boundMs)}`,
      [overBound],
      null,
    ),
    ratioLine('… against the floor', wall('floor'), faster('floor'), { atMost: 1.04 }),
    ratioLine(`… against ${CHAINS} \`parallel_chains\``, wall('several'), faster('several'), {
      atLeast: 6.5,
    }),
    // some rounds of requests are spent on finding where the rows are
    ratioLine('… all rows within hours', wall('several, old'), faster('several, old'), { atLeast: 5 }),
  ];
}
