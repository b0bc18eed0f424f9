import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNodes } from '../platforms/image-node.ts';
import { writeInputs, type Inputs } from '../support/input-files.ts';
import { program } from '../support/program.ts';
import { compare, type Command, type Commands } from './measure.ts';
import { startServer, type ListName } from './server.ts';
import type { Sizes } from './sizes.ts';

/** Shared by all sections. */
export type Workbench = Awaited<ReturnType<typeof openWorkbench>>;

/** The config of every peer: a list and the credentials to read it. */
export interface Source {
  readonly kind: 'assets' | 'alarms';
  readonly base_url: string;
  readonly page_size: number;
  readonly auth_url: string;
  readonly client_id: string;
  readonly client_secret: string;
}

/** Finds the Node.js versions and starts the server. */
export async function openWorkbench(sizes: Sizes) {
  const nodes = await findNodes();
  const server = await startServer();
  const account = { auth_url: `${server.origin}/token`, client_id: 'bench', client_secret: 'bench-secret' };
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  // would make Node.js 20 read all certificates of the system at start
  const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;
  const env = { ...environment, SOURCE_TRAILER_DATA_CACHE: join(folder, 'tokens') };
  const settings = { cwd: folder, env, times: 1 };
  const inputs = async (files: Inputs) => (await writeInputs(folder, files)).args;
  return {
    sizes,
    /** The Node.js of the image, then the running one if it differs. */
    nodes,
    node: nodes[0].command,
    settings,
    inputs,
    compare: (commands: Commands, rounds: number) => compare(commands, rounds, settings),
    source: (name: ListName, rows: number, latencyMs: number, page_size: number): Source => {
      return { ...account, ...server.list(name, rows, latencyMs, page_size), page_size };
    },
    connector: async (
      command: 'read' | 'check',
      node: string,
      { kind, base_url, page_size, ...own }: Source,
      { concurrency, parallel_chains, catalog }: Options,
    ): Promise<Command> => {
      const config = { ...own, concurrency, [kind]: { base_url, page_size, parallel_chains } };
      return [node, program, command, ...(await inputs({ config, catalog }))];
    },
    script: (node: string, name: string, ...args: readonly (string | number)[]): Command => {
      return [node, join(import.meta.dirname, `programs/${name}.mjs`), ...args.map(String)];
    },
    close: async (): Promise<void> => {
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Options = { concurrency?: number; parallel_chains?: number; catalog?: object };
