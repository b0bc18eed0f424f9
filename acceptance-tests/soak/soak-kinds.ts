import { noFigures, sumFigures } from '../crash/crash-figures.ts';
import type { CrashFigures } from '../crash/crash-figures.ts';
import { runCrashTest } from '../crash/run-crash-test.ts';
import { duration, number } from '../demo/page.ts';
import type { Sandbox } from '../sandbox/client.ts';
import { mix } from '../sandbox/data/random.ts';
import { replayOf, runPropertyTests } from './property-tests.ts';

/** What both kinds of tests work with. */
export interface Soak {
  readonly seed: number;
  /** ms until the time is over; not above 0 once it is. */
  readonly msLeft: () => number;
  readonly say: (words: string) => void;
}

/** Cases of each property in the first pass: as in a plain test run. */
const firstRuns = 3000;
/** ms that a later pass shall take. */
const passMs = 60_000;
/** Fewer cases than this are not worth a pass. */
const fewestRuns = 500;

/** Passes through the property tests, each with a seed of its own, until the time is over. True if all of them passed. */
export async function soakProperties({ seed, msLeft, say }: Soak): Promise<boolean> {
  let cases = 0;
  let runs = firstRuns;
  for (let count = 0; count === 0 || runs >= fewestRuns; count += 1) {
    const pass = { seed: mix(seed, 1, count), runs };
    const { passed, ms, output } = await runPropertyTests(pass);
    if (!passed) {
      say(`${output}\nproperty tests: FAILED. To replay: ${replayOf(pass)}`);
      return false;
    }
    cases += runs;
    say(`property tests: ${number(runs)} cases of each passed in ${duration(ms)} (seed ${pass.seed})`);
    runs = Math.floor((runs / ms) * Math.min(passMs, msLeft()));
  }
  say(`property tests: passed, ${number(cases)} cases of each in all`);
  return true;
}

/** Crash tests, each with a seed of its own, until the time is over; their figures, or null if one failed. */
export async function soakCrashes(
  { seed, msLeft, say }: Soak,
  sandbox: Sandbox,
): Promise<CrashFigures | null> {
  let sum = noFigures();
  for (let count = 0; count === 0 || msLeft() > 0; count += 1) {
    const crashSeed = mix(seed, 2, count);
    const replay = `CRASH_SEED=${crashSeed} npm run test:crash`;
    const started = performance.now();
    try {
      const { clean, figures, words } = await runCrashTest(sandbox, crashSeed, () => msLeft() <= 0);
      if (!clean) {
        say(`${words}\ncrash test: FAILED. To replay: ${replay}`);
        return null;
      }
      sum = sumFigures([sum, figures]);
      const time = duration(performance.now() - started);
      say(`crash test: ${number(figures.kills)} kills survived in ${time} (seed ${crashSeed})`);
    } catch (error) {
      const { message, cause } = error instanceof Error ? error : new Error(String(error));
      say(`${message}: ${String(cause)}\ncrash test: FAILED. To replay: ${replay}`);
      return null;
    }
  }
  return sum;
}
