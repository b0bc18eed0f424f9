import { describe, expect, test } from 'vitest';
import * as limits from './limits.ts';
import { tokenRules } from './token/rules.ts';

type Widened<T> = {
  readonly [K in keyof T]: T[K] extends number ? number : T[K] extends object ? Widened<T[K]> : T[K];
};
type Limits = Widened<typeof limits>;

const MODULE = tokenRules({ audience: 'AMAPI' });
const SCANNER_BYTES = 2 ** 31; // bytes that the signed 32-bit positions of the scanner can address
const REQUEST_HEAD = 8 * 1024; // minimum size of request headers that servers accept

const SEEN_ROW = 24; // bytes of a row in a state: its fingerprint, a second since 1970, quotes and a comma
const MORE_STATE = 2000; // and of its other members

/** What one limit assumes about others. */
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
    'a lock becomes stale before the wait for it ends': LOCK.staleMs + deadlineMs < LOCK.maxWaitMs,
    'an issuance counts as long as its request may cause it': TOKEN.latestIssueMs >= deadlineMs,
    'a request in flight completes before its token expires': TOKEN.marginMs >= deadlineMs,
    'a failed renewal is retried while the old token is alive': TOKEN.renewAgainMs < TOKEN.marginMs,
    'a token lives much longer than its margins': MODULE.validityMs >= 10 * TOKEN.marginMs,
    'a fresh token is not due': TOKEN.freshMs < MODULE.validityMs - 2 * TOKEN.marginMs,
    'a refusal is remembered longer than a module token lives': TOKEN.refusedMs > MODULE.validityMs,
    'requests that may have issued a token leave one within the limit': TOKEN.maxCut < MODULE.issuances,
    'a request that may have issued a token is followed by another within the patience of a read':
      TOKEN.cutWaitMs <= READ_BUDGET.firstFailureMs,
    'the maximum wait for the issuance limit exceeds the waits between attempts':
      TOKEN.maxLimitMs < READ_BUDGET.tokenWaitMs,
    'a person waits half a minute for a service that is down, and a minute and a half at most':
      INTERACTIVE_BUDGET.failureMs + 2 * INTERACTIVE_BUDGET.deadlineMs <= 90_000 &&
      INTERACTIVE_BUDGET.tokenWaitMs <= 60_000,
    'a check does not retry longer than a read':
      INTERACTIVE_BUDGET.failureMs <= READ_BUDGET.firstFailureMs &&
      READ_BUDGET.firstFailureMs <= READ_BUDGET.failureMs &&
      INTERACTIVE_BUDGET.deadlineMs <= READ_BUDGET.deadlineMs &&
      INTERACTIVE_BUDGET.rateLimitMs < READ_BUDGET.rateLimitMs,
    'a rate limit can be waited out until the next full minute':
      READ_BUDGET.rateLimitMs > 2 * BACKOFF.maxRateLimitMs,
    'several attempts are made in every outage that is waited out':
      2 * BACKOFF.maxMs <= READ_BUDGET.firstFailureMs && BACKOFF.maxMs <= INTERACTIVE_BUDGET.failureMs,
    'a cursor is given up long before its list': 2 * more.BROKEN_CURSOR_MS <= READ_BUDGET.firstFailureMs,
    'the window of the limiter is not shorter than a minute': more.LIMITER_WINDOW_MS >= 60_000,
    'a state is written before a platform stops a silent process, and before the longest wait ends':
      more.SILENCE_MS <= 5 * 60_000 && more.SILENCE_MS < READ_BUDGET.rateLimitMs,
    'a wait is reported before a state is written': more.WAIT_REPORT_MS < more.SILENCE_MS,
    'an attempt that hangs ends before a state is written': deadlineMs < more.SILENCE_MS,
    'the default interval of states is allowed': more.STATE_SECONDS.default <= more.STATE_SECONDS.max,
    'the scanner can address a page, its nesting and its table': 5 * PAGE.maxBytes < SCANNER_BYTES,
    'the rows of a page take no more than twice its size in memory': PAGE.maxItems * 128 <= 2 * PAGE.maxBytes,
    'a pagination object has room for any cursor that a request can carry':
      PAGE.maxPaginationBytes >= 8 * REQUEST_HEAD && PAGE.maxPaginationBytes < PAGE.maxBytes,
    'a state of alarms stays below 256 KB': CURSOR_STATE.maxSeen * SEEN_ROW + MORE_STATE < 256 * 1000,
    'a state of alarms has room for the rows received last': CURSOR_STATE.lastReceived < CURSOR_STATE.maxSeen,
    'prefetched pages take no more memory than one page of the maximum size':
      PAGE.maxAheadBytes <= PAGE.maxBytes,
    'the decoded part of a body is larger than the quoted part': QUOTED.decodedBytes >= 4 * QUOTED.chars,
  };
}

function broken(changed: Limits): string[] {
  return Object.entries(rules(changed)).flatMap(([message, holds]) => (holds ? [] : [message]));
}

test('the limits are consistent', () => {
  expect(broken(limits)).toStrictEqual([]);
});

describe('a limit that is changed alone breaks another', () => {
  const { READ_BUDGET, INTERACTIVE_BUDGET, LOCK, TOKEN, PAGE } = limits;
  test.each<[what: string, changed: Partial<Limits>, message: RegExp]>([
    ['a deadline of 300 s', { READ_BUDGET: { ...READ_BUDGET, deadlineMs: 300_000 } }, /^a lock outlasts/],
    ['a deadline of 300 s', { READ_BUDGET: { ...READ_BUDGET, deadlineMs: 300_000 } }, /^an issuance counts/],
    [
      'a deadline of 300 s',
      { READ_BUDGET: { ...READ_BUDGET, deadlineMs: 300_000 } },
      /in flight completes before/,
    ],
    ['a deadline of 300 s', { READ_BUDGET: { ...READ_BUDGET, deadlineMs: 300_000 } }, /hangs ends before/],
    [
      'a check that waits 90 s',
      { INTERACTIVE_BUDGET: { ...INTERACTIVE_BUDGET, deadlineMs: 90_000 } },
      /^a lock outlasts/,
    ],
    ['a lock of a minute', { LOCK: { ...LOCK, staleMs: 60_000 } }, /^a lock outlasts/],
    ['a shorter wait for a lock', { LOCK: { ...LOCK, maxWaitMs: 80_000 } }, /^a lock becomes stale/],
    ['a narrow margin', { TOKEN: { ...TOKEN, marginMs: 20_000 } }, /retried while the old token is alive/],
    ['a wide margin', { TOKEN: { ...TOKEN, marginMs: 1_200_000 } }, /^a token lives much longer/],
    ['longer silence', { SILENCE_MS: 600_000 }, /^a state is written before/],
    ['larger pages', { PAGE: { ...PAGE, maxBytes: 2 ** 29 } }, /^the scanner can address/],
    ['more rows', { PAGE: { ...PAGE, maxItems: 8_000_000 } }, /^the rows of a page/],
  ])('%s', (_, changed, message) => {
    expect(broken({ ...limits, ...changed }).join('\n')).toMatch(new RegExp(message, 'm'));
  });
});
