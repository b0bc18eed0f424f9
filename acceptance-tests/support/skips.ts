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

/** What may be skipped: so many tests of a file or folder, for want of what not every machine has. */
const allowed = JSON.parse(
  readFileSync(join(import.meta.dirname, '../allowed-skips.json'), 'utf8'),
) as readonly { readonly in: string; readonly most: number; readonly why: string }[];

/** Prints each skip with its reason; false if one is not in the list, or more are than it allows. */
export function tellSkips(skips: readonly Skip[]): boolean {
  let isAllowed = true;
  const left = new Map(allowed.map((entry) => [entry, entry.most]));
  for (const { file, name, reason } of skips) {
    const entry = allowed.find((one) => file.startsWith(one.in));
    const rest = entry === undefined ? 0 : (left.get(entry) ?? 0);
    if (entry !== undefined) left.set(entry, rest - 1);
    const verdict =
      rest > 0 ? 'skipped' : 'SKIPPED, which acceptance-tests/allowed-skips.json does not allow';
    if (rest <= 0) isAllowed = false;
    process.stdout.write(`${verdict}: ${file}: ${name} (${reason || (entry?.why ?? 'no reason given')})\n`);
  }
  return isAllowed;
}

/** Tells of the tests that vitest skipped, and fails its run if they are more than allowed. A pattern of names skips on purpose, an interrupted run without one. */
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
