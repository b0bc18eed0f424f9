import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeScope, expiresAt, isDue, tokenRules, tokenScope, type TokenRules } from './rules.ts';

const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const GENERAL = tokenRules({ audience: 'API' });
const MODULE = tokenRules({ audience: 'AMAPI' });

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function jwt(claims: unknown): string {
  return `${part({ alg: 'RS256' })}.${part(claims)}.signature`;
}

function endOf(
  accessToken: string,
  body: Record<string, unknown>,
  serverTimeMs: number | undefined,
  rules: TokenRules,
): number {
  return expiresAt(body, accessToken, rules, NOW, serverTimeMs);
}

describe('the expiry of a token', () => {
  test.each<[what: string, body: Record<string, unknown>, general: number, module: number]>([
    ['the documented validity in seconds', { expiresIn: 86_400 }, DAY, HOUR],
    ['an hour in seconds', { expiresIn: 3600 }, HOUR, HOUR],
    ['a day in minutes', { expiresIn: 1440 }, DAY, 1440_000],
    ['an hour in minutes', { expiresIn: 60 }, 60_000, HOUR],
    ['a day in hours', { expiresIn: 24 }, DAY, 24_000],
    ['an hour in hours', { expiresIn: 1 }, 1000, HOUR],
    ['a day in milliseconds', { expiresIn: 86_400_000 }, DAY, HOUR],
    ['an hour in milliseconds', { expiresIn: 3_600_000 }, DAY, HOUR],
    ['about an hour in minutes', { expiresIn: 59.98 }, 59_980, 59.98 * 60_000],
    ['almost a day in minutes', { expiresIn: 1439 }, 1439 * 60_000, 1_439_000],
    ['any other number: seconds', { expiresIn: 1800 }, 1_800_000, 1_800_000],
    ['too large: capped', { expiresIn: 1e15 }, DAY, HOUR],
    ['as text', { expiresIn: '1800' }, 1_800_000, 1_800_000],
    ['expires_in', { expires_in: 1800 }, 1_800_000, 1_800_000],
    ['expriesIn', { expriesIn: 1800 }, 1_800_000, 1_800_000],
    ['a first member that is invalid', { expiresIn: 'soon', expires_in: 1800 }, 1_800_000, 1_800_000],
    ['nothing', {}, DAY, HOUR],
    ['0, which is the end', { expiresIn: 0 }, 0, 0],
    ['0 as text', { expires_in: '0' }, 0, 0],
    ['below 0', { expiresIn: -1 }, DAY, HOUR],
    ['null', { expiresIn: null }, DAY, HOUR],
    ['an object', { expiresIn: {} }, DAY, HOUR],
  ])('%s', (_, body, general, module) => {
    expect(endOf('opaque', body, undefined, GENERAL) - NOW).toBe(general);
    expect(endOf('opaque', body, undefined, MODULE) - NOW).toBe(module);
  });

  test.each<[what: string, claims: unknown, serverTimeMs: number | undefined, expected: number]>([
    ['exp', { exp: (NOW + 20 * 60_000) / 1000 }, undefined, 20 * 60_000],
    ['exp comes before expiresIn', { exp: (NOW + 5000) / 1000 }, NOW, 5000],
    ['the local clock is a day fast', { exp: (NOW - DAY + HOUR) / 1000 }, NOW - DAY, HOUR],
    ['the local clock is a day slow', { exp: (NOW + DAY + 60_000) / 1000 }, NOW + DAY, 60_000],
    [
      'no server time: iat instead',
      { exp: (NOW - DAY + 60_000) / 1000, iat: (NOW - DAY) / 1000 },
      undefined,
      60_000,
    ],
    ['exp beyond the documented validity', { exp: (NOW + 9 * DAY) / 1000 }, NOW, DAY],
    ['exp in the past, so a clock is wrong: expiresIn', { exp: NOW / 1000 - 1 }, undefined, 1_800_000],
    ['exp in the past by the server, too: the end', { exp: NOW / 1000 - 1 }, NOW, 0],
    ['exp is now: the end', { exp: NOW / 1000, iat: NOW / 1000 - 3600 }, NOW, 0],
    ['exp in the past, also of a clock a day slow', { exp: (NOW + DAY) / 1000 - 120 }, NOW + DAY, 0],
    ['exp in the past by a clock a day fast alone', { exp: (NOW - DAY) / 1000 + 60 }, NOW - DAY, 60_000],
    ['exp is a duration', { exp: 3600 }, NOW, 1_800_000],
    ['exp is 0', { exp: 0 }, NOW, 1_800_000],
    ['exp is not a number', { exp: 'never' }, NOW, 1_800_000],
    ['no claims', null, NOW, 1_800_000],
  ])('JWT: %s', (_, claims, serverTimeMs, expected) => {
    expect(endOf(jwt(claims), { expiresIn: 1800 }, serverTimeMs, GENERAL) - NOW).toBe(expected);
  });

  test('that of a token in access_token, too, is read', () => {
    const accessToken = jwt({ exp: (NOW + 60_000) / 1000 });
    expect(expiresAt({ access_token: accessToken }, accessToken, GENERAL, NOW, NOW) - NOW).toBe(60_000);
  });

  test.each(['a.b', 'a.b.c', 'a.b.c.d', '..', 'a.bm90IGpzb24.c'])('%s is not a JWT with claims', (token) => {
    expect(endOf(token, { expiresIn: 1800 }, NOW, GENERAL) - NOW).toBe(1_800_000);
  });

  test('a lifetime is never longer than documented, and none only if the response says so', () => {
    const anything = fc.record(
      { expiresIn: fc.jsonValue(), expires_in: fc.jsonValue(), expriesIn: fc.jsonValue() },
      { requiredKeys: [] },
    );
    const claims = fc.record({ exp: fc.jsonValue(), iat: fc.jsonValue() }, { requiredKeys: [] });
    const time = fc.option(fc.integer(), { nil: undefined });
    fc.assert(
      fc.property(anything, claims, time, (body, payload, serverTimeMs) => {
        for (const token of ['opaque', jwt(payload)]) {
          const end = endOf(token, body, serverTimeMs, GENERAL);
          const hasPassed = serverTimeMs !== undefined && token !== 'opaque';
          const isStated = hasPassed || Object.values(body).some((value) => Number(value) === 0);
          if (isStated) expect(end).toBeGreaterThanOrEqual(NOW);
          else expect(end).toBeGreaterThan(NOW);
          expect(end).toBeLessThanOrEqual(NOW + DAY);
        }
      }),
    );
  });
});

test.each([
  ['a day', DAY, DAY - DAY / 10],
  ['an hour', HOUR, HOUR - 6 * 60_000],
  ['five minutes', 300_000, 240_000],
  ['half a minute', 30_000, 15_000],
])('a token with a lifetime of %s is renewed in its last tenth, or in its last minute', (_, life, due) => {
  const token = { issuedAtMs: NOW, endMs: NOW + life };
  expect([isDue(token, NOW + due - 1), isDue(token, NOW + due)]).toStrictEqual([false, true]);
});

test('a token that was issued again is not due before its end', () => {
  const token = { issuedAtMs: NOW, endMs: NOW + 19_000, isReissued: true };
  expect([isDue(token, NOW + 18_999), isDue(token, NOW + 19_000)]).toStrictEqual([false, true]);
});

const SCOPES = ['AMAPI', 'UMAPI'];

test.each<[token: Parameters<typeof tokenScope>[0], place: string, scope: object]>([
  [{ kind: 'general' }, 'assets', { audience: 'API', scopes: null, key: 'token.kind' }],
  [{ kind: 'general' }, 'lists[0]', { audience: 'API', scopes: null, key: 'token.kind' }],
  [{ kind: 'scoped', scopes: SCOPES }, 'assets', { audience: 'API', scopes: SCOPES, key: 'token.scopes' }],
  [{ kind: 'module' }, 'assets', { audience: 'X', scopes: null, key: 'assets.audience' }],
  [{ kind: 'module' }, 'lists[0]', { audience: 'X', scopes: null, key: 'lists[0].audience' }],
])('the token %j for audience X of %s has its audience and scopes', (token, place, scope) => {
  expect(tokenScope(token, 'X', place)).toStrictEqual(scope);
});

test('the description of a scope', () => {
  expect(describeScope({ audience: 'AMAPI', scopes: null })).toBe('"AMAPI"');
  expect(describeScope({ audience: 'API', scopes: ['AMAPI', 'UMAPI'] })).toBe(
    '"API" with the scopes "AMAPI", "UMAPI"',
  );
});
