import { describe, expect, test } from 'vitest';

import { GENERAL, MINUTE, createBed, signal } from './token-bed.test-support.ts';
import type { Refusal } from './token-provider.ts';

function refusal(token: string, wasAccepted: boolean): Refusal {
  return { stream: 'assets', token, wasAccepted };
}

describe('a token that the API refuses', () => {
  test.each<[what: string, ageMs: number, isKept: boolean, wasAccepted: boolean, another: boolean]>([
    ['issued to this process, never accepted: the fault lies elsewhere', 5 * MINUTE, false, false, false],
    ['issued to this process, accepted before', 1000, false, true, true],
    ['kept, but issued a moment ago', 1000, true, false, false],
    ['kept and old', 5 * MINUTE, true, false, true],
    ['kept and old, accepted before', 5 * MINUTE, true, true, true],
  ])('%s', async (_, ageMs, isKept, wasAccepted, another) => {
    const { start, pass } = createBed();
    const first = start({});
    const token = await first.bearer(GENERAL);
    await pass(ageMs);
    const { tokens, bearer } = isKept ? start({}) : first;
    await bearer(GENERAL);
    expect(await tokens.refused(GENERAL, refusal(token, wasAccepted), signal)).toBe(another);
    expect(await bearer(GENERAL)).toBe(another ? 'API-2' : 'API-1');
  });

  test('however many requests it meets, one new one is asked for; the next refusal in a row is final', async () => {
    const { start, desk, clock } = createBed();
    const { tokens, bearer } = start({});
    const token = await bearer(GENERAL);
    const answers = Array.from({ length: 16 }, async () => {
      const again = await tokens.refused(GENERAL, refusal(token, true), signal);
      return [again, await tokens.bearer(GENERAL, signal, async () => undefined)];
    });
    for (const answer of await clock.run(Promise.all(answers))) expect(answer).toStrictEqual([true, 'API-2']);
    expect(await tokens.refused(GENERAL, refusal('API-2', false), signal)).toBe(false);
    expect(await tokens.refused(GENERAL, refusal('API-2', true), signal)).toBe(false);
    expect(desk.requests()).toBe(2);
  });

  test('a fresh token that is refused is remembered, so that no later process burns another for three hours', async () => {
    const { start, pass, desk } = createBed();
    const first = start({});
    const token = await first.bearer(GENERAL);
    expect(await first.tokens.refused(GENERAL, refusal(token, false), signal)).toBe(false);
    for (const again of [false, false, true]) {
      await pass(70 * MINUTE);
      const { tokens, bearer } = start({});
      expect(await bearer(GENERAL)).toBe(token);
      expect(await tokens.refused(GENERAL, refusal(token, false), signal)).toBe(again);
    }
    expect(desk.requests()).toBe(1);
  });
});
