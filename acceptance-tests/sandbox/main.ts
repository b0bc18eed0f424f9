import { fstatSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import { eachList, isPredefined, lists } from './lists.ts';
import { addScenario } from './scenario.ts';
import type { SandboxConfig } from './scenario.ts';
import { startServer } from './server.ts';

/** The port that people get when it is free and they name none. */
const portForPeople = 4700;

const options = await yargs(hideBin(process.argv))
  .scriptName('sandbox')
  .usage('A local server that speaks the whole API. It listens on 127.0.0.1 only.')
  .option('port', { type: 'number', describe: `default ${portForPeople} if free, with --json a free one` })
  .option('json', { type: 'boolean', default: false, describe: 'for programs: JSON; ends with stdin' })
  .options(
    eachList((name) => ({
      type: 'number' as const,
      ...(isPredefined(name) ? { default: lists[name].paging === 'offset' ? 2000 : 20_000 } : {}),
      describe: `${name} of the world "demo"${isPredefined(name) ? '' : '; without it that list is not there'}`,
    })),
  )
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

const server = await startServer(options.port ?? (options.json ? 0 : portForPeople)).catch(
  (error: NodeJS.ErrnoException) => {
    if (options.port !== undefined || error.code !== 'EADDRINUSE') throw error;
    return startServer(0);
  },
);
const { url } = server;
const knobs = { alarmsMaxPageSize: options.pageSizeMax };
const demo = addScenario(server.scenarios, {
  ...eachList((name) => options[name]),
  id: 'demo',
  seed: options.seed,
  options: knobs,
});

const end = (): void => {
  // An open stdin would keep the process alive.
  process.stdin.destroy();
  void server.close();
};
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end);
if (options.json) {
  const stdin = fstatSync(0);
  // A pipe or socket is closed when the parent is gone; /dev/null tells nothing.
  if (stdin.isFIFO() || stdin.isSocket()) process.stdin.once('close', end).resume();
  process.stdout.write(`${JSON.stringify({ url })}\n`);
} else {
  process.stdout.write(await greet(demo.config(url), resolve(options.configFile)));
}

/** Writes the config of the world to a file, making its folder if need be, and gives the text that tells a person what to do next. */
async function greet(content: SandboxConfig, configFile: string): Promise<string> {
  const config = `${JSON.stringify(content, undefined, 2)}\n`;
  await mkdir(dirname(configFile), { recursive: true });
  await writeFile(configFile, config);
  const path = relative(process.cwd(), configFile);
  const at = `${url}/worlds/${demo.id}`;
  const post = `curl -s -H 'content-type: application/json'`;
  return `
The sandbox is running at ${url} (this machine only). Ctrl-C ends it.
  a page to watch it and to change it:          ${at}/page
  every endpoint and knob, to look at and try:  ${url}/docs

A config for its world "${demo.id}" is in ${path}:
${config}
Try in another terminal, after "npm run build":
  node dist/main.js check --config ${path}
  node dist/main.js discover --config ${path}
  node dist/main.js read --config ${path}

Change the world, also while a read is running, let it fail, and see what is true (docs/sandbox.md has more):
  ${post} ${at}/assets/insert -d '{"count": 10}'
  ${post} ${at}/alarms/arrive -d '{"count": 3}'
  ${post} -X PATCH ${at}/knobs -d '{"latencyMs": 200, "assetsLimitCap": 100}'
  ${post} -X PUT ${at}/faults -d '{"assets": {"fault": "status503", "at": "random", "times": null}}'
  curl -s ${at}/truth
`;
}
