import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The content of a file: text, bytes, or a value to write as JSON. */
export type Content = object | string;

/** The input files of a run, if any. */
export interface Inputs {
  readonly config?: Content | undefined;
  readonly catalog?: Content | undefined;
  readonly state?: Content | undefined;
}

/** Writes the input files of a run into a new folder in `parent`; `args` are their options, `--config …` and so on. */
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
