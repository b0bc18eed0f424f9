import { fstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { greet } from './greeting.ts';
import { startServer, type Server } from './server.ts';

/** The port that people get when it is free and they name none. */
const portForPeople = 4700;

const options = await yargs(hideBin(process.argv))
  .scriptName('sandbox')
  .usage('A local server that speaks the whole API. It listens on 127.0.0.1 only.')
  .option('port', {
    type: 'number',
    describe: `port; default ${portForPeople} if free, with --json a free one`,
  })
  .option('json', {
    type: 'boolean',
    default: false,
    describe: 'for programs: one line of JSON; ends with stdin',
  })
  .option('assets', { type: 'number', default: 2000, describe: 'assets of the world "demo"' })
  .option('alarms', { type: 'number', default: 20_000, describe: 'alarms of the world "demo"' })
  .option('seed', { type: 'number', default: 1, describe: 'everything in the world "demo" follows from it' })
  .option('page-size-max', { type: 'number', default: 25, describe: 'maximum page size of its alarms list' })
  .option('config-file', {
    type: 'string',
    default: fileURLToPath(new URL('../../.work/sandbox-config.json', import.meta.url)),
    defaultDescription: '.work/sandbox-config.json',
    describe: 'where a ready config for "demo" is written; not with --json',
  })
  .strict()
  .parseAsync();

const server = await start();
const world = server.worlds.create({
  id: 'demo',
  seed: options.seed,
  assets: options.assets,
  alarms: options.alarms,
  options: { alarmsMaxPageSize: options.pageSizeMax },
});
if (world === undefined) throw new Error('the world "demo" is there twice');
const demo = { id: world.id, config: world.config(server.url) };

const end = (): void => {
  // An open stdin would keep the process alive.
  process.stdin.destroy();
  void server.close();
};
process.once('SIGTERM', end);
process.once('SIGINT', end);
if (options.json) {
  if (isHeldByParent()) process.stdin.once('close', end).resume();
  process.stdout.write(`${JSON.stringify({ url: server.url, world: demo })}\n`);
} else {
  process.stdout.write(await greet(server.url, demo, resolve(options.configFile)));
}

/** Whether stdin is a pipe or socket, whose closing tells that the parent is gone; /dev/null tells nothing. */
function isHeldByParent(): boolean {
  const stdin = fstatSync(0);
  return stdin.isFIFO() || stdin.isSocket();
}

async function start(): Promise<Server> {
  if (options.port !== undefined || options.json) return startServer(options.port ?? 0);
  try {
    return await startServer(portForPeople);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return startServer(0);
  }
}
