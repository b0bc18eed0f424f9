import { ratioLine, seconds, type Group, type Line } from '../table.ts';
import type { Workbench } from '../workbench.ts';

const PAGE = 100;
const LATENCY_MS = 50;
const CHAINED = 4; // the number of pages of a chain of alarms, relative to `sizes.pages`
const CHAINS = 8;
const ASSETS_ROUNDS = 3;
const CHAIN_ROUNDS = 2;

/** Wall time with latency: assets by concurrent requests, alarms with one and with several chains. */
export async function measureLatency(bench: Workbench): Promise<Group[]> {
  const lines: Line[] = [];
  for (const concurrency of [1, 4, 16]) lines.push(await assetsLine(bench, concurrency));
  lines.push(...(await chainLines(bench)));
  const title = `Wall time at ${LATENCY_MS} ms of latency, relative to pages × latency`;
  return [{ title, columns: ['figure', 'ratio', '', 'target'], lines }];
}

async function assetsLine(bench: Workbench, concurrency: number): Promise<Line> {
  const pages = bench.sizes.pages * concurrency;
  console.log(`latency: assets, ${concurrency} in flight …`);
  const source = bench.source('assets', pages * PAGE, LATENCY_MS, PAGE);
  const reader = await bench.connector('read', bench.node, source, { concurrency });
  const ms = (await bench.compare([['reader', reader]], ASSETS_ROUNDS)).median('reader', 'wallMs');
  const boundMs = bench.sizes.pages * LATENCY_MS;
  const what = `assets, ${pages} pages, ${concurrency} in flight`;
  return ratioLine(what, `${seconds(ms)} of ${seconds(boundMs)}`, [ms / boundMs], ['at most', 1.15]);
}

async function chainLines(bench: Workbench): Promise<Line[]> {
  console.log('latency: alarms, one chain and several …');
  const { node } = bench;
  const pages = CHAINED * bench.sizes.pages;
  const rows = pages * PAGE;
  const alarms = bench.source('alarms', rows, LATENCY_MS, PAGE);
  const old = bench.source('oldAlarms', rows, LATENCY_MS, PAGE);
  const several = { parallel_chains: CHAINS };
  const { median, ratio } = await bench.compare(
    [
      ['one', await bench.connector('read', node, alarms, { parallel_chains: 1 })],
      ['floor', bench.script(node, 'floor', alarms.base_url, 'alarms', rows, PAGE, 1, 0)],
      ['several', await bench.connector('read', node, alarms, several)],
      ['old', await bench.connector('read', node, old, several)],
    ],
    CHAIN_ROUNDS,
  );
  const wall = (name: string): string => seconds(median(name, 'wallMs'));
  const faster = (name: string): number[] => [ratio('one', name, 'wallMs')];
  const boundMs = pages * LATENCY_MS;
  const speedup = `… speedup with ${CHAINS} \`parallel_chains\``;
  const figure = `${wall('one')} of ${seconds(boundMs)}`;
  return [
    ratioLine(`alarms, ${pages} pages, one chain`, figure, [median('one', 'wallMs') / boundMs], null),
    ratioLine('… relative to the floor', wall('floor'), faster('floor'), ['at most', 1.04]),
    ratioLine(speedup, wall('several'), faster('several'), ['at least', 6.5]),
    // needs some requests to find the rows
    ratioLine('… if all rows were created on one day', wall('old'), faster('old'), ['at least', 5]),
  ];
}
