import { exec } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { mix } from '../sandbox/data/random.ts';

/*
 * npx tsx acceptance-tests/stress/soak.ts [--minutes N] [--seed N] [--workers N]: repeats simulations in N
 * processes, and the crash test, with new seeds. The same seed makes the same choices.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    workers: { type: 'string', default: '1' },
  },
});
const [minutes, seed, workers] = [Number(values.minutes), Number(values.seed), Number(values.workers)];
if (!(minutes >= 0 && Number.isSafeInteger(seed) && workers >= 1)) throw new Error('invalid number');

const cwd = join(import.meta.dirname, '../..');
const endMs = performance.now() + minutes * 60_000;
console.log(
  `replay: npx tsx acceptance-tests/stress/soak.ts --minutes ${minutes} --seed ${seed} --workers ${workers}`,
);

/** Repeats a command with new seeds. Each printed command can be replayed. */
async function soak(commandOf: (seed: number) => string, kind: number): Promise<void> {
  for (let count = 0; count === 0 || performance.now() < endMs; count += 1) {
    const command = commandOf(mix(seed, kind, count));
    const result = await promisify(exec)(command, { cwd, maxBuffer: 2 ** 30 }).then(
      () => 'passed',
      ({ stdout, stderr }: { stdout: string; stderr: string }) => {
        process.exitCode = 1;
        return `FAILED\n${stdout}${stderr}`;
      },
    );
    console.log(`${command}: ${result}`);
  }
}

const simulations = Array.from({ length: workers }, (_, worker) =>
  soak((first) => `npx tsx acceptance-tests/simulation/main.ts --first ${first} --count 2000`, worker),
);
const crashes = (own: number): string =>
  `CRASH_SEED=${own} npx vitest run --project long acceptance-tests/stress/crash`;
await Promise.all([...simulations, soak(crashes, workers)]);
console.log(process.exitCode === 1 ? '\nFAILED' : '\npassed');
