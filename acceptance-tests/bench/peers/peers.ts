import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NotAvailable, ensureEnvironment } from '../../platforms/python-environment.ts';
import { catalogOf } from '../../support/catalogs.ts';
import type { Command } from '../measure.ts';
import type { Source, Workbench } from '../workbench.ts';

/** A program that writes the rows of a list as RECORD messages. */
export interface Peer {
  readonly name: string;
  readonly additionalWork: string; // its work in addition to reading and writing
  readonly hasCheck: boolean;
  readonly command: (name: 'read' | 'check', source: Source) => Promise<Command>;
  readonly withDefaults?: Peer; // the same without the settings that its documentation recommends for speed
}

const here = import.meta.dirname;

export function ourselves({ connector, node }: Workbench): Peer {
  return {
    name: 'this connector',
    additionalWork: 'none',
    hasCheck: true,
    command: (name, source) => connector(name, node, source, {}),
  };
}

/** Installs each peer in a separate environment. Skips those that are not available, with a message. */
export async function findPeers(bench: Workbench): Promise<readonly Peer[]> {
  const peers: Peer[] = [];
  for (const [pins, make] of Object.entries(PEERS))
    try {
      const requirements = join(here, `requirements-${pins}.txt`);
      const python = await ensureEnvironment(join(here, '../../../.work/bench', pins), requirements);
      const pinned = await readFile(requirements, 'utf8');
      peers.push(make(bench, python, /^(?:airbyte-cdk|dlt|singer-sdk)==(.*)$/m.exec(pinned)?.[1] ?? ''));
    } catch (error) {
      if (!(error instanceof NotAvailable)) throw error;
      console.log(`a peer is skipped: ${error.message}`);
    }
  return peers;
}

const PEERS: Readonly<Record<string, (bench: Workbench, python: string, version: string) => Peer>> = {
  /** A low-code connector, which the CDK runs concurrently. */
  'airbyte-cdk': ({ inputs }, python, version) => ({
    name: `Airbyte CDK ${version}`,
    additionalWork: 'normalizes by schema',
    hasCheck: true,
    command: async (name, config) => {
      const program = join(dirname(python), 'source-declarative-manifest');
      const catalog = name === 'read' ? catalogOf({ [config.kind]: 'full_refresh' }) : undefined;
      const manifest = join(here, 'manifest.yaml');
      return [program, name, '--manifest-path', manifest, ...(await inputs({ config, catalog }))];
    },
  }),
  /** dlt's source for REST APIs, with files as the destination. */
  dlt: ({ inputs }, python, version) => {
    const form = (name: string, isCompressed: boolean): Peer => ({
      name,
      additionalWork: 'infers types, normalizes, loads into files',
      hasCheck: false,
      command: async (_name, source) => {
        const config = { ...source, isCompressed };
        return [python, join(here, 'dlt_pipeline.py'), ...(await inputs({ config }))];
      },
    });
    return { ...form(`dlt ${version}`, false), withDefaults: form(`dlt ${version} with gzip`, true) };
  },
  /** A tap of the Meltano SDK with its optional msgspec. */
  'meltano-sdk': ({ inputs }, python, version) => ({
    name: `Meltano SDK ${version}`,
    additionalWork: 'normalizes by schema',
    hasCheck: true,
    command: async (name, config) => {
      const test = name === 'read' ? [] : ['--test'];
      return [python, join(here, 'meltano_tap.py'), ...(await inputs({ config })), ...test];
    },
  }),
};
