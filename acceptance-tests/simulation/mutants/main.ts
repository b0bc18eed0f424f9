import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { table } from '../../demo/page.ts';
import { ALARMS_MUTANTS } from './alarms-mutants.ts';
import { ASSETS_MUTANTS } from './assets-mutants.ts';
import { COMMON_MUTANTS } from './common-mutants.ts';
import type { Mutant } from './mutant.ts';

/*
 * tsx acceptance-tests/simulation/mutants/main.ts [--only WORDS] [--first N] [--count N]: plants each fault in a copy of the tree, runs the
 * first scenarios until one fails, and prints a table. The exit code is 1 if a fault goes unseen, or if the tree fails as it is.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    first: { type: 'string', default: '0' },
    count: { type: 'string', default: '2000' },
  },
});
const repository = join(import.meta.dirname, '../../..');
const PARTS = ['src', 'schemas', 'spec.json', 'package.json', 'tsconfig.json', 'acceptance-tests'];

const mutants = [...COMMON_MUTANTS, ...ALARMS_MUTANTS, ...ASSETS_MUTANTS].filter(({ file, breaks }) =>
  `${file} ${breaks}`.includes(values.only),
);
const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
try {
  for (const part of PARTS) cpSync(join(repository, part), join(copy, part), { recursive: true });
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'));
  const untouched = verdict();
  if (untouched.found) throw new Error(`the tree fails as it is: ${untouched.words}`);
  const rows = mutants.map((mutant) => {
    const { found, words } = withPlanted(mutant, verdict);
    const row = [mutant.breaks, mutant.file.replace('src/', ''), found ? words : 'NOT SEEN'];
    console.log(row.join(' | '));
    return row;
  });
  console.log(`\n${table([['what is broken', 'file', 'what the simulation says'], ...rows]).join('\n')}`);
  const unseen = rows.filter(([, , words]) => words === 'NOT SEEN').length;
  console.log(`\n${rows.length - unseen} of ${rows.length} seen`);
  if (unseen > 0) process.exitCode = 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** Plants a fault for as long as `work` takes. */
function withPlanted<T>({ file, text, planted }: Mutant, work: () => T): T {
  const path = join(copy, file);
  const before = readFileSync(path, 'utf8');
  if (before.split(text).length !== 2) throw new Error(`${file}: the text must stand there once: ${text}`);
  writeFileSync(
    path,
    before.replace(text, () => planted),
  );
  try {
    return work();
  } finally {
    writeFileSync(path, before);
  }
}

/** What the first scenarios say, of a failure its first words. */
function verdict(): { readonly found: boolean; readonly words: string } {
  const { first, count } = values;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      '--import',
      'tsx',
      'acceptance-tests/simulation/main.ts',
      '--first',
      first,
      '--count',
      count,
      '--most-failures',
      '1',
    ],
    { cwd: copy, encoding: 'utf8' },
  );
  const words = `${stdout}${stderr}`.trim().split('\n')[0] ?? '';
  return { found: status !== 0, words: words.slice(0, 100) };
}
