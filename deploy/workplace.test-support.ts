import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { ListName } from '../acceptance-tests/sandbox/client.ts';
import { compareRows } from '../acceptance-tests/support/compare-rows.ts';
import { program } from '../acceptance-tests/support/program.ts';
import { recordText } from '../acceptance-tests/support/run-views.ts';
import type { TestWorld } from '../acceptance-tests/support/test-bed.ts';
import { temporaryDirectory } from '../src/config/temporary-file.test-support.ts';

type Variables = Readonly<Record<string, string>>;

/** Resolves when a number of alarms has been served, or a run has ended. */
export async function served(world: TestWorld, alarms: number, running: Promise<unknown>): Promise<void> {
  const ended = running.then(() => true);
  while (((await world.requests(0)).endpoints['alarms']?.rows ?? 0) < alarms)
    if (await Promise.race([ended, wait(10, false)])) return;
}

/** A folder with a config and the scripts, and a server for pings. */
export async function createWorkplace(config: object) {
  const folder = temporaryDirectory();
  for (const script of ['run.sh', 'metrics.sh', 'ranges.sh'])
    copyFileSync(join(import.meta.dirname, script), join(folder, script));
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  const { pings, url } = await startPingServer();
  const variables = {
    PATH: `${folder}/bin:${process.env['PATH']}`,
    METRICS_FILE: join(folder, 'read.prom'),
    PING_URL: `${url}/ping`,
    SOURCE_TRAILER_DATA_CACHE: folder,
  };
  /** Starts a script of the folder. */
  const start = (script: string, args: readonly string[], more: Variables) =>
    startScript(folder, script, args, { ...variables, ...more });
  return {
    folder,
    pings,
    start,
    run: (script: string, ...args: string[]) => start(script, args, {}).ended,
    /** Runs run.sh with the built program and further variables. */
    read: (more: Variables = {}, ...args: string[]) =>
      start('run.sh', [...args, process.execPath, program], more).ended,
    write: (name: string, content: string): void => writeFileSync(join(folder, name), content),
    /** Puts a script in the place of a command of the system. */
    replaceCommand: (name: string, script: string): void => {
      mkdirSync(join(folder, 'bin'), { recursive: true });
      writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    },
    ...viewsOf(folder),
  };
}

function viewsOf(folder: string) {
  const textOf = (name = ''): string => readFileSync(join(folder, name), 'utf8');
  const named = (pattern: RegExp): string[] =>
    readdirSync(folder)
      .filter((name) => pattern.test(name))
      .toSorted();
  const outputs = (): string[] => named(/^out-.*\.jsonl$/);
  return {
    textOf,
    named,
    outputs,
    metrics: () => {
      const lines = textOf('read.prom').matchAll(/^trailer_data_(\S+) (\S+)$/gm);
      return Object.fromEntries(Array.from(lines, ([, name, value]) => [name, Number(value)]));
    },
    /** The numbers of assets and alarms in each output. */
    counts: () =>
      outputs().map((name) => ['assets', 'alarms'].map((stream) => recordsIn(textOf(name), stream))),
    /** Compares the rows in all outputs with those of the world. */
    compare: (world: TestWorld, list: ListName) => {
      const lines = outputs().flatMap((name) => textOf(name).split('\n'));
      const rows = lines.filter((line) => line.startsWith(startOf(list)) && line.endsWith('}}}'));
      const texts = rows.map((line) => recordText(Buffer.from(line)));
      return compareRows(texts, world.groundTruthRows(list, {}));
    },
  };
}

function startScript(folder: string, script: string, args: readonly string[], env: Variables) {
  // in a group of its own, so that a test can kill all of its processes
  const options = { cwd: folder, detached: true, env };
  const child = spawn(join(folder, script), args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = Promise.all([text(child.stderr), once(child, 'close')]).then(([stderr]) => ({
    code: child.exitCode ?? child.signalCode,
    stderr,
  }));
  return { pid: Number(child.pid), ended };
}

async function startPingServer() {
  const pings: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    pings.push(url);
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { pings, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const startOf = (stream: string): string => `{"type":"RECORD","record":{"stream":"${stream}"`;

const recordsIn = (output: string, stream: string): number => output.split(startOf(stream)).length - 1;
