import { describe, expect, test } from 'vitest';

import { GENERAL, HOUR, MINUTE, createHarness, signal } from './harness.test-support.ts';
import { judgeRefusal } from './judge-refusal.ts';
import type { Refusal, Verdict } from './judge-refusal.ts';

function refusal(token: string, wasAccepted: boolean, isRepeated: boolean): Refusal {
  return { token, status: 401, hasAnswered: wasAccepted, wasAccepted, isRepeated };
}

const [NEVER, ANSWERED, ACCEPTED] = [
  [false, false],
  [true, false],
  [true, true],
] as const;
const [FIRST, REPEATED] = [false, true];
const [OWN, KEPT] = [true, false];

/** Refused by a list that has answered, though not with this token. */
const untried = (token: string): Refusal => ({ ...refusal(token, false, false), hasAnswered: true });

describe('the verdict on a refusal', () => {
  test.each<
    [
      Verdict,
      status: number,
      list: readonly [boolean, boolean],
      isRepeated: boolean,
      isOwn: boolean,
      replacedAgoMs: number | null,
      recordedAgoMs: number | null,
    ]
  >([
    // a list that never answered
    ['record', 401, NEVER, FIRST, OWN, null, null],
    ['record', 403, NEVER, FIRST, OWN, 1000, null],
    ['repeat', 401, NEVER, FIRST, KEPT, null, null],
    ['repeat', 403, NEVER, FIRST, KEPT, 1000, null],
    ['replace', 401, NEVER, REPEATED, KEPT, null, null],
    ['replace', 403, NEVER, REPEATED, KEPT, 20_000, null],
    ['record', 403, NEVER, REPEATED, KEPT, 19_999, null],
    ['believe', 401, NEVER, FIRST, KEPT, null, 3 * HOUR - 1],
    ['believe', 403, NEVER, REPEATED, OWN, null, 0],
    ['replace', 403, NEVER, FIRST, KEPT, null, 3 * HOUR],
    // a list that answered, with this token
    ['repeat', 401, ACCEPTED, FIRST, OWN, null, null],
    ['repeat', 401, ACCEPTED, FIRST, KEPT, 1000, null],
    ['replace', 401, ACCEPTED, REPEATED, OWN, null, null],
    ['replace', 401, ACCEPTED, REPEATED, KEPT, 20_000, null],
    ['repeat', 401, ACCEPTED, REPEATED, OWN, 19_999, null],
    // a list that answered, but not with this token: the one that replaced another costs no third one
    ['repeat', 401, ANSWERED, FIRST, OWN, 1000, null],
    ['repeat', 401, ANSWERED, REPEATED, OWN, HOUR, null],
    ['repeat', 401, ANSWERED, FIRST, KEPT, null, null],
    ['repeat', 401, ANSWERED, FIRST, KEPT, null, 1000],
    ['replace', 401, ANSWERED, REPEATED, KEPT, null, null],
    ['repeat', 401, ANSWERED, REPEATED, KEPT, 1000, null],
    // no other token is allowed more than one that was allowed a minute ago
    ['repeat', 403, ACCEPTED, REPEATED, KEPT, null, null],
    ['repeat', 403, ANSWERED, REPEATED, KEPT, null, 1000],
  ])(
    'is %s: status %i, list %j, repeated %j, own %j',
    (verdict, status, list, isRepeated, isOwn, ...ages) => {
      const [hasAnswered, wasAccepted] = list;
      const [replacedAgoMs, recordedAgoMs] = ages;
      const told = { token: 'x', status, hasAnswered, wasAccepted, isRepeated };
      const known = { isOwn, replacedAgoMs, recordedAgoMs };
      expect(judgeRefusal(told, { ...known, isHeld: true })).toBe(verdict);
      // a token that is no longer in use costs nothing
      const other = judgeRefusal(told, { ...known, isHeld: false });
      expect(other).toBe(status === 403 && hasAnswered ? 'repeat' : 'renewed');
    },
  );
});

describe('a token that the API refuses', () => {
  test.each<[what: string, ageMs: number, isKept: boolean, wasAccepted: boolean, verdicts: string[]]>([
    ['asked for by this process, never accepted', 1000, false, false, ['fail', 'fail']],
    ['asked for by this process long ago, never accepted', 5 * MINUTE, false, false, ['fail', 'fail']],
    ['asked for by this process, accepted before', 1000, false, true, ['retry', 'renew']],
    ['asked for by another process a moment ago', 1000, true, false, ['retry', 'renew']],
    ['asked for by another process long ago', 5 * MINUTE, true, false, ['retry', 'renew']],
    ['kept and accepted before', 5 * MINUTE, true, true, ['retry', 'renew']],
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
      expect(await tokens('assets', GENERAL).refused(refusal(token, true, false), signal)).toBe('retry');
    expect(await bearer(GENERAL)).toBe(token);
    expect(endpoint.requests()).toBe(1);
  });

  test('however many requests it meets, one new one is requested, and none after the next refusal in a row', async () => {
    const { start, endpoint, clock } = createHarness();
    const { tokens, bearer } = start({});
    const token = await bearer(GENERAL);
    const answers = Array.from({ length: 16 }, async () => {
      const verdict = await tokens('assets', GENERAL).refused(refusal(token, true, true), signal);
      return [verdict, await tokens('assets', GENERAL).bearer({ signal, onWait: async () => undefined })];
    });
    for (const answer of await clock.run(Promise.all(answers)))
      expect(answer).toStrictEqual(['renew', 'API-2']);
    // the list has answered, so that it is retried, with no further token
    expect(await tokens('assets', GENERAL).refused(untried('API-2'), signal)).toBe('retry');
    expect(await tokens('assets', GENERAL).refused(refusal('API-2', true, true), signal)).toBe('retry');
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
    expect(await first.tokens('assets', GENERAL).refused(refusal(token, false, false), signal)).toBe('fail');
    for (const verdict of ['fail', 'fail', 'renew']) {
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
      'retry',
    );
    expect(await first.tokens('assets', GENERAL).refused(refusal(token, false, false), signal)).toBe('fail');
    expect(await second.tokens('assets', GENERAL).refused(refusal(token, false, true), signal)).toBe('fail');
    expect(endpoint.requests()).toBe(1);
  });
});
