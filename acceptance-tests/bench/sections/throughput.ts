import { measure } from '../measure.ts';
import type { Contest } from '../measure.ts';
import { seconds, verdict, words } from '../report.ts';
import type { Group, Line } from '../report.ts';
import type { Workbench } from '../workbench.ts';

/**
 * Lists and their names; requests that the floor has in flight; at most so many times the CPU of the plain reader, for pages of
 * 500 rows and of 25, the example of a maximum in docs/api.md.
 */
const LISTS = [
  { list: 'assets', name: 'assets', inFlight: 4, plain: { 500: 0.5, 25: 0.8 } },
  { list: 'narrowAssets', name: 'narrow assets', inFlight: 4, plain: { 500: 0.5, 25: 0.85 } },
  { list: 'alarms', name: 'alarms', inFlight: 1, plain: { 500: 0.5, 25: 0.8 } },
  { list: 'tenAlarms', name: 'alarms of ten members', inFlight: 1, plain: { 500: 0.5, 25: 0.8 } },
  { list: 'narrowAlarms', name: 'narrow alarms', inFlight: 1, plain: { 500: 0.5, 25: 0.85 } },
] as const;
const PAGE_SIZES = [500, 25] as const;
/** At most so many times the CPU of the floor. */
const FLOOR = 3;
const LOADS = LISTS.flatMap((list) => PAGE_SIZES.map((pageSize) => ({ ...list, pageSize })));
type Load = (typeof LOADS)[number];
const US = 'this connector';

/** CPU and wall at no latency, against the floor and against a plain reader. */
export async function measureThroughput(bench: Workbench): Promise<Group[]> {
  const { nodes, sizes } = bench;
  const lines: Line[] = [];
  for (const load of LOADS) {
    const what = `${load.name}, pages of ${load.pageSize}`;
    const contests: Contest[] = [];
    for (const { name, command } of nodes) {
      console.log(`throughput: ${what}, ${name} …`);
      contests.push(await runLoad(bench, load, command));
    }
    const ms = (who: string, figure: 'cpuMs' | 'wallMs'): number =>
      contests[0]?.median(who, figure) ?? Number.NaN;
    const cells = (['floor', 'plain reader'] as const).map((who) => {
      const ratios = contests.map((contest) => contest.ratio(US, who, 'cpuMs'));
      const shown = ratios.map((ratio) => ratio.toFixed(2)).join('; ');
      const bound = who === 'floor' ? FLOOR : load.plain[load.pageSize];
      return {
        ratio: ratios[0] ?? Number.NaN,
        cell: `${shown}; ${verdict(ratios[0] ?? Number.NaN, ['at most', bound])}`,
      };
    });
    const [floor, plain] = cells.map(({ ratio }) => ratio);
    const per100000 = (who: string) => [who, (ms(who, 'cpuMs') / sizes.rows) * 100] as const;
    lines.push({
      what,
      cells: [
        `${seconds(ms(US, 'cpuMs'))}; ${seconds(ms(US, 'wallMs'))} wall`,
        ...cells.map(({ cell }) => cell),
      ],
      values: {
        cpuMs: ms(US, 'cpuMs'),
        rows: sizes.rows,
        floor: floor ?? Number.NaN,
        plain: plain ?? Number.NaN,
      },
      bars: Object.fromEntries(['floor', US, 'plain reader'].map(per100000)),
    });
  }
  const columns = ['CPU', ...['floor', 'plain reader'].map((who) => `times ${who}`)];
  return [
    {
      title: `CPU for ${words(sizes.rows)} rows at no latency; ratios on ${nodes.map(({ name }) => name).join('; ')}`,
      columns,
      lines,
    },
  ];
}

async function runLoad(bench: Workbench, { list, pageSize, inFlight }: Load, node: string): Promise<Contest> {
  const { rows, rounds } = bench.sizes;
  const source = bench.source(list, rows, 0, pageSize);
  const ours = await bench.connector('read', node, source, {});
  // the first run fills what caches there are, and says how much is written
  const { lines, bytes } = await measure(ours, bench.settings);
  // beside the records there are a few messages
  if (lines < rows || lines > rows + 100)
    throw new Error(`${rows} ${list} were served, ${lines} lines written`);
  return bench.compete(
    [
      [US, ours],
      ['floor', bench.script(node, 'floor', source.base_url, source.kind, rows, pageSize, inFlight, bytes)],
      ['plain reader', bench.script(node, 'plain-reader', source.base_url, source.kind, pageSize)],
    ],
    rounds,
  );
}
