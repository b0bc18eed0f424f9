import { describe, expect, test } from 'vitest';
import { GENERAL, HOUR, MINUTE, MODULE, createHarness } from './harness.test-support.ts';
import type { Outcome } from './token-endpoint.fake.ts';

describe('renewal', () => {
  test.each([
    ['a tenth before the end of a module token', MODULE, 53 * MINUTE, 55 * MINUTE],
    ['a tenth before the end of a general token', GENERAL, 21 * HOUR, 22 * HOUR],
  ])('%s', async (_, scope, still, due) => {
    const { start, pass } = createHarness();
    const { getToken } = start({});
    const first = await getToken(scope);
    await pass(still);
    expect(await getToken(scope)).toBe(first);
    await pass(due - still);
    expect(await getToken(scope)).not.toBe(first);
  });

  test('if the endpoint issues the same token again, it is used with its new dates, and the platform learns them', async () => {
    const { start, clock, pass, endpoint } = createHarness();
    let calls = 0;
    const now = (): number => {
      if (++calls > 1000) throw new Error('the provider never returns');
      return clock.now();
    };
    const { getToken, announced, logged } = start({ outcomes: ['fine', 'same token'], announces: true, now });
    const first = await getToken(GENERAL);
    await pass(22 * HOUR);
    expect(await getToken(GENERAL)).toBe(first);
    expect(await getToken(GENERAL)).toBe(first);
    expect(endpoint.requests()).toBe(2);
    const dates = announced.map(({ tokens }) => Object.values(tokens).map(({ issuedAtMs }) => issuedAtMs));
    expect(new Set(dates.flat()).size).toBe(2);
    expect(logged).toHaveLength(2);
    await pass(2 * HOUR);
    expect(await getToken(GENERAL)).not.toBe(first);
  });

  test('after a failed renewal, the token is used while it is valid, and the renewal is retried', async () => {
    const { start, pass, endpoint } = createHarness();
    const { getToken, waits } = start({
      outcomes: ['fine', 'unavailable', 'response lost', 'unavailable', 'fine'],
    });
    const first = await getToken(MODULE);
    await pass(55 * MINUTE);
    for (let minute = 0; minute < 3; minute++) {
      expect(await getToken(MODULE)).toBe(first);
      expect(await getToken(MODULE)).toBe(first);
      await pass(MINUTE);
    }
    expect(await getToken(MODULE)).toBe('AMAPI-3');
    expect(endpoint.requests()).toBe(5);
    expect(waits).toStrictEqual([]);
  });

  test('after two renewals that were cut, the token is used to its end', async () => {
    const { start, pass, endpoint } = createHarness();
    const { getToken } = start({ outcomes: ['fine', 'response lost', 'response lost'] });
    const first = await getToken(GENERAL);
    await pass(22 * HOUR);
    for (let minute = 0; minute < 110; minute++) {
      expect(await getToken(GENERAL)).toBe(first);
      await pass(MINUTE);
    }
    expect(endpoint.requests()).toBe(3);
    await pass(10 * MINUTE);
    expect(await getToken(GENERAL)).toBe('API-4');
  });

  test.each<[outcome: Outcome, next: string]>([
    // it may have issued a token
    ['unreadable', 'AMAPI-3'],
    // repeating it could lock the account; the secret may have been rotated in the meantime
    ['refused', 'AMAPI-2'],
  ])('a renewal is sent once if it is %s, and the old token is used to its end', async (outcome, next) => {
    const { start, pass, endpoint } = createHarness();
    const { getToken } = start({ outcomes: ['fine', outcome] });
    const first = await getToken(MODULE);
    await pass(54 * MINUTE);
    for (let minute = 54; minute < 60; minute++) {
      expect(await getToken(MODULE)).toBe(first);
      await pass(MINUTE);
    }
    expect(endpoint.requests()).toBe(2);
    expect(await getToken(MODULE)).toBe(next);
  });

  test.each<Outcome>(['response lost', 'unreadable'])(
    'requests that may have issued a token count, also those before the token ended: %s',
    async (outcome) => {
      const { start, pass, endpoint } = createHarness();
      const { getToken } = start({ outcomes: ['fine', outcome, outcome] });
      await getToken(GENERAL);
      await pass(22 * HOUR);
      await getToken(GENERAL);
      await pass(3 * HOUR);
      await expect(getToken(GENERAL)).rejects.toThrow('auth_url: no');
      expect(endpoint.requests()).toBe(3);
    },
  );

  test('a renewal that fails is a warning with its reason, once for each', async () => {
    const { start, pass } = createHarness();
    const { getToken, warned } = start({
      outcomes: ['fine', 'unavailable', 'unavailable', 'response lost', 'refused'],
    });
    await getToken(MODULE);
    expect(warned).toStrictEqual([]);
    await pass(54 * MINUTE);
    for (let minute = 54; minute < 60; minute++) {
      await getToken(MODULE);
      await pass(MINUTE);
    }
    const lead =
      'the token for audience "AMAPI" could not be renewed, and is used until it ends at 2026-01-01T01:00:00Z';
    expect(warned).toStrictEqual([`${lead}: auth_url: no answer.`, `${lead}: auth_url: no.`]);
    // once it has ended, the failure itself is told
    expect(await getToken(MODULE)).toBe('AMAPI-3');
    expect(warned).toHaveLength(2);
  });

  test('a cached token that is due is used while the limit allows no other', async () => {
    const { start, pass } = createHarness();
    await start({ outcomes: ['response lost', 'response lost'] })
      .getToken(MODULE)
      .catch(() => undefined);
    await pass(5 * MINUTE);
    expect(await start({}).getToken(MODULE)).toBe('AMAPI-3');
    await pass(54 * MINUTE);
    // three within the hour: they count until 61 minutes have passed
    expect(await start({}).getToken(MODULE)).toBe('AMAPI-3');
  });
});
