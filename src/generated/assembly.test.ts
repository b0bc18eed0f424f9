// The WebAssembly in `wasm/` is compiled from the files of AssemblyScript. It is compiled anew here and compared with
// its files; `npm run generate` is this same test with leave to rewrite them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createMemoryStream, main } from 'assemblyscript/asc';
import { expect, test } from 'vitest';

test.each([['json-scanner', 'api']])(
  'wasm/%s.generated.ts is what its assembly says',
  async (name, folder) => {
    const file = `${name}.assembly.ts`;
    const written = new Map<string, Uint8Array | string>();
    const stderr = createMemoryStream();
    const source = readFileSync(join(import.meta.dirname, '..', folder, file), 'utf8');
    const { error } = await main(
      [file, '--optimizeLevel', '3', '--noAssert', '--runtime', 'stub', '--outFile', 'out.wasm'],
      {
        readFile: (asked) => (asked === file ? source : null),
        writeFile: (path, contents) => void written.set(path, contents),
        listFiles: () => [],
        stderr,
      },
    );
    expect(error?.message ?? null, stderr.toString()).toBeNull();
    const base64 = Buffer.from(written.get('out.wasm') ?? '').toString('base64');
    await expect(
      `// Generated from src/${folder}/${file} by \`npm run generate\`. Do not edit.\nexport const wasm =\n  '${base64}';\n`,
    ).toMatchFileSnapshot(`wasm/${name}.generated.ts`);
  },
);
