import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { MUTANTS, repository, staleMutants, type Mutant } from './all.ts';

/*
 * tsx acceptance-tests/stress/mutants/main.ts [--only TEXT …] [--check]: plants each fault in a copy of the repository, runs its
 * tests and prints which one caught it. `--check` only checks that each can be planted. The exit code is 1 if a fault is missed
 * or the tests fail without it.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    check: { type: 'boolean', default: false },
  },
});

const EXCLUDED = new Set(['node_modules', '.git', '.work', 'dist']);
const VITEST = 'node_modules/vitest/vitest.mjs run --bail=1 --project=unit --project=acceptance'.split(' ');

const stale = staleMutants();
if (stale.length > 0) throw new Error(stale.join('\n'));
const mutants = MUTANTS.filter(({ file, title }) =>
  values.only.some((part) => `${file}: ${title}`.includes(part)),
);
if (mutants.length === 0) throw new Error('no mutant matches');
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
    filter: (path) => dirname(path) !== repository || !EXCLUDED.has(basename(path)),
  });
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'));
  const startedMs = performance.now();
  const failure = await failureOf([...new Set(mutants.flatMap(({ tests }) => tests))], copy, 1_800_000);
  if (failure !== null) throw new Error(`the tests fail without a fault: ${failure}`);
  // for faults that cause endless loops
  const timeoutMs = 60_000 + 5 * (performance.now() - startedMs);
  let missed = 0;
  for (const mutant of mutants) {
    const caught = await plantedFailure(mutant, copy, timeoutMs);
    if (caught === null) missed++;
    console.log(`${mutant.file}: ${mutant.title} | ${caught ?? 'MISSED'}`);
  }
  console.log(`\n${mutants.length - missed} of ${mutants.length} caught`);
  if (missed > 0) process.exitCode = 1;
}

async function plantedFailure({ file, text, planted, tests }: Mutant, copy: string, timeoutMs: number) {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  const mutated = source.replace(text, () => planted);
  writeFileSync(path, mutated);
  const failure = await failureOf(tests, copy, timeoutMs);
  writeFileSync(path, source);
  return failure;
}

async function failureOf(tests: readonly string[], copy: string, timeoutMs: number): Promise<string | null> {
  const child = spawn(process.execPath, [...VITEST, ...tests], {
    cwd: copy,
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // the process group, because a worker may hang
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), timeoutMs);
  const [output, [code]] = await Promise.all([textOf(child.stderr), once(child, 'close')]);
  clearTimeout(timer);
  if (code === 0) return null;
  if (code === null) return `no end within ${Math.round(timeoutMs / 1000)} s`;
  const [failure] = /seed \d+: .*/.exec(output) ?? /FAIL .*/.exec(output) ?? [output];
  return failure.slice(0, 140);
}
