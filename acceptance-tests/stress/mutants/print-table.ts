import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { MUTANTS, type Mutant } from './all.ts';
import { withCopies } from './copy.ts';

const VITEST = 'node_modules/vitest/vitest.mjs run --bail=1 --project=unit --project=acceptance'.split(' ');

/** Prints which test catches each fault of the tables whose file and title contain a text. Throws if the tests fail without a fault. */
export async function printTable(only: readonly string[]): Promise<void> {
  const mutants = MUTANTS.filter(({ file, title }) =>
    only.some((part) => `${file}: ${title}`.includes(part)),
  );
  if (mutants.length === 0) throw new Error('no mutant matches');
  await withCopies(1, async ([copy = '']) => await runMutants(mutants, copy));
}

async function runMutants(mutants: readonly Mutant[], copy: string): Promise<void> {
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
