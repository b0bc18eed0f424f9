import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';

import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';

import { chartOf } from './report/chart.ts';
import type { Findings } from './report/lines.ts';
import { publish } from './report/publish.ts';
import type { Result } from './report/publish.ts';
import { tableOf } from './report/table.ts';
import type { Runtime } from './runtimes.ts';
import { measureLatency } from './sections/latency.ts';
import { measureMemory } from './sections/memory.ts';
import { measurePeers } from './sections/peers.ts';
import { measureStartUp } from './sections/start-up.ts';
import { measureThroughput } from './sections/throughput.ts';
import { quick as quickSizes, usual } from './sizes.ts';
import type { Sizes } from './sizes.ts';
import { openWorkbench } from './workbench.ts';
import type { Workbench } from './workbench.ts';

type Section = (bench: Workbench) => Promise<Findings>;
const SECTIONS: Readonly<Record<string, Section>> = {
  throughput: measureThroughput,
  latency: measureLatency,
  'start-up': measureStartUp,
  memory: measureMemory,
  peers: measurePeers,
};
const repository = join(import.meta.dirname, '../..');
const results = join(repository, '.work/bench');

const { quick, docs, only, again } = await yargs(hideBin(process.argv))
  .scriptName('npm run bench --')
  .usage('Measures the built program against the limit and against its peers, in one run on one machine.')
  .option('quick', { type: 'boolean', default: false, describe: 'small sizes: to try the benchmark itself' })
  .option('only', {
    type: 'array',
    string: true,
    choices: Object.keys(SECTIONS),
    default: Object.keys(SECTIONS),
    describe: 'sections',
  })
  .option('again', { type: 'boolean', default: false, describe: 'measure nothing: show the last run' })
  .option('docs', { type: 'boolean', default: false, describe: 'put the figures into docs and README' })
  .version(false)
  .strict()
  .parseAsync();

const say = (words: string): void => {
  process.stdout.write(`${words}\n`);
};

const result = again
  ? (JSON.parse(await readFile(join(results, 'bench.json'), 'utf8')) as Result)
  : await measureAll(quick ? quickSizes : usual);
say(
  `\n${result.machine}\n\n${tableOf(result.groups)}\n\nwritten to ${join(results, 'bench.json')} and bench.svg`,
);
if (docs) await publish(repository, results, result);

async function measureAll(sizes: Sizes): Promise<Result> {
  const started = Date.now();
  const load = loadavg()[0] ?? 0;
  say('rendering rows …');
  const bench = await openWorkbench(sizes, say);
  try {
    const found: Findings[] = [];
    for (const [name, section] of Object.entries(SECTIONS))
      if (only.includes(name)) found.push(await section(bench));
    const minutes = (Date.now() - started) / 60_000;
    const measured = {
      machine: `${describeMachine(bench.runtimes)}, load ${load.toFixed(1)} at the start, ${minutes.toFixed(0)} minutes`,
      date: new Date(started).toISOString().slice(0, 10),
      sizes,
      groups: found.flatMap(({ groups }) => groups),
    };
    await mkdir(results, { recursive: true });
    await writeFile(join(results, 'bench.json'), `${JSON.stringify(measured, null, 2)}\n`);
    const bars = found.flatMap((one) => one.bars);
    await writeFile(join(results, 'bench.svg'), chartOf('CPU for 100,000 rows', bars));
    return measured;
  } finally {
    await bench.close();
  }
}

/** Figures of two machines cannot be compared, their ratios hardly. */
function describeMachine(runtimes: readonly Runtime[]): string {
  const gib = (totalmem() / 1024 ** 3).toFixed(0);
  const processor = cpus()[0]?.model ?? 'unknown processor';
  const versions = runtimes.map(({ version }) => version.slice(1)).join(' and ');
  return `${availableParallelism()} cores of ${processor}, ${gib} GiB, Node.js ${versions}`;
}
