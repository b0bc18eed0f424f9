import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { startSandbox } from '../../sandbox/client.ts';
import { writeInputs } from '../../support/input-files.ts';
import { runConnector } from '../../support/run-connector.ts';
import { contractWorld, releasedCatalog, releasedStates } from './release-contract.ts';
import type { RunCommand } from './release-contract.ts';
import { packageOf, repository } from './versions.ts';

// The last thing done for a release: keeps what its users rely on, for the next version to be compared with.
const { version } = packageOf();
const released = join(import.meta.dirname, 'released');
const scratch = await mkdtemp(join(tmpdir(), 'record-release-'));
const sandbox = await startSandbox();
try {
  const world = await sandbox.createScenario(contractWorld);
  const run: RunCommand = async (command, inputs) => {
    const { folder, args } = await writeInputs(scratch, inputs);
    const often = command === 'read' ? ['--state-every', '0'] : [];
    return runConnector([command, ...args, ...often], { folder, secrets: [] });
  };
  const contract = {
    spec: JSON.parse(await readFile(join(repository, 'spec.json'), 'utf8')) as object,
    catalog: { streams: await releasedCatalog(run, world) },
    states: await releasedStates(run, world),
  };
  await rm(released, { recursive: true, force: true });
  await mkdir(join(released, version), { recursive: true });
  for (const [name, content] of Object.entries(contract)) {
    const file = join(released, version, `${name}.json`);
    await writeFile(
      file,
      await format(JSON.stringify(content), { ...(await resolveConfig(file)), filepath: file }),
    );
  }
  process.stdout.write(`${version} is kept in acceptance-tests/suites/packaging/released\n`);
} finally {
  await sandbox.stop();
  await rm(scratch, { recursive: true });
}
