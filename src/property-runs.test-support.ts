// Setup of the unit tests: PROPERTY_SEED replays property tests with the seed that a failure or a soak run printed.
import { configureGlobal } from 'fast-check';

const { PROPERTY_SEED: seed, PROPERTY_RUNS: wanted, TEST_LENGTH: length } = process.env;
/** ms: reports the smallest failing case found by then, since shrinking could take hours; not for the project `long`. */
const MAX_SHRINKING = 100_000;
configureGlobal({
  ...(seed === undefined ? {} : { seed: Number(seed) }),
  ...(length === 'long' ? {} : { interruptAfterTimeLimit: MAX_SHRINKING }),
});

/** True in the project `long`, which runs all cases; elsewhere, fewer cases are run, which still detect almost every fault. */
export const isLong = length === 'long';

/** The number of cases of a property, given that of the project `long` and the part elsewhere; PROPERTY_RUNS overrides it. */
export function runs(all: number, part = 1 / 5): number {
  return Number(wanted ?? (isLong ? all : Math.ceil(all * part)));
}
