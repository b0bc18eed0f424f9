import { spawn } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { repository } from './all.ts';
import type { Mutant } from './mutant.ts';

/** ms after which tests count as failed: a fault may make something go on for ever. */
const MOST_MS = 300_000;
const LEFT_OUT = new Set(['node_modules', '.git', '.work', 'dist']);

/** Tests that are run together, as the arguments of Node.js. */
type Step = readonly string[];

const SIMULATION: Step =
  '--import tsx acceptance-tests/simulation/main.ts --count 2000 --most-failures 1'.split(' ');

/** Those of these paths; all acceptance tests for none, but for the one that every mutant fails. */
function testsOf(...paths: readonly string[]): Step {
  const projects = paths.length === 0 ? ['acceptance'] : ['unit', 'acceptance'];
  const run = 'node_modules/vitest/vitest.mjs run --bail 1 --exclude acceptance-tests/stress/mutants/**';
  return [...run.split(' '), ...projects.flatMap((project) => ['--project', project]), ...paths];
}

/** What may catch a mutant, the nearest first. */
function stepsFor({ file, nearest }: Mutant): readonly Step[] {
  const folder = dirname(file) === 'src' ? [] : [testsOf(`${dirname(file)}/`)];
  return nearest === undefined
    ? [SIMULATION, ...folder, testsOf()]
    : [testsOf(...nearest), ...folder, SIMULATION, testsOf()];
}

/** Copies the tree to where mutants can be planted. */
export function copyTree(copy: string): void {
  cpSync(repository, copy, {
    recursive: true,
    filter: (path) => dirname(path) !== repository || !LEFT_OUT.has(basename(path)),
  });
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'));
}

/** Runs mutants in a copy of the tree. */
export function createMutantRun(copy: string) {
  const sound = new Map<string, Promise<void>>();
  const expectSound = (step: Step): Promise<void> => {
    const known = sound.get(step.join(' ')) ?? failsAsItIs(step, copy);
    sound.set(step.join(' '), known);
    return known;
  };
  return {
    /** @throws if the tests nearest to the mutants fail without any of them */
    begin: async (mutants: readonly Mutant[]): Promise<void> => {
      const nearest = new Set(mutants.flatMap((mutant) => mutant.nearest ?? []));
      if (nearest.size > 0) await expectSound(testsOf(...nearest));
    },
    /** What catches a mutant, in the words of the first failure; null if nothing does. */
    catches: async (mutant: Mutant): Promise<string | null> => {
      for (const [index, step] of stepsFor(mutant).entries()) {
        // those of all mutants together have been looked at
        if (index > 0 || step === SIMULATION) await expectSound(step);
        const words = await planted(mutant, copy, () => failureOf(step, copy));
        if (words !== null) return words;
      }
      return null;
    },
  };
}

async function failsAsItIs(step: Step, copy: string): Promise<void> {
  const words = await failureOf(step, copy);
  if (words !== null) throw new Error(`the tree fails as it is: ${words}`);
}

/** Plants a mutant for as long as `work` takes. */
async function planted<T>(
  { file, text, planted: after }: Mutant,
  copy: string,
  work: () => Promise<T>,
): Promise<T> {
  const path = join(copy, file);
  const before = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    before.replace(text, () => after),
  );
  try {
    return await work();
  } finally {
    writeFileSync(path, before);
  }
}

/** The first failure of a step in words; null if all is well. */
function failureOf(step: Step, copy: string): Promise<string | null> {
  return new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' };
    const child = spawn(process.execPath, step, {
      cwd: copy,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
    child.stderr.on('data', (bytes: Buffer) => (output += bytes.toString()));
    // the group, since workers may be what does not end
    const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), MOST_MS);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve(null);
      else if (signal === 'SIGKILL') resolve(`no end within ${MOST_MS / 1000} s`);
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
