import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter } from 'vitest/reporters';

/** A test that did not run. */
export interface Skip {
  readonly file: string; // its file, relative to the repository
  readonly name: string;
  readonly reason: string; // what is missing here; empty for the reason in the list
}

const LIST = 'acceptance-tests/allowed-skips.json';

/** Prints the reason for each skip. Returns false if a file or folder has more skips than the list allows. */
export function reportSkips(skips: readonly Skip[]): boolean {
  const allowed = JSON.parse(readFileSync(join(import.meta.dirname, '../..', LIST), 'utf8')) as {
    readonly in: string;
    max: number;
    readonly why: string;
  }[];
  let isAllowed = true;
  const counts = new Map<string, number>();
  for (const { file, name, reason } of skips) {
    const entry = allowed.find((one) => file.startsWith(one.in)) ?? { max: 0, why: 'no reason given' };
    entry.max -= 1;
    if (entry.max < 0) isAllowed = false;
    const test = entry.max < 0 ? `SKIPPED, not allowed by ${LIST}: ${file}: ${name}` : `skipped: ${file}`;
    const line = `${test} (${reason || entry.why})`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  for (const [line, count] of counts)
    process.stdout.write(count === 1 ? `${line}\n` : `${line}, ${count} tests\n`);
  return isAllowed;
}

/** Reports skipped tests, and fails the run if they are not allowed. Runs with a name pattern skip on purpose. */
export const skipReporter: Reporter = {
  onTestRunEnd(modules, _errors, reason) {
    if (reason === 'interrupted') return;
    if (process.argv.some((argument) => /^(-t|--testNamePattern)/.test(argument))) return;
    const skips = modules.flatMap(({ moduleId, children }) =>
      Array.from(children.allTests('skipped'), (test) => {
        const result = test.result();
        const note = result.state === 'skipped' ? (result.note ?? '') : '';
        return { file: moduleId.slice(process.cwd().length + 1), name: test.fullName, reason: note };
      }),
    );
    if (!reportSkips(skips)) process.exitCode = 1;
  },
};
