import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { startSandbox } from '../sandbox/client.ts';
import { runDemo } from './run-demo.ts';

const { assets, alarms, pageSizeMax } = await yargs(hideBin(process.argv))
  .scriptName('npm run demo --')
  .usage('Shows the connector at work, against a sandbox on this machine. No credentials, no network.')
  .option('assets', { type: 'number', default: 3000, describe: 'assets at the start' })
  .option('alarms', { type: 'number', default: 20_000, describe: 'alarms at the start' })
  .option('page-size-max', { type: 'number', default: 100, describe: 'rows per page at most, of both lists' })
  .version(false)
  .strict()
  .parseAsync();

/** On a terminal: to the start of the line, which is wiped. */
const clearLine = process.stdout.isTTY ? '\r\u001B[K' : '';
const say = (...lines: string[]): void => void process.stdout.write(`${clearLine}${lines.join('\n')}\n`);
const glimpse = (text: string): void =>
  void (process.stdout.isTTY && process.stdout.write(`${clearLine}  ${text}`));

const folder = relative(process.cwd(), join(import.meta.dirname, '../../.work/demo'));
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const sandbox = await startSandbox();
try {
  const options = { alarmsMaxPageSize: pageSizeMax, assetsLimitCap: pageSizeMax };
  const world = await sandbox.createScenario({ id: 'fleet', assets, alarms, options });
  await writeFile(join(folder, 'config.json'), `${JSON.stringify(world.config, undefined, 2)}\n`);
  if (!(await runDemo({ world, folder, assets, alarms, say, glimpse }))) process.exitCode = 1;
} catch (error) {
  process.exitCode = 1;
  say(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`);
} finally {
  await sandbox.stop();
}
