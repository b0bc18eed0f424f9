import { spawn } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { repository } from './all.ts';
import type { Mutant } from './mutant.ts';

/** ms that tests of a sound tree may take, and after how many times as long a fault counts as going on for ever. */
const MOST_MS = 1_800_000;
const PATIENCE = 5;
const LEFT_OUT = new Set(['node_modules', '.git', '.work', 'dist']);
/** The test that every mutant fails. */
const OWN_TEST = 'mutants.test.ts';

/** Tests that are run together: arguments of Node.js, in one text. */
type Step = string;

const SIMULATED: Step = '--import tsx acceptance-tests/simulation/main.ts --count 500 --most-failures 1';
const VITEST = 'node_modules/vitest/vitest.mjs run --bail 1 --project acceptance';

const testsOf = (paths: readonly string[]): Step => [VITEST, '--project unit', ...paths].join(' ');

/** What may catch a mutant, the nearest first. */
function stepsFor({ file, nearest }: Mutant): readonly Step[] {
  const folder = dirname(file) === 'src' ? [] : [testsOf([`${dirname(file)}/`])];
  return nearest.length === 0
    ? [SIMULATED, ...folder, VITEST]
    : [testsOf(nearest), ...folder, SIMULATED, VITEST];
}

/** Copies the tree to where mutants can be planted. */
export function copyTree(copy: string): void {
  cpSync(repository, copy, {
    recursive: true,
    filter: (path) =>
      basename(path) !== OWN_TEST && (dirname(path) !== repository || !LEFT_OUT.has(basename(path))),
  });
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'));
}

/** Runs mutants in a copy of the tree. */
export function createMutantRun(copy: string) {
  /** How long each step takes without a mutant. */
  const sound = new Map<Step, number>();
  const expectSound = async (step: Step): Promise<number> => {
    const startedMs = performance.now();
    const words = sound.has(step) ? null : await failureOf(step, copy, MOST_MS);
    if (words !== null) throw new Error(`the tree fails as it is: ${words}`);
    const tookMs = sound.get(step) ?? performance.now() - startedMs;
    sound.set(step, tookMs);
    return tookMs;
  };
  return {
    /** @throws if the tests nearest to the mutants fail without any of them */
    begin: async (mutants: readonly Mutant[]): Promise<void> => {
      const steps = new Set(
        mutants.filter(({ nearest }) => nearest.length > 0).map(({ nearest }) => nearest),
      );
      if (steps.size === 0) return;
      const tookMs = await expectSound(testsOf([...new Set([...steps].flat())]));
      for (const nearest of steps) sound.set(testsOf(nearest), tookMs);
    },
    /** What catches a mutant, in the words of the first failure; null if nothing does. */
    catches: async (mutant: Mutant): Promise<string | null> => {
      for (const step of stepsFor(mutant)) {
        const mostMs = 60_000 + PATIENCE * (await expectSound(step));
        const words = await planted(mutant, copy, () => failureOf(step, copy, mostMs));
        if (words !== null) return words;
      }
      return null;
    },
  };
}

/** Plants a mutant for as long as `work` takes. */
async function planted<T>(mutant: Mutant, copy: string, work: () => Promise<T>): Promise<T> {
  const path = join(copy, mutant.file);
  const before = readFileSync(path, 'utf8');
  const after = before.replace(mutant.text, () => mutant.planted);
  writeFileSync(path, after);
  try {
    return await work();
  } finally {
    writeFileSync(path, before);
  }
}

/** The first failure of a step in words; null if all is well. */
function failureOf(step: Step, copy: string, mostMs: number): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, step.split(' '), {
      cwd: copy,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
    // the group, since workers may be what does not end
    const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), mostMs);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve(null);
      else if (signal === 'SIGKILL') resolve(`no end within ${Math.round(mostMs / 1000)} s`);
      else resolve(wordsOf(output));
    });
  });
}

/** Of vitest the first test that failed, of the simulation its first scenario. */
function wordsOf(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  const failed = lines.find((line) => line.startsWith('FAIL '));
  const seed = lines.find((line) => line.startsWith('seed '));
  const words = failed?.replace(/^FAIL +(\|\w+\| )?/, '') ?? seed ?? lines.find((line) => line !== '') ?? '';
  return words.slice(0, 140);
}
