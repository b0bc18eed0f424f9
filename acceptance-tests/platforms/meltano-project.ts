import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPython } from './find-python.ts';
import { madeOnce } from './made-once.ts';
import { NotAvailable } from './not-available.ts';
import { runQuietly } from './process-output.ts';
import { ensureEnvironment } from './python-environment.ts';

const here = join(import.meta.dirname, 'meltano');

/** The wrapper, at the commit that the test was written with; `TAP_AIRBYTE_WRAPPER` names another place to pip. */
const wrapper =
  process.env['TAP_AIRBYTE_WRAPPER'] ??
  'git+https://github.com/MeltanoLabs/tap-airbyte-wrapper.git@e874473c2b0806bd6cc5b86d0001f041db7699da';

/** A Meltano project whose plugins are installed. */
export interface MeltanoProject {
  readonly folder: string;
  /** Path of the program `meltano`. */
  readonly meltano: string;
}

/**
 * Makes the project in a folder of `work`, or takes it as it is if nothing that it is made of has changed.
 *
 * @throws NotAvailable if a Python, the package index or the wrapper's repository is out of reach
 */
export async function ensureMeltanoProject(work: string): Promise<MeltanoProject> {
  const programs = await ensureEnvironment({
    folder: join(work, 'meltano'),
    requirements: join(here, 'requirements.txt'),
    python: await findPython([11, 12, 10]),
  });
  // the wrapper takes none that is newer
  const python = await findPython([10, 9]);
  const meltano = join(programs, 'meltano');
  const folder = join(work, 'meltano-project');
  const template = await readFile(join(here, 'meltano.yml'), 'utf8');
  const project = template.replace('WRAPPER', wrapper).replace('PYTHON', python);
  await madeOnce(folder, [meltano, project], async () => {
    process.stderr.write('installing the plugins of Meltano …\n');
    await writeFile(join(folder, 'meltano.yml'), project);
    try {
      await runQuietly(meltano, ['install'], { cwd: folder, env: process.env });
    } catch (error) {
      await expectRepository(folder, error);
    }
  });
  return { folder, meltano };
}

/** Throws NotAvailable if the wrapper's repository is out of reach, and the error itself if it is not. */
async function expectRepository(folder: string, error: unknown): Promise<never> {
  const address = /^git\+(.*?)(@[^@/]*)?$/.exec(wrapper)?.[1];
  if (address === undefined) throw error;
  try {
    // asks for nothing on the terminal
    const env = { ...process.env, GIT_TERMINAL_PROMPT: '0' };
    await runQuietly('git', ['ls-remote', '--quiet', address], { cwd: folder, env });
  } catch {
    throw new NotAvailable(`the wrapper's repository cannot be reached: ${address}`);
  }
  throw error;
}
