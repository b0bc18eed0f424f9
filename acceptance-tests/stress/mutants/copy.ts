import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { repository } from './all.ts';

const EXCLUDED = new Set(['node_modules', '.git', '.work', 'dist']);

/** Calls a function with copies of the repository, and removes them at the end. */
export async function withCopies(count: number, use: (copies: readonly string[]) => Promise<void>) {
  const copies = Array.from({ length: count }, () => mkdtempSync(join(tmpdir(), 'mutants-')));
  try {
    for (const copy of copies) {
      cpSync(repository, copy, {
        recursive: true,
        filter: (path) => dirname(path) !== repository || !EXCLUDED.has(basename(path)),
      });
      symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'));
    }
    await use(copies);
  } finally {
    for (const copy of copies) rmSync(copy, { recursive: true, force: true });
  }
}
