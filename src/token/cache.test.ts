import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  NONE_ISSUED,
  credentialKey,
  mergedLogs,
  nextIssuance,
  tokenKey,
  withIssuance,
  withRefusal,
} from './cache.ts';
import type { Credentials, IssuanceLog } from './cache.ts';
import { tokenRules } from './rules.ts';

const RULES = tokenRules({ audience: 'AMAPI' });
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 0, 1);

function issuedAt(...times: number[]): IssuanceLog {
  return { times, refusedUntilMs: 0 };
}

describe('when the next token may be requested', () => {
  test.each<[what: string, issued: IssuanceLog, next: number]>([
    ['none issued', NONE_ISSUED, 0],
    ['two within the hour', issuedAt(NOW - 50 * MINUTE, NOW), 0],
    [
      'three within the hour: once the oldest no longer counts, late responses included',
      issuedAt(NOW - 50 * MINUTE, NOW, NOW),
      11 * MINUTE,
    ],
    ['a fourth, logged nevertheless', issuedAt(NOW - 50 * MINUTE, NOW - 40 * MINUTE, NOW, NOW), 21 * MINUTE],
    ['three, one no longer counts', issuedAt(NOW - 61 * MINUTE, NOW, NOW), 0],
    ['three logged by a clock that was ahead', issuedAt(NOW + HOUR, NOW + HOUR, NOW + 9 * HOUR), 0],
    ['three logged by a clock that is seconds ahead', issuedAt(NOW, NOW + 5000, NOW + 9000), 61 * MINUTE],
    ['refused', { times: [], refusedUntilMs: NOW + MINUTE }, MINUTE],
    ['refused according to a clock that was wrong', { times: [], refusedUntilMs: NOW + 99 * HOUR }, 0],
  ])('%s', (_, issued, next) => {
    expect(nextIssuance(issued, RULES, NOW) - NOW).toBe(next);
  });

  test.each<[what: string, issued: IssuanceLog, retryAfterMs: number | undefined, next: number]>([
    ['Retry-After', issuedAt(NOW - 50 * MINUTE), 5000, 5000],
    ['an hour, whatever is known', issuedAt(NOW - 50 * MINUTE, NOW), undefined, HOUR],
    ['an hour, if nothing is known', NONE_ISSUED, undefined, HOUR],
    ['an hour, if a wrong clock logged what is known', issuedAt(NOW + 9 * HOUR), undefined, HOUR],
    ['Retry-After beyond a full window', NONE_ISSUED, 99 * HOUR, 61 * MINUTE],
  ])('after a 429: %s', (_, issued, retryAfterMs, next) => {
    expect(nextIssuance(withRefusal(issued, RULES, retryAfterMs, NOW), RULES, NOW) - NOW).toBe(next);
  });

  test('merged logs contain what either contains', () => {
    const merged = mergedLogs({ times: [1, 3], refusedUntilMs: 9 }, { times: [2, 3], refusedUntilMs: 4 }, 9);
    expect(merged).toStrictEqual({ times: [1, 2, 3], refusedUntilMs: 9 });
  });

  test('issuances of the same ms are counted separately, also in merged logs', () => {
    const twice = withIssuance(withIssuance(NONE_ISSUED, RULES, NOW), RULES, NOW);
    expect(twice.times).toStrictEqual([NOW, NOW + 1]);
    expect(mergedLogs(twice, twice, NOW)).toStrictEqual(twice);
  });
});

test('long logs are merged in linear time', () => {
  const even = Array.from({ length: 3000 }, (_, index) => 2 * index);
  const odd = even.map((time) => time + 1);
  const merged = mergedLogs({ times: even, refusedUntilMs: 0 }, { times: odd, refusedUntilMs: 0 }, 9);
  expect(merged.times).toStrictEqual(Array.from({ length: 6000 }, (_, index) => index));
}, 60_000);

test('requests that the log allows never exceed the limit of any window, however late their responses are', () => {
  const step = fc.record({
    wait: fc.integer({ min: 0, max: 30 * MINUTE }),
    late: fc.integer({ min: 0, max: MINUTE }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let log = NONE_ISSUED;
      let nowMs = NOW;
      const issued: number[] = [];
      for (const { wait, late } of steps) {
        nowMs += wait;
        if (nextIssuance(log, RULES, nowMs) > nowMs) continue;
        log = withIssuance(log, RULES, nowMs);
        issued.push(nowMs + late);
      }
      issued.sort((a, b) => a - b);
      for (const [index, time] of issued.entries())
        expect(time - (issued[index - RULES.issuances] ?? -Infinity)).toBeGreaterThanOrEqual(
          RULES.validityMs,
        );
    }),
  );
});

test('a token is bound to endpoint, client id, secret and scope, its limits to endpoint and client id', () => {
  const own = { authUrl: 'https://auth.example', clientId: 'me', clientSecret: 'secret' };
  const changes: Partial<Credentials>[] = [
    { authUrl: 'https://other' },
    { clientId: 'you' },
    { clientSecret: 'x' },
  ];
  const general = { audience: 'API', scopes: null };
  const keys = [
    ...[{}, ...changes].map((changed) => tokenKey({ ...own, ...changed }, general)),
    tokenKey(own, { audience: 'AMAPI', scopes: null }),
    tokenKey(own, { audience: 'API', scopes: ['AMAPI', 'UMAPI'] }),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  expect(tokenKey(own, { audience: 'API', scopes: ['UMAPI', 'AMAPI'] })).toBe(keys.at(-1));
  expect(new Set(changes.map((changed) => credentialKey({ ...own, ...changed }))).size).toBe(3);
  expect(credentialKey({ ...own, clientSecret: 'x' })).toBe(credentialKey(own));
});
