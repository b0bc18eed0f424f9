import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { startSandbox } from '../../sandbox/client.ts';
import { catalogOf } from '../../support/catalogs.ts';
import { writeInputs } from '../../support/input-files.ts';
import type { Inputs } from '../../support/input-files.ts';
import { runConnector } from '../../support/run-connector.ts';
import type { Run } from '../../support/run-connector.ts';
import { discovered, stateArray, states } from '../../support/run-views.ts';
import { readSpec } from '../conformance/schema.ts';
import { contractWorld, unsampled } from './release-contract.ts';
import type { ReleaseContract } from './release-contract.ts';
import { packageOf } from './versions.ts';

// The last thing done for a release: keeps what its users rely on, for the next version to be compared with.
const released = join(import.meta.dirname, 'released');
const folder = join(released, packageOf().version);
const scratch = await mkdtemp(join(tmpdir(), 'record-release-'));
const sandbox = await startSandbox();
try {
  const contract = await contractOf((await sandbox.createScenario(contractWorld)).config);
  await rm(released, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(contract)) {
    const filepath = join(folder, `${name}.json`);
    const style = await resolveConfig(filepath);
    await writeFile(filepath, await format(JSON.stringify(content), { ...style, filepath }));
  }
  process.stdout.write(`what users rely on is kept in ${folder}\n`);
} finally {
  await sandbox.stop();
  await rm(scratch, { recursive: true });
}

/** With states of every form: inside a read and behind it, of both streams, by one chain and by several. */
async function contractOf(config: { alarms: object }): Promise<ReleaseContract> {
  const catalog = catalogOf({ assets: 'full_refresh', alarms: 'incremental' });
  const parallel = { ...config, alarms: { ...config.alarms, parallel_chains: 3 } };
  const whole = await run('read', { config, catalog });
  const inParallel = await run('read', { config: parallel, catalog });
  return {
    spec: readSpec(),
    catalog: { streams: discovered(await run('discover', { config: unsampled(config) })) },
    states: [
      { written: 'behind a whole read', state: stateArray(whole) },
      { written: 'inside a read of assets', state: middle(whole, 'assets') },
      { written: 'inside a read of alarms', state: middle(whole, 'alarms') },
      { written: 'inside a read of alarms by several chains', state: middle(inParallel, 'alarms') },
    ],
  };
}

async function run(command: 'discover' | 'read', inputs: Inputs): Promise<Run> {
  const files = await writeInputs(scratch, inputs);
  const often = command === 'read' ? ['--state-every', '0'] : [];
  return runConnector([command, ...files.args, ...often], { folder: files.folder, secrets: [] });
}

/** The state in the middle of those that a read wrote of a stream. Throws if there are too few to have a middle. */
function middle(read: Run, stream: string): object[] {
  const all = states(read, stream);
  const state = all[Math.floor(all.length / 2)];
  if (state === undefined || all.length < 3) throw new Error(`no state inside the read of ${stream}`);
  return [{ type: 'STREAM', stream: { stream_descriptor: { name: stream }, stream_state: state } }];
}
