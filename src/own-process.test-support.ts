import { buildSync } from 'esbuild';
import { join } from 'node:path';
import { temporaryDirectory } from './config/temporary-file.test-support.ts';

/**
 * Returns a file with code that a process of its own can run as long as the test lasts, with all that it imports from a folder: a process
 * that compiles its imports itself takes a second.
 */
export function programOf(code: string, folder: string): string {
  const outfile = join(temporaryDirectory(), 'program.mjs');
  buildSync({
    stdin: { contents: code, resolveDir: folder, loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // packages that are not ES modules look for `require`
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return outfile;
}
