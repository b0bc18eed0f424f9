import type { Sandbox } from '../../sandbox/client.ts';
import { mix } from '../../sandbox/data/random.ts';
import { describeFigures, sumFigures } from '../crash/figures.ts';
import { runCrashTest } from '../crash/run-crash-test.ts';

/** What each kind of soak works with. */
export interface Soak {
  readonly seed: number;
  /** ms until the time is over; not above 0 once it is. */
  readonly msLeft: () => number;
  readonly say: (words: string) => void;
}

/** Crash tests, each with a seed of its own, until the time is over or one fails; false then. */
export async function soakCrashes({ seed, msLeft, say }: Soak, sandbox: Sandbox): Promise<boolean> {
  let sum = sumFigures([]);
  for (let count = 0; count === 0 || msLeft() > 0; count += 1) {
    const crashSeed = mix(seed, 2, count);
    try {
      sum = sumFigures([sum, await runCrashTest(sandbox, crashSeed, () => msLeft() <= 0)]);
    } catch (error) {
      sum.problems.push(`${String(error)}: ${String((error as Error).cause)}`);
    }
    say(`crash test: ${sum.counts.kills} kills in all (seed ${crashSeed})`);
    if (sum.problems.length > 0)
      say(`to replay: CRASH_SEED=${crashSeed} npx vitest run --project long acceptance-tests/stress/crash`);
    if (sum.problems.length > 0) break;
  }
  say(`\n${describeFigures(sum, seed)}`);
  return sum.problems.length === 0;
}
