import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runJobs, runSeeds } from './batch.ts';
import { coverageTable, idleAnswers } from './coverage.ts';
import { drawScenario, savedScenario, savedText } from './scenario.ts';
import { storyOf } from './world.ts';

/*
 * tsx acceptance-tests/simulation/main.ts runs `--count` scenarios from `--first` on in `--jobs` processes and prints which answers
 * made a difference. `--seed N` prints a trace of one scenario, and `--save FILE` keeps it; `--replay FILE` prints a trace of
 * a saved one. The exit code is 1 if a scenario fails, or if an answer makes no difference.
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
} else if (replay !== undefined) console.log(await storyOf(savedScenario(readFileSync(replay, 'utf8'))));
else if (seed !== undefined) {
  const scenario = drawScenario(Number(seed), false);
  if (save !== undefined) writeFileSync(save, savedText(scenario));
  console.log(await storyOf(scenario));
} else await runAll(Number(values.first), Number(values.count), Number(values.jobs));

async function runAll(first: number, count: number, jobs: number): Promise<void> {
  const end = first + count;
  const batch = jobs > 1 ? runJobs(import.meta.filename, first, end, jobs) : runSeeds(first, end, 1);
  const { failures, digests, coverage } = await batch;
  for (const failure of failures) console.log(`seed ${failure.seed}: ${failure.words}`);
  console.log(coverageTable(coverage));
  const idle = idleAnswers(coverage, count);
  if (idle.length > 0) console.log(`without any difference: ${idle.join('; ')}`);
  const digest = createHash('sha256').update(JSON.stringify(digests)).digest('hex');
  console.log(
    `${count} seeds, ${failures.length} failures, digest of stdout and requests ${digest.slice(0, 16)}`,
  );
  if (failures.length + idle.length > 0) process.exitCode = 1;
}
