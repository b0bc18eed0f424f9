import { measure } from '../measure.ts';
import type { Contest } from '../measure.ts';
import { ratioLine, seconds, words } from '../report.ts';
import type { Group, Line } from '../report.ts';
import type { Workbench } from '../workbench.ts';

/**
 * The default of assets; alarms as the example in docs/api.md caps them, and in pages that cost less to fetch; requests that the
 * floor has in flight; at most so many times its CPU, and that of the plain reader.
 */
const LOADS = [
  { list: 'assets', pageSize: 500, inFlight: 4, floor: 3, plain: 0.33 },
  { list: 'alarms', pageSize: 500, inFlight: 1, floor: 3, plain: 0.33 },
  { list: 'alarms', pageSize: 25, inFlight: 1, floor: 2, plain: 0.45 },
] as const;
type Load = (typeof LOADS)[number];
const US = 'this connector';

/** CPU and wall at no latency, against the floor and against a plain reader. */
export async function measureThroughput(bench: Workbench): Promise<Group[]> {
  const { nodes, sizes } = bench;
  const lines: Line[] = [];
  for (const load of LOADS) {
    const what = `${load.list}, pages of ${load.pageSize}`;
    const contests: Contest[] = [];
    for (const { name, command } of nodes) {
      console.log(`throughput: ${what}, ${name} …`);
      contests.push(await runLoad(bench, load, command));
    }
    const ms = (who: string, figure: 'cpuMs' | 'wallMs'): number =>
      contests[0]?.median(who, figure) ?? Number.NaN;
    const used = (who: string): string =>
      `${seconds(ms(who, 'cpuMs'))} CPU, ${seconds(ms(who, 'wallMs'))} wall`;
    const against = (who: string, bound: number): Line => {
      const ratios = contests.map((contest) => contest.ratio(US, who, 'cpuMs'));
      return ratioLine(`… ${who}`, used(who), ratios, ['at most', bound]);
    };
    const per100000 = (who: string) => [who, (ms(who, 'cpuMs') / sizes.rows) * 100] as const;
    const bars = Object.fromEntries(['floor', US, 'plain reader'].map(per100000));
    lines.push(
      { what, cells: [used(US)], values: { cpuMs: ms(US, 'cpuMs'), rows: sizes.rows }, bars },
      against('floor', load.floor),
      against('plain reader', load.plain),
    );
  }
  const columns = ['figure', `ratio, ${nodes[0].name}`, nodes[1]?.name ?? '', 'target'];
  return [{ title: `CPU for ${words(sizes.rows)} rows at no latency, against`, columns, lines }];
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
      ['floor', bench.script(node, 'floor', source.base_url, list, rows, pageSize, inFlight, bytes)],
      ['plain reader', bench.script(node, 'plain-reader', source.base_url, list, pageSize)],
    ],
    rounds,
  );
}
