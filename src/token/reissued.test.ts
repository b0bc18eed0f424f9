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
      return { kind: 'issued' as const, token };
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
      return { kind: 'issued', token: { ...token, accessToken: `token-${++requests}` } };
    },
  });
  const error: unknown = await getToken(MODULE).catch((reason: unknown) => reason);
  expect(isConnectorError(error, 'API_UNAVAILABLE')).toBe(true);
  expect((error as Error).message).toBe(
    'auth_url: the token endpoint returned a token that has already ended (expiresIn 0) for client_id "me", audience "AMAPI" (assets.audience). Try again later.',
  );
  expect(requests).toBe(2);
});
