import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter } from 'vitest/reporters';

/** A test that did not run. */
export interface Skip {
  /** Its file, from the root of the repository. */
  readonly file: string;
  readonly name: string;
  /** What is missing here; empty to have what the list says. */
  readonly reason: string;
}

const LIST = 'acceptance-tests/allowed-skips.json';

/** Prints each skip with its reason; false if one is not in the list, or more of a file or folder are than it allows. */
export function tellSkips(skips: readonly Skip[]): boolean {
  const allowed = JSON.parse(readFileSync(join(import.meta.dirname, '../..', LIST), 'utf8')) as {
    readonly in: string;
    most: number;
    readonly why: string;
  }[];
  let isAllowed = true;
  for (const { file, name, reason } of skips) {
    const entry = allowed.find((one) => file.startsWith(one.in)) ?? { most: 0, why: 'no reason given' };
    entry.most -= 1;
    if (entry.most < 0) isAllowed = false;
    const verdict = entry.most < 0 ? `SKIPPED, which ${LIST} does not allow` : 'skipped';
    process.stdout.write(`${verdict}: ${file}: ${name} (${reason || entry.why})\n`);
  }
  return isAllowed;
}

/**
 * Tells of the tests that vitest skipped, and fails its run if they are more than allowed. A pattern of names skips on purpose,
 * an interrupted run without one.
 */
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
    if (!tellSkips(skips)) process.exitCode = 1;
  },
};
