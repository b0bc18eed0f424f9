import { fstatSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import yargs from 'yargs';
import { hideBin } from 'yargs/helpers';
import type { SandboxConfig } from './config.ts';
import { eachList, isPredefined, lists } from './lists.ts';
import { addScenario } from './scenario.ts';
import { startServer } from './server.ts';

const defaultPort = 4700;

const options = await yargs(hideBin(process.argv))
  .scriptName('sandbox')
  .usage('A local server that implements the whole API. It listens on 127.0.0.1 only.')
  .option('port', { type: 'number', describe: `default: ${defaultPort} if free; with --json, any free port` })
  .option('json', { type: 'boolean', default: false, describe: 'for programs: print JSON, exit with stdin' })
  .options(
    eachList((name) => ({
      type: 'number' as const,
      ...(isPredefined(name) ? { default: lists[name].paging === 'offset' ? 2000 : 20_000 } : {}),
      describe: `number of ${name} in the world "demo"${isPredefined(name) ? '' : '; default: no such list'}`,
    })),
  )
  .option('seed', { type: 'number', default: 1, describe: 'random seed of the world "demo"' })
  .option('page-size-max', { type: 'number', default: 25, describe: 'maximum page size of its alarms' })
  .option('config-file', {
    type: 'string',
    default: fileURLToPath(new URL('../../.work/sandbox-config.json', import.meta.url)),
    defaultDescription: '.work/sandbox-config.json',
    describe: 'where to write a config for "demo"; not with --json',
  })
  .strict()
  .parseAsync();

const listening = await listen(options.port, options.json ? 0 : defaultPort);
if (listening !== null) await serve(listening);

async function serve(server: Awaited<ReturnType<typeof startServer>>): Promise<void> {
  const { url } = server;
  const demo = addScenario(server.scenarios, {
    ...eachList((name) => options[name]),
    id: 'demo',
    seed: options.seed,
    options: { alarmsMaxPageSize: options.pageSizeMax },
  });

  const stop = (): void => {
    // an open stdin would keep the process alive
    process.stdin.destroy();
    void server.close();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
  if (options.json) {
    const stdin = fstatSync(0);
    // a pipe or socket closes when the parent exits; /dev/null does not
    if (stdin.isFIFO() || stdin.isSocket()) process.stdin.once('close', stop).resume();
    process.stdout.write(`${JSON.stringify({ url })}\n`);
  } else {
    process.stdout.write(await greet(demo.config(url), resolve(options.configFile), url, demo.id));
  }
}

/**
 * Listens on a port: the given one, or the default one if it is free. Returns null, after a message, if the given port is
 * taken, or any by another sandbox, whose config would be overwritten.
 */
async function listen(given: number | undefined, preferred: number) {
  const port = given ?? preferred;
  try {
    return await startServer(port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const address = `http://127.0.0.1:${port}`;
    const docs = await fetch(`${address}/docs/json`).then(
      (response) => response.text(),
      () => '',
    );
    const isSandbox = docs.includes('"title":"Sandbox"');
    if (given === undefined && !isSandbox) return startServer(0);
    const owner = isSandbox ? `another sandbox, at ${address}` : 'another program';
    process.stderr.write(
      `Port ${port} is taken by ${owner}. Stop it, or start this one with another --port and --config-file.\n`,
    );
    process.exitCode = 1;
    return null;
  }
}

/** Writes the config of the world, creating its folder if necessary. Returns a text with the next steps. */
async function greet(content: SandboxConfig, configFile: string, url: string, id: string): Promise<string> {
  const config = `${JSON.stringify(content, undefined, 2)}\n`;
  await mkdir(dirname(configFile), { recursive: true });
  await writeFile(configFile, config);
  const path = relative(process.cwd(), configFile);
  const at = `${url}/worlds/${id}`;
  const post = `curl -s -H 'content-type: application/json'`;
  return `
The sandbox is running at ${url} (this machine only). Press Ctrl-C to stop it.
  web page to watch and change it:  ${at}/page
  all endpoints and knobs:          ${url}/docs

A config for its world "${id}" is in ${path}:
${config}
Try in another terminal, after "npm run build":
  node dist/main.js check --config ${path}
  node dist/main.js discover --config ${path}
  node dist/main.js read --config ${path}

Change the world, even during a read, inject faults, and get the ground truth (see docs/sandbox.md):
  ${post} ${at}/assets/insert -d '{"count": 10}'
  ${post} ${at}/alarms/arrive -d '{"count": 3}'
  ${post} -X PATCH ${at}/knobs -d '{"latencyMs": 200, "assetsLimitCap": 100}'
  ${post} -X PUT ${at}/faults -d '{"assets": {"fault": "status503", "at": "random", "times": null}}'
  curl -s ${at}/truth
`;
}
