import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { startSandbox } from '../../sandbox/client.ts';
import { mix } from '../../sandbox/data/random.ts';
import { soakCrashes } from './soak-crashes.ts';
import { soakSimulation } from './soak-simulation.ts';

const { minutes, seed, workers } = await yargs(hideBin(process.argv))
  .scriptName('npm run soak --')
  .usage('Simulates scenarios and runs the crash test side by side, again and again, with new seeds.')
  .option('minutes', { type: 'number', default: 5, describe: 'how long; at least once each' })
  .option('seed', {
    type: 'number',
    default: Math.floor(Math.random() * 2 ** 31),
    defaultDescription: 'a new one each time',
    describe: 'makes the same choices again',
  })
  .option('workers', { type: 'number', default: 1, describe: 'processes that simulate' })
  .check((given) => given.minutes >= 0 && Number.isSafeInteger(given.seed))
  .version(false)
  .strict()
  .parseAsync();

const end = performance.now() + minutes * 60_000;
const soak = {
  seed,
  msLeft: () => end - performance.now(),
  say: (words: string) => {
    process.stdout.write(`${words}\n`);
  },
};
soak.say(`seed ${seed}; to replay: npm run soak -- --minutes ${minutes} --seed ${seed}`);

const sandbox = await startSandbox();
try {
  const [isSimulationClean, areCrashesClean] = await Promise.all([
    soakSimulation(soak, mix(seed, 1), workers),
    soakCrashes(soak, sandbox),
  ]);
  soak.say(
    `\nsimulation: ${verdict(isSimulationClean)}; crash test: ${verdict(areCrashesClean)}\n` +
      `seed ${seed}; to replay: npm run soak -- --minutes ${minutes} --seed ${seed}`,
  );
  if (!isSimulationClean || !areCrashesClean) process.exitCode = 1;
} finally {
  await sandbox.stop();
}

function verdict(passed: boolean): string {
  return passed ? 'passed' : 'FAILED';
}
