import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { NotAvailable, ensureEnvironment } from '../../platforms/python-environment.ts';
import type { Contender } from '../contest.ts';
import type { Source, Workbench } from '../workbench.ts';

export type Command = 'read' | 'check';

/** A program that reads either list of any address into lines of JSON. */
export interface Peer {
  readonly name: string;
  /** What it does beside reading and printing. */
  readonly beyond: string;
  readonly hasCheck: boolean;
  readonly run: (command: Command, source: Source) => Promise<PeerRun>;
  /** The same without what its documentation advises for speed. */
  readonly asItComes?: Peer;
}

export interface PeerRun extends Omit<Contender, 'name'> {
  /** The lines that hold the rows, after a run whose stdout is given. */
  readonly rows: (stdout: string) => Promise<string[]>;
  /** Where the row stands in its line. */
  readonly rowAt: readonly string[];
}

const here = import.meta.dirname;
const environments = join(here, '../../../.work/bench');

/** Installs the peers, each in an environment of its own; what cannot be had on this machine is left out, and said. */
export async function findPeers(bench: Workbench): Promise<readonly Peer[]> {
  const peers: Peer[] = [];
  for (const install of [airbyteCdk, dlt, meltanoTap])
    try {
      peers.push(await install(bench));
    } catch (error) {
      if (!(error instanceof NotAvailable)) throw error;
      bench.say(`a peer is left out: ${error.message}`);
    }
  return peers;
}

/** The program itself, by the same rules. */
export function ourselves(bench: Workbench): Peer {
  return {
    name: 'this connector',
    beyond: 'nothing',
    hasCheck: true,
    run: async (command, source) => ({
      ...(await bench.connector(command, bench.node, source, {})),
      rows: recordsIn,
      rowAt: ['record', 'data'],
    }),
  };
}

/** The low-code connector that a user of the platform would write in a day; the CDK reads it concurrently. */
async function airbyteCdk(bench: Workbench): Promise<Peer> {
  const { python, version } = await installed('airbyte-cdk');
  return {
    name: `Airbyte CDK ${version}`,
    beyond: 'normalises by a schema',
    hasCheck: true,
    run: async (command, source) => {
      const config = await bench.file('config.json', settingsOf(source));
      const catalog = await bench.file('catalog.json', catalogOf(source));
      const files = ['--config', config, '--manifest-path', join(here, 'manifest.yaml')];
      return {
        command: join(dirname(python), 'source-declarative-manifest'),
        args: [command, ...files, ...(command === 'read' ? ['--catalog', catalog] : [])],
        rows: recordsIn,
        rowAt: ['record', 'data'],
      };
    },
  };
}

/** dlt's own source for REST APIs, with its files as the destination. */
async function dlt(bench: Workbench): Promise<Peer> {
  const { python, version } = await installed('dlt');
  const form = (compression: 'plain' | 'gzip'): Omit<Peer, 'name'> => ({
    beyond: 'infers types, normalises, loads into files',
    hasCheck: false,
    run: async (_command, source) => {
      const config = await bench.file('config.json', { ...settingsOf(source), compression });
      const folder = `${config}.out`;
      // it goes on where the last run stopped, and would find nothing new: each run begins in an empty folder
      const start = 'rm -rf "$3" && exec "$0" "$@"';
      const files = [python, join(here, 'dlt_pipeline.py'), config, folder];
      return {
        command: 'sh',
        args: ['-c', start, ...files],
        rows: () => linesOfFiles(join(folder, 'out/data', source.kind)),
        rowAt: [],
      };
    },
  });
  const asItComes = { name: `dlt ${version} with gzip`, ...form('gzip') };
  return { name: `dlt ${version}`, ...form('plain'), asItComes };
}

/** A tap of the Meltano SDK with its optional msgspec. */
async function meltanoTap(bench: Workbench): Promise<Peer> {
  const { python, version } = await installed('meltano-sdk');
  return {
    name: `Meltano SDK ${version}`,
    beyond: 'normalises by a schema',
    hasCheck: true,
    run: async (command, source) => {
      const config = await bench.file('config.json', settingsOf(source));
      const args = [join(here, 'meltano_tap.py'), '--config', config];
      return {
        command: python,
        args: command === 'read' ? args : [...args, '--test'],
        rows: recordsIn,
        rowAt: ['record'],
      };
    },
  };
}

function settingsOf({ kind, baseUrl, pageSize, account }: Source): object {
  return { ...account, kind, base_url: baseUrl, page_size: pageSize };
}

function catalogOf({ kind }: Source): object {
  const stream = { name: kind, json_schema: { type: 'object' }, supported_sync_modes: ['full_refresh'] };
  return { streams: [{ stream, sync_mode: 'full_refresh', destination_sync_mode: 'append' }] };
}

async function installed(name: string): Promise<{ readonly python: string; readonly version: string }> {
  const requirements = join(here, `requirements-${name}.txt`);
  const python = await ensureEnvironment(join(environments, name), requirements);
  const pins = await readFile(requirements, 'utf8');
  return { python, version: /^(?:airbyte-cdk|dlt|singer-sdk)==(.*)$/m.exec(pins)?.[1] ?? '' };
}

async function recordsIn(stdout: string): Promise<string[]> {
  return stdout.split('\n').filter((line) => line.startsWith('{"type":"RECORD"'));
}

async function linesOfFiles(folder: string): Promise<string[]> {
  const files = await readdir(folder).catch(() => []);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file))));
  return texts
    .map((bytes) => (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString())
    .flatMap((text) => text.split('\n').filter((line) => line !== ''));
}
