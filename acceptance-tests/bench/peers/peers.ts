import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { ensureEnvironment } from '../../platforms/python-environment.ts';
import type { Contender } from '../contest.ts';
import type { Workbench } from '../workbench.ts';

/** A program that reads the assets list of any address into lines of JSON. */
export interface Peer {
  readonly name: string;
  /** A run that reads one list; `lines` gives the texts of the rows, after a run whose stdout was `stdout`. */
  readonly run: (base: string, pageSize: number) => Promise<PeerRun>;
}

export interface PeerRun {
  readonly contender: Contender;
  readonly rows: (stdout: string) => Promise<string[]>;
}

const here = import.meta.dirname;
const environments = join(here, '../../../.work/bench');

/** The low-code connector that a user of the platform would write in a day. */
export function airbyteCdk(bench: Workbench): () => Promise<Peer> {
  return async () => {
    const name = 'Airbyte Python CDK, low-code manifest';
    const programs = await installed('airbyte-cdk');
    return {
      name,
      run: async (base, pageSize) => {
        const template = await readFile(join(here, 'manifest.yaml'), 'utf8');
        const manifest = await bench.file('manifest.yaml', template.replace('PAGE_SIZE', String(pageSize)));
        const config = await bench.file('config.json', settingsFor(bench, base, pageSize));
        const catalog = await bench.file('catalog.json', CATALOG);
        const command = join(programs, 'source-declarative-manifest');
        const files = ['--config', config, '--catalog', catalog, '--manifest-path', manifest];
        return {
          contender: { name, command, args: ['read', ...files] },
          rows: async (stdout) => linesWith(stdout, '{"type":"RECORD"').map(dataOf),
        };
      },
    };
  };
}

/** dlt's own source for REST APIs, with its files as the destination. */
export function dlt(bench: Workbench): () => Promise<Peer> {
  return async () => {
    const name = 'dlt, rest_api source';
    const programs = await installed('dlt');
    return {
      name,
      run: async (base, pageSize) => {
        const folder = `${await bench.file('dlt', '')}.out`;
        const script = join(here, 'dlt_pipeline.py');
        // it goes on where the last run stopped, and would find nothing new: each run begins in an empty folder
        const start = `rm -rf "$2" && exec "$0" "$1" "$3" "$4" "$5" "$2"`;
        const python = join(programs, 'python');
        const args = [
          '-c',
          start,
          python,
          script,
          folder,
          `${bench.server.origin}/token`,
          base,
          String(pageSize),
        ];
        return {
          contender: { name, command: 'sh', args },
          rows: async () => {
            const table = join(folder, 'out/data/assets');
            const files = await readdir(table);
            const texts = await Promise.all(files.map((file) => readFile(join(table, file))));
            return texts
              .map((bytes) => (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString())
              .flatMap((text) => linesWith(text, '{'));
          },
        };
      },
    };
  };
}

/** A tap in the manner of the template of the Meltano SDK. */
export function meltanoTap(bench: Workbench): () => Promise<Peer> {
  return async () => {
    const name = 'Meltano SDK, tap';
    const programs = await installed('meltano-sdk');
    return {
      name,
      run: async (base, pageSize) => {
        const config = await bench.file('config.json', settingsFor(bench, base, pageSize));
        const args = [join(here, 'meltano_tap.py'), '--config', config];
        return {
          contender: { name, command: join(programs, 'python'), args },
          rows: async (stdout) => linesWith(stdout, '{"type":"RECORD"').map(recordOf),
        };
      },
    };
  };
}

/** The program itself, by the same rules. */
export function ourselves(bench: Workbench): Peer {
  const name = 'connector';
  return {
    name,
    run: async (base, pageSize) => ({
      contender: await bench.reader(name, 'assets', base, { list: { page_size: pageSize } }),
      rows: async (stdout) => linesWith(stdout, '{"type":"RECORD"').map(dataOf),
    }),
  };
}

const CATALOG = {
  streams: [
    {
      stream: {
        name: 'assets',
        json_schema: { type: 'object', additionalProperties: true, properties: {} },
        supported_sync_modes: ['full_refresh'],
      },
      sync_mode: 'full_refresh',
      destination_sync_mode: 'append',
    },
  ],
};

function settingsFor({ server }: Workbench, base: string, pageSize: number): object {
  return {
    auth_url: `${server.origin}/token`,
    client_id: 'bench',
    client_secret: 'bench-secret',
    base_url: base,
    page_size: pageSize,
  };
}

async function installed(name: string): Promise<string> {
  return ensureEnvironment(join(environments, name), join(here, `requirements-${name}.txt`));
}

function linesWith(text: string, start: string): string[] {
  return text.split('\n').filter((line) => line.startsWith(start));
}

/** The object that stands behind the member `data` of a RECORD of the Airbyte protocol, as it is written. */
function dataOf(line: string): string {
  return objectAt(line, line.indexOf('"data":') + '"data":'.length);
}

/** The same of a Singer RECORD. */
function recordOf(line: string): string {
  return objectAt(line, line.indexOf('"record":') + '"record":'.length);
}

function objectAt(line: string, start: number): string {
  let depth = 0;
  for (const { index, 0: token } of line.slice(start).matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === '{') depth++;
    if (token === '}' && --depth === 0) return line.slice(start, start + index + 1);
  }
  return '';
}
