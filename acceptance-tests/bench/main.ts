import { mkdir, writeFile } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';

import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';

import { chartOf } from './chart.ts';
import { describeMachine } from './machine.ts';
import type { Section, SectionResult } from './report-types.ts';
import { verdict } from './report-types.ts';
import { measureLatency } from './sections/latency.ts';
import { measureMemory } from './sections/memory.ts';
import { measurePeers } from './sections/peers.ts';
import { measureStartUp } from './sections/start-up.ts';
import { measureThroughput } from './sections/throughput.ts';
import { fitting, sizesOf } from './sizes.ts';
import { tableOf } from './table.ts';
import { openWorkbench } from './workbench.ts';
import type { Workbench } from './workbench.ts';

const SECTIONS: Readonly<Record<Section, (bench: Workbench) => Promise<SectionResult>>> = {
  a: measureThroughput,
  b: measureLatency,
  c: measureStartUp,
  d: measureMemory,
  e: measurePeers,
};
const results = join(import.meta.dirname, '../../.work/bench');

const { quick, full, rows, only } = await yargs(hideBin(process.argv))
  .scriptName('npm run bench --')
  .usage('Measures the built program against the limit and against its peers, in one run on one machine.')
  .option('quick', {
    type: 'boolean',
    default: false,
    describe: 'small sizes: a first look in about two minutes',
  })
  .option('full', {
    type: 'boolean',
    default: false,
    describe: 'large sizes: a million rows, 5 million for memory',
  })
  .option('rows', { type: 'number', describe: 'rows of each throughput run' })
  .option('only', { type: 'string', default: 'abcde', describe: 'the sections wanted, for example ac' })
  .check((given) => !(given.quick && given.full))
  .check((given) => given.rows === undefined || (Number.isSafeInteger(given.rows) && given.rows >= 1000))
  .check((given) => /^[a-e]+$/.test(given.only))
  .version(false)
  .strict()
  .parseAsync();

const say = (words: string): void => {
  process.stdout.write(`${words}\n`);
};

const amount = quick ? 'quick' : full ? 'full' : 'usual';
const machine = describeMachine();
const started = new Date();
say(`${machine}\nrendering rows …`);
const { sizes, left } = fitting(sizesOf(amount, rows), freemem());
const bench = await openWorkbench(sizes, say);
try {
  const found: SectionResult[] = [];
  for (const [section, measureSection] of Object.entries(SECTIONS))
    if (only.includes(section)) found.push(await measureSection(bench));
  const table = found.flatMap((one) => one.rows);
  const bars = found.flatMap((one) => one.bars);
  const notes = [...left, ...found.flatMap((one) => one.notes)];
  await mkdir(results, { recursive: true });
  await writeFile(
    join(results, 'bench.json'),
    `${JSON.stringify({ machine, started, amount, sizes: bench.sizes, table: table.map((row) => ({ ...row, verdict: verdict(row) })), bars, notes }, null, 2)}\n`,
  );
  if (bars.length > 0)
    await writeFile(join(results, 'bench.svg'), chartOf('CPU seconds for a million rows (log scale)', bars));
  say(`\n${machine}\n\n${tableOf(table)}\n\n${notes.join('\n')}`);
  const minutes = ((Date.now() - started.getTime()) / 60_000).toFixed(1);
  say(`\n${minutes} minutes; written to ${join(results, 'bench.json')} and bench.svg`);
} finally {
  await bench.close();
}
