import { recordResources } from '../../support/resource-use.ts';
import { measure } from '../measure.ts';
import { grouped, verdict, type Group, type Line } from '../table.ts';
import type { Workbench } from '../workbench.ts';

const PAGE = 500;
const MAX_MIB = { assets: 200, alarms: 120 };

export async function measureMemory(bench: Workbench): Promise<Group[]> {
  const counts = bench.sizes.memoryRows;
  const lines: Line[] = [];
  for (const list of ['assets', 'alarms'] as const) {
    const peaks: number[] = [];
    for (const rows of counts) peaks.push(await peakOf(bench, list, rows));
    const max = Math.max(...peaks);
    const figures = `${peaks.map((peak) => peak.toFixed(0)).join('; ')} MiB`;
    lines.push({
      what: `${counts.map(grouped).join('; ')} ${list}`,
      cells: [figures, '', '', verdict(max, ['at most', MAX_MIB[list]])],
      values: { max },
    });
  }
  return [{ title: 'Peak memory', columns: ['figure', '', '', 'target'], lines }];
}

async function peakOf(bench: Workbench, list: 'assets' | 'alarms', rows: number): Promise<number> {
  console.log(`memory: ${grouped(rows)} ${list} …`);
  const reader = await bench.connector('read', bench.node, bench.source(list, rows, 0, PAGE), {});
  const { env, peakMemory } = recordResources(bench.settings.cwd, bench.settings.env);
  const { lines } = await measure(reader, { ...bench.settings, env });
  if (lines < rows) throw new Error(`expected ${rows} ${list}, got ${lines} lines`);
  return peakMemory() / 1024 ** 2;
}
