import { parseArgs } from 'node:util';
import { MUTANTS, staleMutants } from './all.ts';
import { printGenerated } from './print-generated.ts';
import { printTable } from './print-table.ts';

/*
 * tsx acceptance-tests/stress/mutants/main.ts [--only TEXT …] [--check]: plants each fault of the tables in a copy of the repository,
 * runs its tests and prints which one caught it. `--check` only checks that each can be planted.
 *
 * tsx acceptance-tests/stress/mutants/main.ts --generate PATH … [--tests PATH …] [--count N] [--seed N] [--only TEXT …] [--jobs N]
 * [--list]: does so with mutants of each condition, comparison, operator, bound, default and action of source files or folders. Runs the
 * given tests, or else the unit tests that import the mutated file. `--count` draws some of them, the same ones for a seed. `--only`
 * selects lines that contain a text, such as `comparison` or `order.ts:12 `. `--list` only prints them.
 *
 * The exit code is 1 if a mutant is missed or the tests fail without one.
 */
const { values, tokens } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    check: { type: 'boolean', default: false },
    generate: { type: 'boolean', default: false },
    tests: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: 'Infinity' },
    jobs: { type: 'string', default: '2' },
  },
  allowPositionals: true,
  tokens: true,
});

if (values.generate) {
  const { only, list } = values;
  const [seed, count, jobs] = [Number(values.seed), Number(values.count), Number(values.jobs)];
  const paths = { sources: pathsAfter('generate'), tests: pathsAfter('tests') };
  await printGenerated({ ...paths, only, list, seed, count, jobs });
} else {
  const stale = staleMutants();
  if (stale.length > 0) throw new Error(stale.join('\n'));
  if (values.check) console.log(`${MUTANTS.length} mutants can be planted`);
  else await printTable(values.only);
}

/** Returns the paths that follow an option. */
function pathsAfter(name: string): readonly string[] {
  let last = '';
  return tokens.flatMap((token) => {
    if (token.kind === 'option') last = token.name;
    return token.kind === 'positional' && last === name ? [token.value] : [];
  });
}
