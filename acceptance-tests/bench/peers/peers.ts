import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { NotAvailable, ensureEnvironment } from '../../platforms/python-environment.ts';
import { catalogOf } from '../../support/catalogs.ts';
import type { Words } from '../measure.ts';
import type { Source, Workbench } from '../workbench.ts';

/** A program that reads either list of any address into lines of JSON: RECORD messages, each with its row. */
export interface Peer {
  readonly name: string;
  /** What it does beside reading and printing. */
  readonly beyond: string;
  readonly hasCheck: boolean;
  readonly words: (command: 'read' | 'check', source: Source) => Promise<Words>;
  /** The same without what its documentation advises for speed. */
  readonly asItComes?: Peer;
}

const here = import.meta.dirname;

/** The program itself, by the same rules. */
export function ourselves({ connector, node }: Workbench): Peer {
  return {
    name: 'this connector',
    beyond: 'nothing',
    hasCheck: true,
    words: (command, source) => connector(command, node, source, {}),
  };
}

/** Installs the peers, each in an environment of its own; what cannot be had on this machine is left out, and said. */
export async function findPeers(bench: Workbench): Promise<readonly Peer[]> {
  const peers: Peer[] = [];
  for (const [pins, make] of Object.entries({ 'airbyte-cdk': airbyteCdk, dlt, 'meltano-sdk': meltanoTap }))
    try {
      const requirements = join(here, `requirements-${pins}.txt`);
      const python = await ensureEnvironment(join(here, '../../../.work/bench', pins), requirements);
      const pinned = await readFile(requirements, 'utf8');
      peers.push(make(bench, python, /^(?:airbyte-cdk|dlt|singer-sdk)==(.*)$/m.exec(pinned)?.[1] ?? ''));
    } catch (error) {
      if (!(error instanceof NotAvailable)) throw error;
      console.log(`a peer is left out: ${error.message}`);
    }
  return peers;
}

/** The low-code connector that a user of the platform would write in a day; the CDK reads it concurrently. */
function airbyteCdk({ inputs }: Workbench, python: string, version: string): Peer {
  const program = join(dirname(python), 'source-declarative-manifest');
  const manifest = ['--manifest-path', join(here, 'manifest.yaml')];
  return {
    name: `Airbyte CDK ${version}`,
    beyond: 'normalises by a schema',
    hasCheck: true,
    words: async (command, config) => {
      const catalog = command === 'read' ? catalogOf({ [config.kind]: 'full_refresh' }) : undefined;
      return [program, command, ...manifest, ...(await inputs({ config, catalog }))];
    },
  };
}

/** dlt's own source for REST APIs, with its files as the destination. */
function dlt({ inputs }: Workbench, python: string, version: string): Peer {
  const form = (name: string, isCompressed: boolean): Peer => ({
    name,
    beyond: 'infers types, normalises, loads into files',
    hasCheck: false,
    words: async (_command, source) => {
      const config = { ...source, isCompressed };
      return [python, join(here, 'dlt_pipeline.py'), ...(await inputs({ config }))];
    },
  });
  return { ...form(`dlt ${version}`, false), asItComes: form(`dlt ${version} with gzip`, true) };
}

/** A tap of the Meltano SDK with its optional msgspec. */
function meltanoTap({ inputs }: Workbench, python: string, version: string): Peer {
  return {
    name: `Meltano SDK ${version}`,
    beyond: 'normalises by a schema',
    hasCheck: true,
    words: async (command, config) => {
      const test = command === 'read' ? [] : ['--test'];
      return [python, join(here, 'meltano_tap.py'), ...(await inputs({ config })), ...test];
    },
  };
}
