import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plant, type GeneratedMutant } from './generate.ts';
import type { Report, Request } from './test-runner.ts';

const RUNNER = join(import.meta.dirname, 'test-runner.ts');
/** A test file may take this many times as long as without a fault, and this many ms more. */
const SLOWER = 5;
const GRACE = 15_000;
const START = 120_000; // ms to load everything before the first test
/** Of a process that runs tests: a fault may fill the memory. Properties report the first failing case. */
const ENV = { NODE_OPTIONS: '--max-old-space-size=2048', PROPERTY_SHRINKING: 'off' };

type Times = Readonly<Record<string, number>>;

/** A mutant in a file of the repository. */
export interface Target extends GeneratedMutant {
  readonly file: string;
}

/** A mutant, and the first failure; null if no test caught it. */
export interface Verdict {
  readonly target: Target;
  readonly caught: string | null;
}

/**
 * Plants each mutant and runs the given tests, or else the unit tests that import its file. Each copy of the repository has a process of
 * its own. Passes on verdicts in the order of the mutants. Throws if the tests fail without a mutant.
 */
export async function tryMutants(
  targets: readonly Target[],
  tests: readonly string[],
  copies: readonly string[],
  take: (verdict: Verdict) => void,
): Promise<void> {
  const runners = copies.map(createRunner);
  try {
    const times = await timesWithout(targets, tests, runners[0]);
    const verdicts: (Verdict | undefined)[] = targets.map(() => undefined);
    let [next, taken] = [0, 0];
    const work = async (runner: Runner): Promise<void> => {
      for (let at = next++; at < targets.length; at = next++) {
        const target = targets[at] as Target;
        verdicts[at] = { target, caught: await runner.failureWith(target, tests, times) };
        for (let done = verdicts[taken]; done !== undefined; done = verdicts[++taken]) take(done);
      }
    };
    await Promise.all(runners.map(work));
  } finally {
    for (const runner of runners) runner.stop();
  }
}

async function timesWithout(
  targets: readonly Target[],
  tests: readonly string[],
  runner: Runner | undefined,
) {
  const files = [...new Set(targets.map(({ file }) => file))];
  const { failure, msByTest } = (await runner?.run({ files, tests, msByTest: {} }, Infinity)) ?? NO_TESTS;
  if (failure !== null) throw new Error(`the tests fail without a mutant: ${failure}`);
  if (Object.keys(msByTest).length === 0) throw new Error('no tests found');
  return msByTest;
}

type Result = Extract<Report, { readonly failure: unknown }>;
const NO_TESTS: Result = { failure: null, msByTest: {} };

type Runner = ReturnType<typeof createRunner>;

/** Runs tests in a copy, in a process that is replaced after an endless loop. */
function createRunner(copy: string) {
  let child: ChildProcess | null = null;
  const stop = (): void => {
    // the process group, because a worker may hang
    if (child?.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    child = null;
  };
  const run = async (request: Request, limit: number): Promise<Result> => {
    child ??= fork(RUNNER, [], {
      cwd: copy,
      detached: true,
      env: { ...process.env, ...ENV },
      stdio: 'ignore',
    });
    const result = await resultOf(child, request, limit);
    if (result.mustStop) stop();
    return result;
  };
  const failureWith = async (target: Target, tests: readonly string[], msByTest: Times) => {
    const path = join(copy, target.file);
    const source = readFileSync(path, 'utf8');
    writeFileSync(path, plant(source, target));
    try {
      return (await run({ files: [target.file], tests, msByTest }, START)).failure;
    } finally {
      writeFileSync(path, source);
    }
  };
  return { run, failureWith, stop };
}

/** Sends a request to a process and waits for its result. */
function resultOf(child: ChildProcess, request: Request, startMs: number) {
  return new Promise<Result & { readonly mustStop: boolean }>((resolve) => {
    let [started, timer] = ['the start', setTimeout(() => {}, 0)];
    const end = (result: Result, mustStop: boolean): void => {
      clearTimeout(timer);
      child.removeAllListeners();
      resolve({ ...result, mustStop });
    };
    const limit = (ms: number): void => {
      clearTimeout(timer);
      if (ms === Infinity) return;
      const failure = (): string => `${started} > no end within ${Math.round(ms / 1000)} s`;
      timer = setTimeout(() => end({ failure: failure(), msByTest: {} }, true), ms);
    };
    child.on('message', (report: Report) => {
      if ('failure' in report) return end(report, false);
      ({ started } = report);
      const usual = request.msByTest[started];
      return limit(usual === undefined ? startMs : GRACE + SLOWER * usual);
    });
    child.once('exit', (code) =>
      end({ failure: `${started} > the process ended: ${code}`, msByTest: {} }, true),
    );
    child.once('error', ({ message }) => end({ failure: message, msByTest: {} }, true));
    limit(startMs);
    child.send(request);
  });
}
