import { expect, test } from 'vitest';
import { GENERAL, createHarness } from './harness.test-support.ts';

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
