// The WebAssembly in `wasm/` is compiled from the files of AssemblyScript. It is compiled anew here and compared with
// its file; `npm run generate` is this same test with leave to rewrite it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createMemoryStream, main } from 'assemblyscript/asc';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../rows');

test('wasm/json-scanner.generated.ts is what its assembly says', async () => {
  const written = new Map<string, Uint8Array | string>();
  const stderr = createMemoryStream();
  const { error } = await main(
    [
      'json-scanner.assembly.ts',
      '--optimizeLevel',
      '3',
      '--noAssert',
      '--runtime',
      'stub',
      '--outFile',
      'out.wasm',
    ],
    {
      readFile: (file) => (existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : null),
      writeFile: (path, contents) => void written.set(path, contents),
      listFiles: () => [],
      stderr,
    },
  );
  expect(error?.message ?? null, stderr.toString()).toBeNull();
  const base64 = Buffer.from(written.get('out.wasm') ?? '').toString('base64');
  await expect(
    `// Generated from src/rows/json-scanner.assembly.ts by \`npm run generate\`. Do not edit.\nexport const wasm =\n  '${base64}';\n`,
  ).toMatchFileSnapshot('wasm/json-scanner.generated.ts');
});
