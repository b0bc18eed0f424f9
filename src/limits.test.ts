import { describe, expect, test } from 'vitest';

import * as limits from './limits.ts';
import { tokenRules } from './token/rules.ts';

type Widened<T> = {
  readonly [K in keyof T]: T[K] extends number ? number : T[K] extends object ? Widened<T[K]> : T[K];
};
type Limits = Widened<typeof limits>;

const MODULE = tokenRules({ audience: 'AMAPI', scopes: null });
/** Bytes that WebAssembly can address with the signed numbers of the scanner. */
const SCANNER_BYTES = 2 ** 31;
/** Characters of a request's head that servers take at least. */
const REQUEST_HEAD = 8 * 1024;

/** Characters of a fingerprint, and bytes of an open range in a state, its cursor apart. */
const FINGERPRINT = 16;
const RANGE = 400;

/** What one limit takes for granted of others, in words. */
function rules({
  READ_BUDGET,
  INTERACTIVE_BUDGET,
  BACKOFF,
  LOCK,
  TOKEN,
  PAGE,
  QUOTED,
  CURSOR_STATE,
  ...more
}: Limits): Record<string, boolean> {
  const deadlineMs = Math.max(READ_BUDGET.deadlineMs, INTERACTIVE_BUDGET.deadlineMs);
  const slowDiskMs = 10_000;
  return {
    'a lock outlasts the request it is held for': LOCK.staleMs >= deadlineMs + slowDiskMs,
    'a tombstone is lost before its lock is given up':
      LOCK.staleMs + LOCK.tombstoneStaleMs + 4 * LOCK.pollMs < LOCK.maxWaitMs,
    'a tombstone outlasts a pause of its process': LOCK.tombstoneStaleMs >= slowDiskMs,
    'an issuance counts as long as its request may issue it': TOKEN.latestIssueMs >= deadlineMs,
    'a request that leaves with a token is answered before its end': TOKEN.marginMs >= deadlineMs,
    'a renewal that failed is tried again while the old token lives': TOKEN.renewAgainMs < TOKEN.marginMs,
    'a token lives much longer than its margins': MODULE.validityMs >= 10 * TOKEN.marginMs,
    'a token that is fresh is not due': TOKEN.freshMs < MODULE.validityMs - 2 * TOKEN.marginMs,
    'a refusal is remembered longer than the token of a module lives': TOKEN.refusedMs > MODULE.validityMs,
    'a request that may issue a token is not sent more often than others':
      TOKEN.attemptsThatMayIssue <= TOKEN.attempts && TOKEN.attemptsThatMayIssue < MODULE.issuances,
    'a wait for the issuance limit is longer than the waits between two attempts':
      TOKEN.maxBackoffMs < READ_BUDGET.tokenWaitMs,
    'a request of a check is answered within a minute':
      INTERACTIVE_BUDGET.lastStartMs + INTERACTIVE_BUDGET.deadlineMs <= 60_000 &&
      INTERACTIVE_BUDGET.tokenWaitMs <= 60_000,
    'a check is not more patient than a read':
      INTERACTIVE_BUDGET.attempts < READ_BUDGET.attempts &&
      INTERACTIVE_BUDGET.deadlineMs <= READ_BUDGET.deadlineMs &&
      INTERACTIVE_BUDGET.rateLimitMs < READ_BUDGET.rateLimitMs,
    'a rate limit outlasts the wait for the next full minute':
      READ_BUDGET.rateLimitMs > 2 * BACKOFF.maxRateLimitMs,
    'the waits between attempts fit into the patience for one': BACKOFF.maxMs < READ_BUDGET.rateLimitMs,
    'the window of the limiter is not shorter than a minute': more.LIMITER_WINDOW_MS >= 60_000,
    'silence is broken before a platform ends the process, and before the longest wait is over':
      more.SILENCE_MS <= 5 * 60_000 && more.SILENCE_MS < READ_BUDGET.rateLimitMs,
    'a wait is told before silence is broken': more.WAIT_REPORT_MS < more.SILENCE_MS,
    'an attempt that hangs is over before silence is broken': deadlineMs < more.SILENCE_MS,
    'states are not further apart than may be asked for': more.STATE_SECONDS.usual <= more.STATE_SECONDS.most,
    'the scanner can address a page, its nesting and its places': 5 * PAGE.maxBytes < SCANNER_BYTES,
    'the rows of a page take no more than twice its size in memory': PAGE.maxItems * 128 <= 2 * PAGE.maxBytes,
    'a pagination object has room for any cursor that a request can carry':
      PAGE.maxPaginationBytes >= 8 * REQUEST_HEAD && PAGE.maxPaginationBytes < PAGE.maxBytes,
    'a state of alarms stays below 256 KB':
      CURSOR_STATE.maxSeen * (FINGERPRINT + 3) +
        CURSOR_STATE.maxCursorBytes +
        CURSOR_STATE.maxRanges * RANGE <
      256 * 1000,
    'a cursor that is kept fits into a request, and into a state beside others':
      CURSOR_STATE.maxCursorLength <= REQUEST_HEAD &&
      4 * CURSOR_STATE.maxCursorLength < CURSOR_STATE.maxCursorBytes,
    'what is asked for ahead is no more than one page of the greatest size':
      PAGE.maxAheadBytes <= PAGE.maxBytes,
    'what is decoded has room for what is quoted': QUOTED.decodedBytes >= 4 * QUOTED.chars,
  };
}

function broken(changed: Limits): string[] {
  return Object.entries(rules(changed)).flatMap(([words, holds]) => (holds ? [] : [words]));
}

test('every limit holds what the others rest on', () => {
  expect(broken(limits)).toStrictEqual([]);
});

describe('one limit that is changed alone breaks another', () => {
  const { READ_BUDGET, INTERACTIVE_BUDGET, LOCK, TOKEN, PAGE } = limits;
  test.each<[what: string, changed: Partial<Limits>, words: RegExp]>([
    ['a deadline of 300 s', { READ_BUDGET: { ...READ_BUDGET, deadlineMs: 300_000 } }, /^a lock outlasts/],
    ['a deadline of 300 s', { READ_BUDGET: { ...READ_BUDGET, deadlineMs: 300_000 } }, /^an issuance counts/],
    [
      'a deadline of 300 s',
      { READ_BUDGET: { ...READ_BUDGET, deadlineMs: 300_000 } },
      /is answered before its end/,
    ],
    ['a deadline of 300 s', { READ_BUDGET: { ...READ_BUDGET, deadlineMs: 300_000 } }, /over before silence/],
    [
      'a check that waits 90 s',
      { INTERACTIVE_BUDGET: { ...INTERACTIVE_BUDGET, deadlineMs: 90_000 } },
      /^a lock outlasts/,
    ],
    ['a lock of a minute', { LOCK: { ...LOCK, staleMs: 60_000 } }, /^a lock outlasts/],
    ['less patience with a lock', { LOCK: { ...LOCK, maxWaitMs: 80_000 } }, /^a tombstone is lost/],
    ['a narrow margin', { TOKEN: { ...TOKEN, marginMs: 20_000 } }, /tried again while the old token lives/],
    ['a wide margin', { TOKEN: { ...TOKEN, marginMs: 1_200_000 } }, /^a token lives much longer/],
    ['longer silence', { SILENCE_MS: 600_000 }, /^silence is broken/],
    ['larger pages', { PAGE: { ...PAGE, maxBytes: 2 ** 29 } }, /^the scanner can address/],
    ['more rows', { PAGE: { ...PAGE, maxItems: 8_000_000 } }, /^the rows of a page/],
  ])('%s', (_, changed, words) => {
    expect(broken({ ...limits, ...changed }).join('\n')).toMatch(new RegExp(words, 'm'));
  });
});
