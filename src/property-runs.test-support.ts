// Setup of the unit tests: PROPERTY_SEED replays property tests with the seed that a failure or a soak run printed.
import { configureGlobal } from 'fast-check';

const { PROPERTY_SEED: seed, PROPERTY_RUNS: wanted, TEST_LENGTH: length } = process.env;
if (seed !== undefined) configureGlobal({ seed: Number(seed) });

/** True in the project `long`, which tries all cases that are worth it; elsewhere so many that a fault hardly slips through. */
export const isLong = length === 'long';

/** How many cases a property is tried on, of those that are worth it; PROPERTY_RUNS says otherwise. */
export function runs(all: number): number {
  return Number(wanted ?? (isLong ? all : Math.ceil(all / 3)));
}
