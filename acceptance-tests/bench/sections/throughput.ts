import { measure, type Comparison } from '../measure.ts';
import { grouped, seconds, verdict, type Group, type Line } from '../table.ts';
import type { Workbench } from '../workbench.ts';

/**
 * Lists with the concurrent requests of the floor and the maximum CPU ratio to the plain reader, for pages of 500 rows and of
 * 25, the example of a maximum in docs/api.md.
 */
const LISTS = [
  { list: 'assets', name: 'assets', inFlight: 4, plain: { 500: 0.5, 25: 0.8 } },
  { list: 'narrowAssets', name: 'narrow assets', inFlight: 4, plain: { 500: 0.5, 25: 0.85 } },
  { list: 'alarms', name: 'alarms', inFlight: 1, plain: { 500: 0.5, 25: 0.8 } },
  { list: 'tenAlarms', name: 'alarms with ten members', inFlight: 1, plain: { 500: 0.5, 25: 0.8 } },
  { list: 'narrowAlarms', name: 'narrow alarms', inFlight: 1, plain: { 500: 0.5, 25: 0.85 } },
] as const;
const PAGE_SIZES = [500, 25] as const;
const MAX_FLOOR = 3; // the maximum CPU ratio to the floor
const LOADS = LISTS.flatMap((list) => PAGE_SIZES.map((pageSize) => ({ ...list, pageSize })));
type Load = (typeof LOADS)[number];
const US = 'this connector';

/** CPU and wall time without latency, relative to the floor and to a plain reader. */
export async function measureThroughput(bench: Workbench): Promise<Group[]> {
  const lines: Line[] = [];
  for (const load of LOADS) lines.push(await lineOf(bench, load));
  const nodes = bench.nodes.map(({ name }) => name);
  const ratios = `${nodes.join('; ')}; target for ${nodes[0]}`;
  const title = `CPU for ${grouped(bench.sizes.rows)} rows without latency; ratios: ${ratios}`;
  return [{ title, columns: ['CPU', 'ratio to floor', 'ratio to plain reader'], lines }];
}

async function lineOf(bench: Workbench, load: Load): Promise<Line> {
  const { rows } = bench.sizes;
  const what = `${load.name}, pages of ${load.pageSize}`;
  const comparisons: Comparison[] = [];
  for (const { name, command } of bench.nodes) {
    console.log(`throughput: ${what}, ${name} …`);
    comparisons.push(await runLoad(bench, load, command));
  }
  const ms = (name: string, figure: 'cpuMs' | 'wallMs'): number =>
    comparisons[0]?.median(name, figure) ?? Number.NaN;
  const ratioTo = (name: string, max: number) => {
    const ratios = comparisons.map(({ ratio }) => ratio(US, name, 'cpuMs'));
    const first = ratios[0] ?? Number.NaN;
    const shown = ratios.map((one) => one.toFixed(2)).join('; ');
    return { first, cell: `${shown}; ${verdict(first, ['at most', max])}` };
  };
  const floor = ratioTo('floor', MAX_FLOOR);
  const plain = ratioTo('plain reader', load.plain[load.pageSize]);
  const own = `${seconds(ms(US, 'cpuMs'))}; ${seconds(ms(US, 'wallMs'))} wall`;
  const per100000 = (name: string) => [name, (ms(name, 'cpuMs') / rows) * 100] as const;
  return {
    what,
    cells: [own, floor.cell, plain.cell],
    values: { cpuMs: ms(US, 'cpuMs'), rows, floor: floor.first, plain: plain.first },
    bars: Object.fromEntries(['floor', US, 'plain reader'].map(per100000)),
  };
}

async function runLoad(bench: Workbench, { list, pageSize, inFlight }: Load, node: string) {
  const { rows, rounds } = bench.sizes;
  const source = bench.source(list, rows, 0, pageSize);
  const ours = await bench.connector('read', node, source, {});
  // the first run fills caches and counts the output
  const { lines, bytes } = await measure(ours, bench.settings);
  if (lines < rows || lines > rows + 100) throw new Error(`expected ${rows} ${list}, got ${lines} lines`);
  return bench.compare(
    [
      [US, ours],
      ['floor', bench.script(node, 'floor', source.base_url, source.kind, rows, pageSize, inFlight, bytes)],
      ['plain reader', bench.script(node, 'plain-reader', source.base_url, source.kind, pageSize)],
    ],
    rounds,
  );
}
