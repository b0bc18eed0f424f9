import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { program } from '../support/program.ts';
import type { Contender } from './contest.ts';
import type { MeasureOptions } from './measure.ts';
import { findRuntimes } from './runtimes.ts';
import type { ListName } from './server/api.ts';
import { renderedFor } from './sizes.ts';
import type { Sizes } from './sizes.ts';

/** What all sections share. */
export type Workbench = Awaited<ReturnType<typeof openWorkbench>>;

/** A list to read, with the account to read it with. */
export interface Source {
  readonly kind: 'assets' | 'alarms';
  readonly baseUrl: string;
  readonly pageSize: number;
  readonly account: { readonly auth_url: string; readonly client_id: string; readonly client_secret: string };
}

/** Members of the config beside the addresses. */
export interface ConnectorOptions {
  readonly concurrency?: number;
  readonly parallel_chains?: number;
}

/** Finds each Node.js, and starts the server with its rows rendered. */
export async function openWorkbench(sizes: Sizes, say: (words: string) => void) {
  const runtimes = await findRuntimes();
  const main = join(import.meta.dirname, 'server/main.ts');
  const server = fork(main, [JSON.stringify(renderedFor(sizes))], { execArgv: ['--import', 'tsx'] });
  const [origin] = (await once(server, 'message')) as [string];
  const account = { auth_url: `${origin}/token`, client_id: 'bench', client_secret: 'bench-secret' };
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  // it makes Node.js 20 read all certificates of the system at its start, which is none of the program's doing
  const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;
  const env = { ...environment, SOURCE_TRAILER_DATA_CACHE: join(folder, 'tokens') };
  let files = 0;
  const file = async (name: string, content: object): Promise<string> => {
    const path = join(folder, `${files++}-${name}`);
    await writeFile(path, JSON.stringify(content));
    return path;
  };
  const settings: MeasureOptions = { cwd: folder, env, times: 1 };
  return {
    sizes,
    say,
    /** The Node.js of the image, and the running one if it is another. */
    runtimes,
    /** The first of them. */
    node: runtimes[0].command,
    /** How programs are run: once at a time, in the scratch folder, with the same environment for all. */
    settings,
    /** Writes a scratch file; gives its path. */
    file,
    /** A list of the benchmark's server: so many rows, so late, in pages of that size at most. */
    source: (list: ListName, rows: number, latencyMs: number, pageSize: number): Source => ({
      kind: list.toLowerCase().endsWith('assets') ? 'assets' : 'alarms',
      baseUrl: `${origin}/${list}/${rows}/late/${latencyMs}/most/${pageSize}`,
      pageSize,
      account,
    }),
    /** The program at one list. */
    connector: async (
      command: 'read' | 'check',
      node: string,
      source: Source,
      { concurrency, parallel_chains }: ConnectorOptions,
    ): Promise<Omit<Contender, 'name'>> => {
      const list = { base_url: source.baseUrl, page_size: source.pageSize, parallel_chains };
      const config = { ...source.account, concurrency, [source.kind]: list };
      return { command: node, args: [program, command, '--config', await file('config.json', config)] };
    },
    close: async (): Promise<void> => {
      const ended = once(server, 'exit');
      server.disconnect();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
