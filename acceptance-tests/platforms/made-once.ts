import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Makes a folder unless it is there and was made from the same ingredients. A folder that is half made, or made from
 * others, or was moved here (virtual environments cannot be), is removed first. Throws what `make` throws.
 */
export async function madeOnce(
  folder: string,
  ingredients: readonly string[],
  make: () => Promise<void>,
): Promise<void> {
  const stamp = join(folder, 'made-from');
  const wanted = createHash('sha256')
    .update([folder, ...ingredients].join('\0'))
    .digest('hex');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await make();
  await writeFile(stamp, wanted);
}
