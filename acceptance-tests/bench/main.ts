import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { chartOf } from './chart.ts';
import { publish, type Result } from './report.ts';
import { measureCatalog } from './sections/catalog.ts';
import { measureLatency } from './sections/latency.ts';
import { measureMemory } from './sections/memory.ts';
import { measurePeers } from './sections/peers.ts';
import { measureScaling } from './sections/scaling.ts';
import { measureStartUp } from './sections/start-up.ts';
import { measureThroughput } from './sections/throughput.ts';
import { SIZES } from './sizes.ts';
import { tableOf, type Group } from './table.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

const SECTIONS: Readonly<Record<string, (bench: Workbench) => Promise<readonly Group[]>>> = {
  throughput: measureThroughput,
  catalog: measureCatalog,
  scaling: measureScaling,
  latency: measureLatency,
  'start-up': measureStartUp,
  memory: measureMemory,
  peers: measurePeers,
};
const sections = Object.keys(SECTIONS);
const repository = join(import.meta.dirname, '../..');
const results = join(repository, '.work/bench');

const { quick, docs, only, again } = await yargs(hideBin(process.argv))
  .scriptName('npm run bench --')
  .usage('Compares the built program with a lower bound and with other programs on this machine.')
  .option('quick', { type: 'boolean', default: false, describe: 'use small sizes, to test the benchmark' })
  .option('only', { type: 'array', choices: sections, default: sections, describe: 'sections to run' })
  .option('again', { type: 'boolean', default: false, describe: 'print the last run' })
  .option('docs', { type: 'boolean', default: false, describe: 'update docs and README' })
  .version(false)
  .strict()
  .parseAsync();

const result = again
  ? (JSON.parse(await readFile(join(results, 'bench.json'), 'utf8')) as Result)
  : await measureAll();
console.log(
  `\n${result.machine}\n\n${tableOf(result.groups)}\n\nWritten to ${results}: bench.json, bench.svg`,
);
if (docs) await publish(repository, result);

async function measureAll(): Promise<Result> {
  const started = Date.now();
  const load = (loadavg()[0] ?? 0).toFixed(1);
  const sizes = SIZES[quick ? 'quick' : 'usual'];
  const bench = await openWorkbench(sizes);
  const groups: Group[] = [];
  try {
    for (const [name, section] of Object.entries(SECTIONS))
      if (only.includes(name)) groups.push(...(await section(bench)));
  } finally {
    await bench.close();
  }
  // only comparable on the same machine
  const gib = (totalmem() / 1024 ** 3).toFixed(0);
  const processor = `${availableParallelism()} cores of ${cpus()[0]?.model ?? 'unknown processor'}`;
  const versions = bench.nodes.map(({ version }) => version).join(' and ');
  const minutes = ((Date.now() - started) / 60_000).toFixed(0);
  const measured = {
    machine: `${processor}, ${gib} GiB, Node.js ${versions}, load ${load} at the start, ${minutes} minutes`,
    date: new Date(started).toISOString().slice(0, 10),
    sizes,
    groups,
  };
  await mkdir(results, { recursive: true });
  await writeFile(join(results, 'bench.json'), `${JSON.stringify(measured, null, 2)}\n`);
  await writeFile(join(results, 'bench.svg'), chartOf(groups));
  return measured;
}
