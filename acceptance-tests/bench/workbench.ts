import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { findNodes } from '../platforms/image-node.ts';
import { writeInputs } from '../support/input-files.ts';
import type { Inputs } from '../support/input-files.ts';
import { program } from '../support/program.ts';
import { compete } from './measure.ts';
import type { Words } from './measure.ts';
import { startServer } from './server.ts';
import type { ListName } from './server.ts';
import type { Sizes } from './sizes.ts';

/** What all sections share. */
export type Workbench = Awaited<ReturnType<typeof openWorkbench>>;

/** A list to read, with the account to read it with: the config of every peer. */
export interface Source {
  readonly kind: 'assets' | 'alarms';
  readonly base_url: string;
  readonly page_size: number;
  readonly auth_url: string;
  readonly client_id: string;
  readonly client_secret: string;
}

/** Finds each Node.js, and starts the server. */
export async function openWorkbench(sizes: Sizes) {
  const nodes = await findNodes();
  const server = await startServer();
  const account = { auth_url: `${server.origin}/token`, client_id: 'bench', client_secret: 'bench-secret' };
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  // it makes Node.js 20 read all certificates of the system at its start, which is none of the program's doing
  const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;
  const env = { ...environment, SOURCE_TRAILER_DATA_CACHE: join(folder, 'tokens') };
  const settings = { cwd: folder, env, times: 1 };
  /** Writes files; gives the options that hand them over. */
  const inputs = async (files: Inputs) => (await writeInputs(folder, files)).args;
  return {
    sizes,
    /** The Node.js of the image, and the running one if it is another. */
    nodes,
    /** The first of them. */
    node: nodes[0].command,
    /** How programs are run: once at a time, in the scratch folder, with the same environment for all. */
    settings,
    inputs,
    compete: (contenders: Parameters<typeof compete>[0], rounds: number) =>
      compete(contenders, rounds, settings),
    /** A list of the benchmark's server: so many rows, so late, in pages of that size at most. */
    source: (name: ListName, rows: number, latencyMs: number, page_size: number): Source => ({
      ...account,
      ...server.list(name, rows, latencyMs, page_size),
      page_size,
    }),
    /** The program at one list, with further keys of its config and a catalog. */
    connector: async (
      command: 'read' | 'check',
      node: string,
      { kind, base_url, page_size, ...own }: Source,
      given: { concurrency?: number; parallel_chains?: number; catalog?: object },
    ): Promise<Words> => {
      const { concurrency, parallel_chains, catalog } = given;
      const config = { ...own, concurrency, [kind]: { base_url, page_size, parallel_chains } };
      return [node, program, command, ...(await inputs({ config, catalog }))];
    },
    /** A program of the folder `programs`. */
    script: (node: string, name: string, ...args: readonly (string | number)[]): Words => [
      node,
      join(import.meta.dirname, `programs/${name}.mjs`),
      ...args.map(String),
    ],
    close: async (): Promise<void> => {
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
