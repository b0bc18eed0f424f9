import { expect, test } from 'vitest';
import { isConnectorError } from '../errors.ts';
import { HOUR, MODULE, createHarness } from './harness.test-support.ts';
import { expiresAt, tokenRules } from './rules.ts';

const SECOND = 1000;

/** A token endpoint that returns one token until it ends, with the whole seconds that are left, and then issues the next. */
function cachingEndpoint(now: () => number, leftMs: number, lifeMs: number) {
  let issued = 1;
  let endMs = now() + leftMs;
  let requests = 0;
  return {
    requests: () => requests,
    issued: () => issued,
    request: async () => {
      requests++;
      if (now() >= endMs) {
        issued++;
        endMs = now() + lifeMs;
      }
      const body = { expiresIn: Math.floor((endMs - now()) / SECOND) };
      const accessToken = `token-${issued}`;
      const token = {
        accessToken,
        tokenType: null,
        issuedAtMs: now(),
        endMs: expiresAt(body, accessToken, tokenRules(MODULE), now()),
        refusedAtMs: {},
      };
      return { kind: 'issued' as const, token, hasEnded: token.endMs <= now() };
    },
  };
}

// 1 would be the documented hour
test.each([19, 19.5, 9, 4, 2, 0.4])(
  'an endpoint that returns its cached token with %d s left is asked once more, and then for the next',
  async (left) => {
    const { start, pass, clock, store } = createHarness();
    const endpoint = cachingEndpoint(clock.now, left * SECOND, HOUR);
    const { getToken } = start({ request: endpoint.request });
    const used = new Set<string>();
    for (let turn = 0; turn < 30 * 4; turn++) {
      used.add(await getToken(MODULE));
      await pass(SECOND / 4);
    }
    expect([...used].at(-1)).toBe('token-2');
    expect(endpoint.requests()).toBeLessThanOrEqual(4);
    // as many as were issued
    const log = Object.values((await store.read()).issuances).flatMap(({ times }) => times);
    expect(log.length).toBeLessThanOrEqual(2);
  },
);

test('a token that is returned again is used by later processes too, without another request', async () => {
  const { start, pass, clock } = createHarness();
  const endpoint = cachingEndpoint(clock.now, HOUR, HOUR);
  await start({ request: endpoint.request }).getToken(MODULE);
  await pass(55 * 60 * SECOND);
  for (let process = 0; process < 4; process++) {
    expect(await start({ request: endpoint.request }).getToken(MODULE)).toBe('token-1');
    await pass(60 * SECOND);
  }
  expect(endpoint.requests()).toBe(2);
  await pass(60 * SECOND);
  expect(await start({ request: endpoint.request }).getToken(MODULE)).toBe('token-2');
  expect([endpoint.requests(), endpoint.issued()]).toStrictEqual([3, 2]);
});

test('new tokens without any validity are requested twice, because each may cost an issuance', async () => {
  const { start, clock } = createHarness();
  let requests = 0;
  const { getToken } = start({
    request: async () => {
      const token = { tokenType: null, issuedAtMs: clock.now(), endMs: clock.now(), refusedAtMs: {} };
      return { kind: 'issued', token: { ...token, accessToken: `token-${++requests}` }, hasEnded: true };
    },
  });
  const error: unknown = await getToken(MODULE).catch((reason: unknown) => reason);
  expect(isConnectorError(error, 'API_UNAVAILABLE')).toBe(true);
  expect((error as Error).message).toBe(
    'auth_url: the token endpoint returned a token that has already ended (expiresIn 0) for client_id "me", audience "AMAPI" (assets.audience). Try again later.',
  );
  expect(requests).toBe(2);
});

test('a token that ends before it can be used has not been without validity: the next one is requested', async () => {
  const { start, clock, endpoint } = createHarness();
  let requests = 0;
  const { getToken, waits } = start({
    request: async (scope, _, until) => {
      const outcome = await endpoint.request(scope, 'fine', 100, until);
      // as long as nobody reads what is written about it
      if (++requests < 3) await clock.sleep(90 * 60 * SECOND, until);
      return outcome;
    },
  });
  expect(await getToken(MODULE)).toBe('AMAPI-3');
  expect(waits).toStrictEqual([]);
});

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (endMs: number): string => `${part({ alg: 'RS256' })}.${part({ exp: endMs / SECOND })}.c2ln`;

/** A process whose token endpoint returns JWTs that end so long after they are requested, the last one from then on. */
function startWith(lives: readonly number[]) {
  const { start, clock } = createHarness();
  const requested: number[] = [];
  const request = async () => {
    const life = lives[Math.min(requested.length, lives.length - 1)] ?? 0;
    const accessToken = jwt(clock.now() + life);
    const [issuedAtMs, rules] = [clock.now(), tokenRules(MODULE)];
    const endMs = expiresAt({ expiresIn: 3600 }, accessToken, rules, issuedAtMs, issuedAtMs);
    requested.push(issuedAtMs);
    return {
      kind: 'issued' as const,
      token: { accessToken, tokenType: null, issuedAtMs, endMs, refusedAtMs: {} },
      hasEnded: endMs <= clock.now(),
    };
  };
  return { ...start({ request }), requested };
}

test('a token whose exp has passed is not used: another one is requested a second later', async () => {
  const { getToken, requested } = startWith([-120 * SECOND, HOUR]);
  const firstMs = Date.UTC(2026, 0, 1);
  expect(await getToken(MODULE)).toBe(jwt(firstMs + SECOND + HOUR));
  expect(requested).toStrictEqual([firstMs, firstMs + SECOND]);
});

test('an endpoint that returns no other tokens than such fails with their exp', async () => {
  const { getToken, requested } = startWith([-120 * SECOND]);
  await expect(getToken(MODULE)).rejects.toThrow(
    'a token that has already ended (its exp is 2025-12-31T23:58:01Z) for client_id "me"',
  );
  expect(requested).toHaveLength(2);
});
