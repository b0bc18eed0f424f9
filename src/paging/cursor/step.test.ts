import { expect, test } from 'vitest';
import type { Failure } from './list.ts';
import { beginReading, chainFrom, type Chain, type Reading } from './reading.ts';
import { readBy } from './reading.test-support.ts';
import { judge } from './step.ts';

const CURSOR = { after: 'a', sentAtMs: 0 };

/** Judges a failed request of the front, or of a chain ahead of it. */
function judged(
  failure: Failure,
  { cursor, isAhead }: { readonly cursor: Chain['cursor']; readonly isAhead: boolean },
  maxChains: number,
  restartsSinceNews: number,
) {
  const read = { ...readBy(maxChains), createdOf: () => undefined, textOf: () => Buffer.alloc(0) };
  const reading: Reading = { ...beginReading(read), restartsSinceNews };
  const [front] = reading.chains as [Chain];
  const chain = isAhead ? chainFrom(reading, 0n, 'rows', read) : front;
  reading.chains = isAhead ? [front, chain] : [front];
  chain.cursor = cursor;
  try {
    const result = { failure, error: 'its error' };
    const verdict = judge(reading, chain, { chain: chain.number, result }, read);
    return 'refusal' in verdict ? `${verdict.kind}: ${String(verdict.refusal)}` : verdict.kind;
  } catch (error) {
    return `fails: ${String(error)}`;
  }
}

const FIRST = { cursor: null, isAhead: false };
const LATER = { cursor: CURSOR, isAhead: false };
const FIRST_AHEAD = { cursor: null, isAhead: true };
const LATER_AHEAD = { cursor: CURSOR, isAhead: true };

test.each([
  // sent too late: only old
  ['late', LATER, 1, 0, 'lost cursor: null'],
  ['refused', LATER, 1, 9, 'lost cursor: its error'],
  ['refused', LATER_AHEAD, 2, 9, 'lost cursor: its error'],
  // some servers refuse a bound after their newest row
  ['refused', FIRST_AHEAD, 2, 0, 'nothing ahead'],
  ['refused', FIRST, 1, 0, 'fails: its error'],
  ['large', LATER, 1, 0, 'too large'],
  ['broke', LATER, 1, 0, 'lost cursor: its error'],
  // asking again has not helped, so the cursor is not the cause
  ['broke', LATER, 1, 1, 'fails: its error'],
  ['broke', LATER_AHEAD, 3, 2, 'lost cursor: its error'],
  ['broke', LATER_AHEAD, 3, 3, 'fails: its error'],
  ['broke', FIRST, 1, 0, 'fails: its error'],
  ['else', LATER, 1, 0, 'fails: its error'],
  ['else', FIRST_AHEAD, 2, 0, 'fails: its error'],
] as const)(
  '%s, %o, of %i chains after %i starts without a new row: %s',
  (failure, place, maxChains, restarts, verdict) => {
    expect(judged(failure, place, maxChains, restarts)).toBe(verdict);
  },
);
