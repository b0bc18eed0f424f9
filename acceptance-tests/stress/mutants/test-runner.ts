import { execFileSync } from 'node:child_process';
import { dirname, join, relative } from 'node:path';
import {
  BaseSequencer,
  createVitest,
  type TestModule,
  type TestSpecification,
  type Vitest,
} from 'vitest/node';
import type { Reporter } from 'vitest/reporters';

/*
 * A process that runs tests in its working directory, a copy of the repository, as often as it is asked to. It can be killed, because
 * a fault may cause an endless loop.
 */

/** Runs the tests of files after these were changed: those of the same name first, then fast ones and those that have failed often. */
export interface Request {
  readonly files: readonly string[];
  readonly tests: readonly string[]; // paths to search for tests; without them, the unit tests that import the files
  readonly msByTest: Readonly<Record<string, number>>; // how long they take
}

/** Tells of a test file that begins, and of the end: the first failure, if there is one, and how long each test file took. */
export type Report =
  | { readonly started: string }
  | { readonly failure: string | null; readonly msByTest: Readonly<Record<string, number>> };

const PROJECTS = ['unit', 'acceptance'];
/** How often each test file failed. */
const failed = new Map<string, number>();
const found = new Map<string, readonly TestSpecification[]>();
let order: readonly string[] = [];
let changed: readonly string[] = [];

/** Runs test files in the order of `order`. */
class Sequencer extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((a, b) => rankOf(a) - rankOf(b)));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  return order.indexOf(nameOf(moduleId));
}

/** Those of the current run: a test file that a run does not get to still has its result of an earlier one. */
let ended: TestModule[] = [];

const reporter: Reporter = {
  onTestModuleQueued: ({ moduleId }) => tell({ started: nameOf(moduleId) }),
  onTestModuleEnd: (module) => void ended.push(module),
};

const vitest = await createVitest('test', {
  watch: false,
  cache: false,
  bail: 1,
  maxWorkers: 1,
  project: PROJECTS,
  passWithNoTests: true,
  reporters: [reporter],
  sequence: { sequencer: Sequencer },
});

process.on('message', (request: Request) => {
  run(request).then(tell, (error: unknown) => tell({ failure: String(error), msByTest: {} }));
});
process.once('disconnect', () => process.kill(-process.pid, 'SIGKILL'));

async function run({ files, tests, msByTest }: Request): Promise<Report> {
  const specifications = await testsOf(vitest, files, tests);
  const named = new Set(files.map((file) => file.replace(/\.ts$/, '.test.ts')));
  const msOf = (test: string): number =>
    named.has(test) ? 0 : (msByTest[test] ?? 0) / (1 + (failed.get(test) ?? 0));
  const names = specifications.map(({ moduleId }) => nameOf(moduleId));
  order = names.toSorted((a, b) => msOf(a) - msOf(b) || (a < b ? -1 : 1));
  for (const file of new Set([...changed, ...files])) vitest.invalidateFile(join(process.cwd(), file));
  changed = files;
  if (specifications.length === 0) return { failure: null, msByTest: {} };
  const { PROGRAM: program } = process.env;
  if (program !== undefined)
    execFileSync(process.execPath, ['build.mjs', dirname(program)], { stdio: 'ignore' });
  ended = [];
  const { unhandledErrors } = await vitest.runTestSpecifications([...specifications]);
  const others = unhandledErrors.map((error) =>
    error instanceof Error ? error.message : JSON.stringify(error),
  );
  return {
    failure: [...ended.flatMap(failureOf), ...others][0] ?? null,
    msByTest: Object.fromEntries(ended.map((one) => [one.relativeModuleId, one.diagnostic().duration])),
  };
}

function failureOf(module: TestModule): readonly string[] {
  if (module.ok()) return [];
  const { relativeModuleId: file } = module;
  failed.set(file, (failed.get(file) ?? 0) + 1);
  const [test] = module.children.allTests('failed');
  return [`${file} > ${test?.fullName ?? module.errors()[0]?.message ?? 'failed'}`];
}

async function testsOf(runner: Vitest, files: readonly string[], tests: readonly string[]) {
  const key = tests.length > 0 ? '' : files.join();
  const known = found.get(key);
  if (known !== undefined) return known;
  if (key !== '') runner.config.related = files.map((file) => join(process.cwd(), file));
  const all = await runner.getRelevantTestSpecifications([...tests]);
  const chosen = key === '' ? all : all.filter(({ project }) => project.name === 'unit');
  found.set(key, chosen);
  return chosen;
}

function nameOf(moduleId: string): string {
  return relative(process.cwd(), moduleId);
}

function tell(report: Report): void {
  process.send?.(report);
}
