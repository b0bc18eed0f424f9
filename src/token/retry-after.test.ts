import { expect, test } from 'vitest';
import { transientError } from '../errors.ts';
import type { TokenDeps } from './acquire.ts';
import { GENERAL, MODULE, createHarness } from './harness.test-support.ts';

test('a token request is repeated after the wait that the endpoint asks for', async () => {
  const { start, clock } = createHarness();
  const { getToken, waits } = start({ outcomes: ['busy'] });
  const startedMs = clock.now();
  expect(await getToken(GENERAL)).toBe('API-1');
  expect(clock.now() - startedMs).toBeGreaterThan(90_000);
  expect(waits).toMatchObject([{ isRateLimited: false, waitMs: 90_000 }]);
});

test('a token request fails if the endpoint asks for a longer wait than the budget allows', async () => {
  const { start, endpoint } = createHarness();
  await expect(start({ outcomes: ['busy for an hour'] }).getToken(GENERAL)).rejects.toThrow(
    /^auth_url: no answer\. The endpoint asks to wait until 2026-01-01T01:00:0\dZ\.$/,
  );
  expect(endpoint.requests()).toBe(1);
});

test.each([
  [0, 'The endpoint asks for no wait, so the next run requests a token at once.'],
  [7000, /The next token can be requested at 2026-01-01T00:\d\d:\d\dZ \(in 7 s\)\./],
])(
  'after a limit with a wait of %d ms, the message says when the next run requests a token',
  async (ms, said) => {
    const { start, clock } = createHarness();
    const error = transientError('TOKEN_LIMIT', 'auth_url: 429.', null);
    const requests: number[] = [];
    const request: TokenDeps['request'] = async () => {
      requests.push(clock.now());
      return { kind: 'limited', error, retryAfterMs: ms };
    };
    await expect(start({ request }).getToken(MODULE)).rejects.toThrow(said);
    const endMs = clock.now();
    const known = requests.length;
    await start({ request })
      .getToken(MODULE)
      .catch(() => undefined);
    expect(requests[known]).toBeLessThanOrEqual(endMs + ms + 1000);
  },
);
