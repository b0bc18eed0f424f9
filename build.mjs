// Bundles the program into a folder (`dist` unless another is named), with the licenses of everything in it.
import { copyFileSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';

import { build } from 'esbuild';

const [outdir = 'dist'] = process.argv.slice(2);
rmSync(outdir, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: ['src/main.ts'],
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  metafile: true,
  // yargs looks for `require`
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
  legalComments: 'none',
  logLevel: 'warning',
});

const packages = Object.keys(metafile.inputs).flatMap(
  (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [],
);
const licenses = [...new Set(packages)].toSorted().map((folder) => {
  const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${folder} has no license`);
  return `${name} ${version}\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`;
});
copyFileSync('LICENSE', `${outdir}/LICENSE`);
writeFileSync(`${outdir}/THIRD-PARTY-LICENSES.txt`, licenses.join(`\n${'-'.repeat(80)}\n\n`));
