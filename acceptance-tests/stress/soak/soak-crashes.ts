import { noFigures, sumFigures } from '../crash/crash-figures.ts';
import type { CrashFigures } from '../crash/crash-figures.ts';
import { runCrashTest } from '../crash/run-crash-test.ts';
import { duration, number } from '../../demo/page.ts';
import type { Sandbox } from '../../sandbox/client.ts';
import { mix } from '../../sandbox/data/random.ts';

/** What each kind of soak works with. */
export interface Soak {
  readonly seed: number;
  /** ms until the time is over; not above 0 once it is. */
  readonly msLeft: () => number;
  readonly say: (words: string) => void;
}

/** Crash tests, each with a seed of its own, until the time is over; their figures, or null if one failed. */
export async function soakCrashes(
  { seed, msLeft, say }: Soak,
  sandbox: Sandbox,
): Promise<CrashFigures | null> {
  let sum = noFigures();
  for (let count = 0; count === 0 || msLeft() > 0; count += 1) {
    const crashSeed = mix(seed, 2, count);
    const replay = `CRASH_SEED=${crashSeed} npx vitest run --project long acceptance-tests/stress/crash`;
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
