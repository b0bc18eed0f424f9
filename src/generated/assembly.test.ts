// The WebAssembly in `wasm/` is compiled from AssemblyScript in `src/rows`. This test compiles it again and compares it with the
// file; `npm run generate` updates the file.
import { hash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { isLong } from '../property-runs.test-support.ts';

const folder = join(import.meta.dirname, '../rows');
const SOURCE = 'json-scanner.assembly.ts';
const OPTIONS = ['--optimizeLevel', '3', '--noAssert', '--runtime', 'stub', '--outFile', 'out.wasm'];

const sources = readdirSync(folder).filter((file) => file.endsWith('.assembly.ts'));
const texts = sources.toSorted().map((file) => readFileSync(join(folder, file), 'utf8'));
/** Of all that the compiler reads. */
const digest = hash('sha256', JSON.stringify([packageJson.devDependencies.assemblyscript, OPTIONS, texts]));
const header = `// Generated from src/rows/${SOURCE} by \`npm run generate\`. Do not edit.\n// SHA-256 of its sources and how they are compiled: ${digest}\n`;

test('wasm/json-scanner.generated.ts matches its source', async () => {
  const file = 'wasm/json-scanner.generated.ts';
  const text = readFileSync(join(import.meta.dirname, file), 'utf8');
  // compiling takes seconds, so elsewhere than in the project `long`, only what has changed is compiled
  const made = !isLong && text.startsWith(header) ? text : `${header}${await compiled()}`;
  await expect(made).toMatchFileSnapshot(file);
});

async function compiled(): Promise<string> {
  const { createMemoryStream, main } = await import('assemblyscript/asc');
  const written = new Map<string, Uint8Array | string>();
  const stderr = createMemoryStream();
  const { error } = await main([SOURCE, ...OPTIONS], {
    readFile: (file) => (existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : null),
    writeFile: (path, contents) => void written.set(path, contents),
    listFiles: () => [],
    stderr,
  });
  expect(error?.message ?? null, stderr.toString()).toBeNull();
  return `export const wasm =\n  '${Buffer.from(written.get('out.wasm') ?? '').toString('base64')}';\n`;
}
