import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { describeFigures } from '../crash/crash-figures.ts';
import { startSandbox } from '../sandbox/client.ts';
import { ensureBuilt } from '../support/ensure-built.ts';
import { soakCrashes, soakProperties } from './soak-kinds.ts';

const { minutes, seed } = await yargs(hideBin(process.argv))
  .scriptName('npm run soak --')
  .usage('Runs the property tests and the crash test side by side, again and again, with new seeds.')
  .option('minutes', { type: 'number', default: 5, describe: 'how long; at least once each' })
  .option('seed', {
    type: 'number',
    default: Math.floor(Math.random() * 2 ** 31),
    defaultDescription: 'a new one each time',
    describe: 'makes the same choices again',
  })
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

await ensureBuilt();
const sandbox = await startSandbox();
try {
  const [propertiesPassed, crashes] = await Promise.all([soakProperties(soak), soakCrashes(soak, sandbox)]);
  if (crashes !== null) soak.say(`\n${describeFigures(crashes, seed)}`);
  soak.say(
    `\nproperty tests: ${verdict(propertiesPassed)}; crash test: ${verdict(crashes !== null)}\n` +
      `seed ${seed}; to replay: npm run soak -- --minutes ${minutes} --seed ${seed}`,
  );
  if (!propertiesPassed || crashes === null) process.exitCode = 1;
} finally {
  await sandbox.stop();
}

function verdict(passed: boolean): string {
  return passed ? 'passed' : 'FAILED';
}
