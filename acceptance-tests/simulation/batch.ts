import { fork } from 'node:child_process';
import { once } from 'node:events';
import { addCoverage, type Coverage } from './coverage.ts';
import { drawScenario } from './scenario.ts';
import { simulate } from './world.ts';

/** The result of some seeds. */
export interface Batch {
  readonly failures: readonly { readonly seed: number; readonly failure: string }[];
  /** By seed, a digest of stdout and of the requests, which a refactoring must not change. */
  readonly digests: Readonly<Record<number, string>>;
  readonly coverage: Coverage;
}

/** Simulates the seeds `first`, `first + step`, … below `end`. */
export async function runSeeds(first: number, end: number, step: number): Promise<Batch> {
  const failures: { seed: number; failure: string }[] = [];
  const coverage: Coverage = {};
  const digests: Record<number, string> = {};
  for (let seed = first; seed < end; seed += step) {
    const { failure, tally, digest } = await simulate(drawScenario(seed, false), null);
    addCoverage(coverage, tally);
    digests[seed] = digest;
    if (failure !== null) failures.push({ seed, failure });
  }
  return { failures, digests, coverage };
}

/** Shares the seeds among `jobs` processes of `program`. */
export async function runJobs(program: string, first: number, end: number, jobs: number): Promise<Batch> {
  const parts = Array.from({ length: jobs }, async (_, job) => {
    const child = fork(program, ['--part', `${first + job} ${end} ${jobs}`]);
    const [part] = (await Promise.race([once(child, 'message'), failed(child)])) as [Batch];
    return part;
  });
  const batches = await Promise.all(parts);
  const failures = batches.flatMap((batch) => batch.failures).toSorted((a, b) => a.seed - b.seed);
  const digests = Object.assign({}, ...batches.map((batch) => batch.digests)) as Batch['digests'];
  const coverage: Coverage = {};
  for (const batch of batches) addCoverage(coverage, batch.coverage);
  return { failures, digests, coverage };
}

async function failed(child: ReturnType<typeof fork>): Promise<never> {
  const [code] = (await once(child, 'exit')) as [number | null];
  throw new Error(`a job ended with ${code} before it sent its result`);
}
