import { describe, expect, test } from 'vitest';
import type { CursorPage, Failure } from './list.ts';
import { FORMAT } from './model-server.fake.ts';
import { DAY, type Instant } from '../instant.ts';
import { beginReading, chainFrom, type Chain, type Reading } from './reading.ts';
import { readBy } from './reading.test-support.ts';
import { judge, noteProbe } from './step.ts';

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

/** A page of rows that are created times. */
function page(rows: readonly Instant[], next: string | null): CursorPage<Instant> {
  return { rows, next, time: 0n, sentAtMs: 0, receivedAtMs: 0 };
}

const createdOf = (instant: Instant) => ({ instant, format: FORMAT });

describe('a server that is asked for rows of the future', () => {
  const probed = 100n * DAY;

  test.each<[string, boolean | null, CursorPage<Instant> | null]>([
    ['ignores createdSince if it returns earlier rows', true, page([probed - DAY], null)],
    ['ignores it even if one row is earlier', true, page([probed, probed - DAY], 'next')],
    ['knows it if it returns such rows, whose clock is ahead', false, page([probed, probed + DAY], null)],
    ['knows it if it returns no row', false, page([], null)],
    ['knows it if it refuses that', false, null],
    ['does not tell if its page is empty but another one follows', null, page([], 'next')],
    ['tells with one row that another one follows', true, page([probed - DAY], 'next')],
  ])('%s', (_, isBoundIgnored, answer) => {
    const read = readBy(3);
    const reading = beginReading(read);
    reading.chains.push(chainFrom(reading, 0n, 'rows', read), chainFrom(reading, 1n, 'rows', read));
    const event = noteProbe(reading, probed, answer, { createdOf });
    expect(reading.isBoundIgnored).toBe(isBoundIgnored);
    expect(event).toEqual(isBoundIgnored === true ? { kind: 'bound ignored' } : null);
    // then chains ahead would read the whole list
    expect(reading.chains).toHaveLength(isBoundIgnored === true ? 1 : 3);
  });
});
