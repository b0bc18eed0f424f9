import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { program } from '../support/program.ts';
import { startBenchServer } from './bench-server.ts';
import type { BenchServer, ListPlace } from './bench-server.ts';
import type { Contender } from './contest.ts';
import type { MeasureOptions } from './measure.ts';
import type { Sizes } from './sizes.ts';
import type { Kind } from './server/row-texts.ts';

/** What all sections share. */
export interface Workbench {
  readonly server: BenchServer;
  readonly sizes: Sizes;
  /** The built program. */
  readonly program: string;
  /** Scratch files; gone at the end. */
  readonly folder: string;
  /** How programs are run: once at a time, with the same environment for all. */
  readonly settings: MeasureOptions;
  /** Writes a file into the scratch folder; gives its path. */
  readonly file: (name: string, content: object | string) => Promise<string>;
  /** The program reading one list to its end; `options` are members of the config. */
  readonly reader: (name: string, kind: Kind, baseUrl: string, options: ReaderOptions) => Promise<Contender>;
  readonly baseUrl: (place: ListPlace) => string;
  readonly say: (words: string) => void;
  readonly close: () => Promise<void>;
}

/** Members of the config beside the addresses. */
export interface ReaderOptions {
  readonly concurrency?: number;
  readonly list?: object;
}

/** Starts the server, and has the rows rendered. */
export async function openWorkbench(sizes: Sizes, say: (words: string) => void): Promise<Workbench> {
  const server = await startBenchServer();
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  // it makes Node.js 20 read all certificates of the system at its start, which is none of the program's doing
  const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;
  const env = { ...environment, SOURCE_TRAILER_DATA_CACHE: join(folder, 'tokens') };
  await server.prepare(sizes.rendered);
  let files = 0;
  const file = async (name: string, content: object | string): Promise<string> => {
    const path = join(folder, `${files++}-${name}`);
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  return {
    server,
    sizes,
    program,
    folder,
    settings: { cwd: folder, env, times: 1 },
    file,
    reader: async (name, kind, baseUrl, { concurrency, list }) => {
      const config = await file('config.json', {
        auth_url: `${server.origin}/token`,
        client_id: 'bench',
        client_secret: 'bench-secret',
        ...(concurrency === undefined ? {} : { concurrency }),
        [kind]: { base_url: baseUrl, ...list },
      });
      return { name, command: process.execPath, args: [program, 'read', '--config', config] };
    },
    baseUrl: server.baseUrl,
    say,
    close: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
