import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What stands in a file: a text or bytes as they are, anything else as JSON. */
export type Content = object | string;

/** The input of one run. What is left out is not on the command line. */
export interface Inputs {
  readonly config?: Content | undefined;
  readonly catalog?: Content | undefined;
  readonly state?: Content | undefined;
}

/** Writes the input of one run into a new folder under `parent`; `args` are `--config …` and so on, as far as they were given. */
export async function writeInputs(parent: string, inputs: Inputs) {
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, 'run-'));
  const args: string[] = [];
  for (const [name, content] of Object.entries(inputs) as [string, Content | undefined][]) {
    if (content === undefined) continue;
    const file = join(folder, `${name}.json`);
    const plain = typeof content === 'string' || Buffer.isBuffer(content);
    await writeFile(file, plain ? content : JSON.stringify(content));
    args.push(`--${name}`, file);
  }
  return { folder, args };
}
