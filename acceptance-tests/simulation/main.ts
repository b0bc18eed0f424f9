import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runJobs, runSeeds } from './batch.ts';
import { coverageTable, idleAnswers } from './coverage.ts';
import { drawScenario, savedScenario, savedText } from './scenario.ts';
import { traceOf } from './world.ts';

/*
 * Runs `--count` scenarios, starting with seed `--first`, in `--jobs` processes, and prints how many of them drew each answer, and
 * in how many it mattered. `--seed N` prints a trace of one scenario, and `--save FILE` saves it; `--replay FILE` prints a trace of
 * a saved scenario. The exit code is 1 if a scenario fails, or if an answer never makes a difference.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    save: { type: 'string' },
    replay: { type: 'string' },
    first: { type: 'string', default: '0' },
    count: { type: 'string', default: '2000' },
    jobs: { type: 'string', default: '1' },
    part: { type: 'string' },
  },
});
const { seed, save, replay, part } = values;
if (part !== undefined) {
  const [first = 0, end = 0, step = 1] = part.split(' ').map(Number);
  process.send?.(await runSeeds(first, end, step));
} else if (replay !== undefined) console.log(await traceOf(savedScenario(readFileSync(replay, 'utf8'))));
else if (seed !== undefined) {
  const scenario = drawScenario(Number(seed), false);
  if (save !== undefined) writeFileSync(save, savedText(scenario));
  console.log(await traceOf(scenario));
} else await runAll(Number(values.first), Number(values.count), Number(values.jobs));

async function runAll(first: number, count: number, jobs: number): Promise<void> {
  const end = first + count;
  const batch = jobs > 1 ? runJobs(import.meta.filename, first, end, jobs) : runSeeds(first, end, 1);
  const { failures, digests, coverage } = await batch;
  for (const one of failures) console.log(`seed ${one.seed}: ${one.failure}`);
  console.log(coverageTable(coverage));
  const idle = idleAnswers(coverage, count);
  if (idle.length > 0) console.log(`never made a difference: ${idle.join('; ')}`);
  const digest = createHash('sha256').update(JSON.stringify(digests)).digest('hex');
  console.log(
    `${count} seeds, ${failures.length} failures, digest of stdout and requests ${digest.slice(0, 16)}`,
  );
  if (failures.length + idle.length > 0) process.exitCode = 1;
}
