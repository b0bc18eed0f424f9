import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { MUTANTS, repository, staleMutants } from './all.ts';
import type { Mutant } from './all.ts';

/*
 * tsx acceptance-tests/stress/mutants/main.ts [--only WORDS …] [--check]: plants each fault in a copy of the tree, runs the tests nearest
 * to it, and prints which one caught it. `--check` only looks whether each can be planted. The exit code is 1 if a fault goes
 * unseen, or if those tests fail without any.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    check: { type: 'boolean', default: false },
  },
});

const LEFT_OUT = new Set(['node_modules', '.git', '.work', 'dist']);
const VITEST = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--bail=1',
  '--project=unit',
  '--project=acceptance',
];

const stale = staleMutants();
if (stale.length > 0) throw new Error(stale.join('\n'));
const mutants = MUTANTS.filter(({ file, breaks }) =>
  values.only.some((words) => `${file}: ${breaks}`.includes(words)),
);
if (mutants.length === 0) throw new Error('no mutant has these words');
if (values.check) console.log(`${MUTANTS.length} mutants can be planted`);
else {
  const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
  try {
    await runMutants(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function runMutants(copy: string): Promise<void> {
  cpSync(repository, copy, {
    recursive: true,
    filter: (path) => dirname(path) !== repository || !LEFT_OUT.has(basename(path)),
  });
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'));
  const startedMs = performance.now();
  const sound = await failureOf([...new Set(mutants.flatMap(({ tests }) => tests))], copy, 1_800_000);
  if (sound !== null) throw new Error(`the tree fails as it is: ${sound}`);
  // after so many times as long a fault counts as going on for ever
  const mostMs = 60_000 + 5 * (performance.now() - startedMs);
  let unseen = 0;
  for (const mutant of mutants) {
    const words = await plantedFailure(mutant, copy, mostMs);
    if (words === null) unseen++;
    console.log(`${mutant.file}: ${mutant.breaks} | ${words ?? 'NOT SEEN'}`);
  }
  console.log(`\n${mutants.length - unseen} of ${mutants.length} caught`);
  if (unseen > 0) process.exitCode = 1;
}

async function plantedFailure(
  { file, text: sound, planted, tests }: Mutant,
  copy: string,
  mostMs: number,
): Promise<string | null> {
  const path = join(copy, file);
  const before = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    before.replace(sound, () => planted),
  );
  const words = await failureOf(tests, copy, mostMs);
  writeFileSync(path, before);
  return words;
}

/** The first failure of some tests in words; null if all is well. */
async function failureOf(tests: readonly string[], copy: string, mostMs: number): Promise<string | null> {
  const child = spawn(process.execPath, [...VITEST, ...tests], {
    cwd: copy,
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // the group, since workers may be what does not end
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), mostMs);
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  clearTimeout(timer);
  if (code === 0) return null;
  if (code === null) return `no end within ${Math.round(mostMs / 1000)} s`;
  const [words] = /seed \d+: .*/.exec(output) ?? /FAIL .*/.exec(output) ?? [output];
  return words.slice(0, 140);
}
