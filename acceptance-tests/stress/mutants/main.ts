import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { MUTANTS, staleMutants } from './all.ts';
import { copyTree, createMutantRun } from './run.ts';

/*
 * tsx acceptance-tests/stress/mutants/main.ts [--only WORDS …] [--check]: plants each fault in a copy of the tree, runs the tests nearest
 * to it and then wider ones until one fails, and prints what caught it. `--check` only looks whether each can be planted. The
 * exit code is 1 if a fault goes unseen, or if the tree fails as it is.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    check: { type: 'boolean', default: false },
  },
});
const stale = staleMutants();
if (stale.length > 0) throw new Error(stale.join('\n'));
if (values.check) console.log(`${MUTANTS.length} mutants can be planted`);
else
  await run(
    MUTANTS.filter(({ file, breaks }) => values.only.some((one) => `${file}: ${breaks}`.includes(one))),
  );

async function run(mutants: typeof MUTANTS): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
  try {
    copyTree(copy);
    const mutantRun = createMutantRun(copy);
    await mutantRun.begin(mutants);
    let unseen = 0;
    for (const mutant of mutants) {
      const startedMs = performance.now();
      const words = await mutantRun.catches(mutant);
      if (words === null) unseen++;
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
      console.log(`${mutant.file}: ${mutant.breaks} | ${words ?? 'NOT SEEN'} | ${seconds} s`);
    }
    console.log(`\n${mutants.length - unseen} of ${mutants.length} caught`);
    if (unseen > 0) process.exitCode = 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
