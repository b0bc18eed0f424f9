import { measure } from '../measure.ts';
import type { SectionResult, TableRow, Target } from '../report-types.ts';
import type { Kind } from '../server/row-texts.ts';
import type { Workbench } from '../workbench.ts';

const PAGE = 500;
/** MiB at most, at any number of alarms up to 5,000,000 and of assets up to 1,000,000. */
const MOST: Readonly<Record<Kind, number>> = { assets: 200, alarms: 120 };

/** d) Peak memory by the number of rows. */
export async function measureMemory(bench: Workbench): Promise<SectionResult> {
  const rows: TableRow[] = [];
  for (const kind of ['assets', 'alarms'] as const)
    for (const count of bench.sizes.memory[kind]) {
      bench.say(`d) ${count.toLocaleString('en-US')} ${kind} …`);
      const base = bench.baseUrl({ rows: count, latencyMs: 0, pageSize: PAGE });
      const { command, args } = await bench.reader('connector', kind, base, { list: { page_size: PAGE } });
      const { peakMb, lines } = await measure(command, args, bench.settings);
      if (lines < count) throw new Error(`${count} ${kind} were served, ${lines} lines written`);
      const target: Target = { atMost: 1 };
      rows.push({
        section: 'd',
        what: `${count.toLocaleString('en-US')} ${kind}: peak / ${MOST[kind]} MiB`,
        figure: `${peakMb.toFixed(0)} MiB`,
        ratio: peakMb / MOST[kind],
        target,
      });
    }
  return { rows, bars: [], notes: [] };
}
