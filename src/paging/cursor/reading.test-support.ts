import { MAX_INSTANT, MIN_INSTANT } from '../instant.ts';
import { ORDINARY } from './list.ts';
import { NO_STATE } from './model-reads.fake.ts';
import type { Read } from './reading.ts';

/** Returns a read of a whole list, from its beginning. */
export function readBy(maxChains: number): Read {
  return {
    pageSize: 100,
    endlessError: (endless) =>
      new Error(
        'isParallel' in endless && endless.isParallel ? `${endless.cause} in parallel` : endless.cause,
      ),
    failureOf: () => 'else',
    start: MIN_INSTANT,
    startFormat: null,
    end: MAX_INSTANT,
    signal: new AbortController().signal,
    from: NO_STATE,
    lookback: 300_000_000_000n,
    maxChains,
    maxRows: Infinity,
    tuning: ORDINARY,
    say: async () => {},
  };
}
