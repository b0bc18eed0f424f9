import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { measure } from '../measure.ts';
import { verdict, words } from '../report/lines.ts';
import type { Findings, Line } from '../report/lines.ts';
import type { Workbench } from '../workbench.ts';

const PAGE = 500;
/** MiB at most, at any number of rows. */
const MOST = { assets: 200, alarms: 120 };
const PRELOAD = pathToFileURL(join(import.meta.dirname, '../../support/peak-memory.mjs')).href;

/** Peak memory by the number of rows. */
export async function measureMemory(bench: Workbench): Promise<Findings> {
  const lines: Line[] = [];
  const counts = bench.sizes.memoryRows;
  for (const list of ['assets', 'alarms'] as const) {
    const peaks: number[] = [];
    for (const rows of counts) peaks.push(await peakOf(bench, list, rows));
    const most = Math.max(...peaks);
    lines.push({
      what: `${counts.map(words).join('; ')} ${list}`,
      cells: [
        `${peaks.map((peak) => peak.toFixed(0)).join('; ')} MiB`,
        '',
        '',
        verdict(most, { atMost: MOST[list] }),
      ],
      values: { most },
    });
  }
  return {
    groups: [{ title: 'Memory at its peak', columns: ['figure', '', '', 'target'], lines }],
    bars: [],
  };
}

async function peakOf(bench: Workbench, list: 'assets' | 'alarms', rows: number): Promise<number> {
  bench.say(`memory: ${words(rows)} ${list} …`);
  const source = bench.source(list, rows, 0, PAGE);
  const { command, args } = await bench.connector('read', bench.node, source, {});
  const PEAK_FILE = await bench.file('peak', {});
  const settings = { ...bench.settings, env: { ...bench.settings.env, PEAK_FILE } };
  const { lines } = await measure(command, ['--import', PRELOAD, ...args], settings);
  if (lines < rows) throw new Error(`${rows} ${list} were served, ${lines} lines written`);
  return Number(await readFile(PEAK_FILE, 'utf8')) / 1024;
}
