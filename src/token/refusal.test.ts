import { describe, expect, test } from 'vitest';

import { GENERAL, HOUR, MINUTE, createHarness, signal } from './harness.test-support.ts';
import type { Refusal } from './provider.ts';

function refusal(token: string, wasAccepted: boolean, isRepeated: boolean): Refusal {
  return { token, wasAccepted, isRepeated };
}

describe('a token that the API refuses', () => {
  test.each<[what: string, ageMs: number, isKept: boolean, wasAccepted: boolean, verdicts: string[]]>([
    ['asked for by this process, never accepted', 1000, false, false, ['believe', 'believe']],
    ['asked for by this process long ago, never accepted', 5 * MINUTE, false, false, ['believe', 'believe']],
    ['asked for by this process, accepted before', 1000, false, true, ['repeat', 'renew']],
    ['asked for by another process a moment ago', 1000, true, false, ['repeat', 'renew']],
    ['asked for by another process long ago', 5 * MINUTE, true, false, ['repeat', 'renew']],
    ['kept and accepted before', 5 * MINUTE, true, true, ['repeat', 'renew']],
  ])('%s', async (_, ageMs, isKept, wasAccepted, verdicts) => {
    const { start, pass, endpoint } = createHarness();
    const first = start({});
    const token = await first.bearer(GENERAL);
    await pass(ageMs);
    const { tokens, bearer } = isKept ? start({}) : first;
    await bearer(GENERAL);
    for (const [times, verdict] of verdicts.entries()) {
      expect(await bearer(GENERAL)).toBe(token);
      expect(await tokens('assets', GENERAL).refused(refusal(token, wasAccepted, times > 0), signal)).toBe(
        verdict,
      );
    }
    expect(await bearer(GENERAL)).toBe(verdicts.at(-1) === 'renew' ? 'API-2' : 'API-1');
    expect(endpoint.requests()).toBe(verdicts.at(-1) === 'renew' ? 2 : 1);
  });

  test('one refusal of each of many requests burns nothing, however often it happens', async () => {
    const { start, endpoint } = createHarness();
    const { tokens, bearer } = start({});
    const token = await bearer(GENERAL);
    for (let times = 0; times < 20; times++)
      expect(await tokens('assets', GENERAL).refused(refusal(token, true, false), signal)).toBe('repeat');
    expect(await bearer(GENERAL)).toBe(token);
    expect(endpoint.requests()).toBe(1);
  });

  test('however many requests it meets, one new one is asked for; the next refusal in a row is believed', async () => {
    const { start, endpoint, clock } = createHarness();
    const { tokens, bearer } = start({});
    const token = await bearer(GENERAL);
    const answers = Array.from({ length: 16 }, async () => {
      const verdict = await tokens('assets', GENERAL).refused(refusal(token, true, true), signal);
      return [verdict, await tokens('assets', GENERAL).bearer({ signal, onWait: async () => undefined })];
    });
    for (const answer of await clock.run(Promise.all(answers)))
      expect(answer).toStrictEqual(['renew', 'API-2']);
    expect(await tokens('assets', GENERAL).refused(refusal('API-2', false, false), signal)).toBe('believe');
    expect(await tokens('assets', GENERAL).refused(refusal('API-2', true, true), signal)).toBe('believe');
    expect(endpoint.requests()).toBe(2);
  });

  test('a failure that was final stays so, whatever is refused of a token that has ended', async () => {
    const { start, pass, endpoint } = createHarness();
    const { tokens, bearer } = start({ outcomes: ['fine', 'unreadable'] });
    const token = await bearer(GENERAL);
    await pass(24 * HOUR);
    for (let times = 0; times < 2; times++) {
      await expect(bearer(GENERAL)).rejects.toMatchObject({ code: 'TOKEN_UNREADABLE' });
      expect(await tokens('assets', GENERAL).refused(refusal(token, true, true), signal)).toBe('renew');
    }
    expect(endpoint.requests()).toBe(2);
  });

  test('a fresh token that is refused is remembered, so that no later process burns another for three hours', async () => {
    const { start, pass, endpoint } = createHarness();
    const first = start({});
    const token = await first.bearer(GENERAL);
    expect(await first.tokens('assets', GENERAL).refused(refusal(token, false, false), signal)).toBe(
      'believe',
    );
    for (const verdict of ['believe', 'believe', 'renew']) {
      await pass(70 * MINUTE);
      const { tokens, bearer } = start({});
      expect(await bearer(GENERAL)).toBe(token);
      expect(await tokens('assets', GENERAL).refused(refusal(token, false, false), signal)).toBe(verdict);
    }
    expect(endpoint.requests()).toBe(1);
  });

  test('what the process that asked for it finds out counts for one that has taken it over already', async () => {
    const { start, endpoint } = createHarness();
    const [first, second] = [start({}), start({})];
    const token = await first.bearer(GENERAL);
    expect(await second.bearer(GENERAL)).toBe(token);
    expect(await second.tokens('assets', GENERAL).refused(refusal(token, false, false), signal)).toBe(
      'repeat',
    );
    expect(await first.tokens('assets', GENERAL).refused(refusal(token, false, false), signal)).toBe(
      'believe',
    );
    expect(await second.tokens('assets', GENERAL).refused(refusal(token, false, true), signal)).toBe(
      'believe',
    );
    expect(endpoint.requests()).toBe(1);
  });
});
