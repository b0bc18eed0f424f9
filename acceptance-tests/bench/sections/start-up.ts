import { program } from '../../support/program.ts';
import { compare, type Comparison } from '../measure.ts';
import { ratioLine, type Group, type Line, type Target } from '../table.ts';
import type { Workbench } from '../workbench.ts';

const TIMES = 5; // consecutive runs that are measured together, because the shell counts in whole ms

type Cost = (cpuMs: (name: string) => number) => number;
const offline: Cost = (cpuMs) => cpuMs('check') - (cpuMs('requests') - cpuMs('loaded'));

/** CPU of `spec` and `check`, relative to a Node.js that does nothing. */
export async function measureStartUp(bench: Workbench): Promise<Group[]> {
  console.log('start-up …');
  const comparisons: Comparison[] = [];
  for (const { command } of bench.nodes) comparisons.push(await start(bench, command));
  const line = (what: string, cost: Cost, target: Target | null): Line => {
    const costs = comparisons.map(({ median }) => cost((name) => median(name, 'cpuMs')));
    const ratios = comparisons.map(({ median }, index) => (costs[index] ?? 0) / median('empty', 'cpuMs'));
    return ratioLine(what, costs.map((ms) => `${ms.toFixed(0)} ms`).join('; '), ratios, target);
  };
  const lines = [
    line('`spec`', (cpuMs) => cpuMs('spec'), ['at most', 2.6]),
    line('`check`, without the CPU of its requests', offline, ['at most', 3.6]),
    line('`check`, server without latency', (cpuMs) => cpuMs('check'), null),
    line('`check`, invalid config', (cpuMs) => cpuMs('invalid'), null),
  ];
  const [image, other] = bench.nodes.map(({ name }) => name);
  const columns = [[image, other].filter(Boolean).join('; '), `ratio, ${image}`, other ?? '', 'target'];
  return [{ title: 'Start-up: CPU relative to `node -e 0`', columns, lines }];
}

async function start(bench: Workbench, node: string): Promise<Comparison> {
  const { kind: _, base_url, page_size: _size, ...account } = bench.source('assets', 1000, 0, 100);
  const { base_url: alarms } = bench.source('alarms', 1000, 0, 100);
  const config = { ...account, assets: { base_url }, alarms: { base_url: alarms } };
  const check = [node, program, 'check'] as const;
  return compare(
    [
      ['empty', [node, '-e', '0']],
      ['spec', [node, program, 'spec']],
      ['check', [...check, ...(await bench.inputs({ config }))]],
      ['invalid', [...check, ...(await bench.inputs({ config: {} }))]],
      // no request, and as many as a check sends, with a page each
      ['loaded', bench.script(node, 'floor', base_url, 'assets', 0, 100, 2, 0)],
      ['requests', bench.script(node, 'floor', base_url, 'assets', 300, 100, 2, 0)],
    ],
    bench.sizes.startUpRounds,
    { ...bench.settings, times: TIMES },
  );
}
