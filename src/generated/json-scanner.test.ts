// The WebAssembly in `wasm/` is compiled from api/json-scanner.assembly.ts. It is compiled anew here and compared
// with its file; `npm run generate` is this same test with leave to rewrite the file.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createMemoryStream, main } from 'assemblyscript/asc';
import { expect, test } from 'vitest';

const NAME = 'json-scanner.assembly.ts';

test('wasm/json-scanner.generated.ts is what the assembly says', async () => {
  const written = new Map<string, Uint8Array | string>();
  const stderr = createMemoryStream();
  const source = readFileSync(join(import.meta.dirname, '../api', NAME), 'utf8');
  const { error } = await main(
    [NAME, '--optimizeLevel', '3', '--noAssert', '--runtime', 'stub', '--outFile', 'out.wasm'],
    {
      readFile: (name) => (name === NAME ? source : null),
      writeFile: (name, contents) => void written.set(name, contents),
      listFiles: () => [],
      stderr,
    },
  );
  expect(error?.message ?? null, stderr.toString()).toBeNull();
  const base64 = Buffer.from(written.get('out.wasm') ?? '').toString('base64');
  await expect(
    `// Generated from src/api/${NAME} by \`npm run generate\`. Do not edit.\nexport const wasm =\n  '${base64}';\n`,
  ).toMatchFileSnapshot('wasm/json-scanner.generated.ts');
});
