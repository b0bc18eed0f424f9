import { compete, script } from '../contest.ts';
import type { Contest } from '../contest.ts';
import { measure } from '../measure.ts';
import { ratioLine, seconds, words } from '../report/lines.ts';
import type { Bar, Findings, Line } from '../report/lines.ts';
import type { Workbench } from '../workbench.ts';

interface Load {
  readonly list: 'assets' | 'alarms';
  readonly pageSize: number;
  /** Requests that the floor has in flight. */
  readonly inFlight: number;
  /** Times the CPU of the floor, and of the plain reader. */
  readonly targets: { readonly floor: number; readonly plain: number };
}

/** The default of assets; alarms as the example in docs/api.md caps them, and in pages that cost less to fetch. */
const LOADS: readonly Load[] = [
  { list: 'assets', pageSize: 500, inFlight: 4, targets: { floor: 3, plain: 0.33 } },
  { list: 'alarms', pageSize: 500, inFlight: 1, targets: { floor: 3, plain: 0.33 } },
  { list: 'alarms', pageSize: 25, inFlight: 1, targets: { floor: 2, plain: 0.45 } },
];
const US = 'this connector';

/** CPU and wall at no latency, against the floor and against a plain reader. */
export async function measureThroughput(bench: Workbench): Promise<Findings> {
  const lines: Line[] = [];
  const bars: Bar[] = [];
  for (const load of LOADS) {
    const name = `${load.list}, pages of ${load.pageSize}`;
    const contests: Contest[] = [];
    for (const { name: node, command } of bench.runtimes) {
      bench.say(`throughput: ${name}, ${node} …`);
      contests.push(await runLoad(bench, load, command));
    }
    const cpuMs = (who: string): number => contests[0]?.median(who, 'cpuMs') ?? Number.NaN;
    const used = (who: string): string =>
      `${seconds(cpuMs(who))} CPU, ${seconds(contests[0]?.median(who, 'wallMs') ?? Number.NaN)} wall`;
    const against = (who: string, atMost: number): Line => {
      const ratios = contests.map((contest) => contest.ratio(US, who, 'cpuMs'));
      return ratioLine(`… ${who}`, used(who), ratios, { atMost });
    };
    lines.push(
      { what: name, cells: [used(US)], values: { cpuMs: cpuMs(US), rows: bench.sizes.rows } },
      against('floor', load.targets.floor),
      against('plain reader', load.targets.plain),
    );
    for (const label of ['floor', US, 'plain reader'])
      bars.push({ load: name, label, value: (cpuMs(label) / bench.sizes.rows) * 100 });
  }
  const [image, other] = bench.runtimes.map((runtime) => runtime.name);
  const columns = ['figure', `ratio, ${image}`, other ?? '', 'target'];
  const title = `CPU for ${words(bench.sizes.rows)} rows at no latency, against`;
  return { groups: [{ title, columns, lines }], bars };
}

async function runLoad(bench: Workbench, { list, pageSize, inFlight }: Load, node: string): Promise<Contest> {
  const { sizes, settings } = bench;
  const { rows } = sizes;
  const source = bench.source(list, rows, 0, pageSize);
  const ours = await bench.connector('read', node, source, {});
  // the first run fills what caches there are, and says how much is written
  const first = await measure(ours.command, ours.args, settings);
  // beside the records there are a few messages
  if (first.lines < rows || first.lines > rows + 100)
    throw new Error(`${rows} ${list} were served, ${first.lines} lines written`);
  const contenders = [
    { name: US, ...ours },
    script(node, 'floor', [source.baseUrl, list, rows, pageSize, inFlight, first.bytes]),
    script(node, 'plain reader', [source.baseUrl, list, pageSize]),
  ];
  return compete(contenders, sizes.rounds, settings);
}
