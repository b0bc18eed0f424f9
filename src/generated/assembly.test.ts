// The WebAssembly in `wasm/` is compiled from AssemblyScript in `src/rows`. This test compiles it again and compares it with the
// file; `npm run generate` updates the file.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryStream, main } from 'assemblyscript/asc';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../rows');

test('wasm/json-scanner.generated.ts matches its source', async () => {
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
