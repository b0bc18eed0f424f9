import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { startSandbox } from '../sandbox/client.ts';
import { print } from './output.ts';
import { runDemo } from './run-demo.ts';

const { assets, alarms, pageSizeMax } = await yargs(hideBin(process.argv))
  .scriptName('npm run demo --')
  .usage('Shows the connector at work with a sandbox on this machine, without credentials or network.')
  .option('assets', { type: 'number', default: 3000, describe: 'initial number of assets' })
  .option('alarms', { type: 'number', default: 20_000, describe: 'initial number of alarms' })
  .option('page-size-max', { type: 'number', default: 100, describe: 'maximum page size of both lists' })
  .version(false)
  .strict()
  .parseAsync();

const folder = relative(process.cwd(), join(import.meta.dirname, '../../.work/demo'));
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const sandbox = await startSandbox();
try {
  const options = { alarmsMaxPageSize: pageSizeMax, assetsLimitCap: pageSizeMax };
  const world = await sandbox.createScenario({ id: 'fleet', assets, alarms, options });
  await writeFile(join(folder, 'config.json'), `${JSON.stringify(world.config, undefined, 2)}\n`);
  if (!(await runDemo({ world, folder }))) process.exitCode = 1;
} catch (error) {
  process.exitCode = 1;
  print(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`);
} finally {
  await sandbox.stop();
}
