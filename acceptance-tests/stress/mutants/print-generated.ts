import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { repository } from './all.ts';
import { withCopies } from './copy.ts';
import { draw, mutantsIn } from './generate.ts';
import { tryMutants, type Target } from './run-generated.ts';

interface Settings {
  readonly sources: readonly string[]; // files and folders
  readonly tests: readonly string[];
  readonly only: readonly string[];
  readonly list: boolean;
  readonly seed: number;
  readonly count: number;
  readonly jobs: number;
}

/** Prints the mutants of sources and which test catches each. Throws if the tests fail without one. */
export async function printGenerated(settings: Settings): Promise<void> {
  const { sources, tests, only, list, seed, count, jobs } = settings;
  const all = sourcesIn(sources).flatMap((file): readonly Target[] => {
    const mutants = mutantsIn(readFileSync(join(repository, file), 'utf8'));
    return mutants.map((mutant) => ({ ...mutant, file }));
  });
  const matching = all.filter((target) => only.some((part) => lineOf(target).includes(part)));
  const targets = draw(matching, count, seed);
  if (targets.length === 0) throw new Error('no mutant matches');
  if (list) {
    for (const target of targets) console.log(lineOf(target));
    console.log(`\n${targets.length} of ${all.length} mutants`);
    return;
  }
  await withCopies(Math.min(jobs, targets.length), async (copies) => {
    const startedMs = performance.now();
    let missed = 0;
    await tryMutants(targets, tests, copies, ({ target, caught }) => {
      if (caught === null) missed++;
      console.log(`${lineOf(target)} | ${caught ?? 'MISSED'}`);
    });
    const perMinute = Math.round((targets.length / (performance.now() - startedMs)) * 60_000);
    console.log(`\n${targets.length - missed} of ${targets.length} caught, ${perMinute} per minute`);
    if (missed > 0) process.exitCode = 1;
  });
}

function lineOf({ file, line, kind, change }: Target): string {
  return `${file}:${line} ${kind} | ${change}`;
}

/** Returns the sources that run in tests, relative to the repository. */
function sourcesIn(paths: readonly string[]): readonly string[] {
  const files = paths.flatMap((path) => {
    if (!statSync(path).isDirectory()) return [path];
    const entries = readdirSync(path, { recursive: true, encoding: 'utf8' });
    return entries.map((entry) => join(path, entry)).toSorted();
  });
  const sources = files.filter((file) =>
    /^(?!.*\.(test|test-support|fake|generated|assembly)\.ts$).*\.ts$/.test(file),
  );
  return [...new Set(sources.map((file) => relative(repository, join(process.cwd(), file))))];
}
