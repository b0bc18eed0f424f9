import { expect, test } from 'vitest';
import type { NextStep } from '../http/request.ts';
import { CONTEXT, GENERAL, HOUR, MINUTE, createHarness, signal } from './harness.test-support.ts';
import type { Refusal } from './judge-refusal.ts';

function refusal(token: string, wasAccepted: boolean, isRepeated: boolean): Refusal {
  return { token, status: 401, hasReturnedPage: wasAccepted, wasAccepted, isRepeated };
}

/** Refused by a list that has returned pages for other tokens only. */
const unproven = (token: string): Refusal => ({ ...refusal(token, false, false), hasReturnedPage: true });

test.each<[what: string, ageMs: number, isCached: boolean, wasAccepted: boolean, steps: NextStep[]]>([
  ['issued to this process, never accepted', 1000, false, false, ['settle', 'settle']],
  ['issued to this process a while ago, never accepted', 10_000, false, false, ['fail', 'fail']],
  ['issued to this process long ago, never accepted', 5 * MINUTE, false, false, ['fail', 'fail']],
  ['issued to this process, accepted before', 1000, false, true, ['retry', 'resend']],
  ['issued to another process a moment ago', 1000, true, false, ['settle', 'settle']],
  ['issued to another process long ago', 5 * MINUTE, true, false, ['retry', 'resend']],
  ['cached and accepted before', 5 * MINUTE, true, true, ['retry', 'resend']],
])('a refused token, %s', async (_, ageMs, isCached, wasAccepted, steps) => {
  const { start, pass, endpoint } = createHarness();
  const first = start({});
  const token = await first.getToken(GENERAL);
  await pass(ageMs);
  const { tokens, getToken } = isCached ? start({}) : first;
  await getToken(GENERAL);
  for (const [times, step] of steps.entries()) {
    expect(await getToken(GENERAL)).toBe(token);
    expect(await tokens('assets', GENERAL).onRefusal(refusal(token, wasAccepted, times > 0), signal)).toBe(
      step,
    );
  }
  expect(await getToken(GENERAL)).toBe(steps.at(-1) === 'resend' ? 'API-2' : 'API-1');
  expect(endpoint.requests()).toBe(steps.at(-1) === 'resend' ? 2 : 1);
});

test.each([
  [5000, 'settle', 'API-1'],
  [HOUR, 'resend', 'API-2'],
])('a token that seems to be issued %d ms ahead is old, if that is long', async (aheadMs, step, next) => {
  const { start, clock } = createHarness();
  const token = await start({}).getToken(GENERAL);
  let behindMs = 0;
  const { tokens, getToken } = start({ now: () => clock.now() - behindMs });
  await getToken(GENERAL);
  behindMs = aheadMs;
  await tokens('assets', GENERAL).onRefusal(refusal(token, false, false), signal);
  expect(await tokens('assets', GENERAL).onRefusal(refusal(token, false, true), signal)).toBe(step);
  behindMs = 0;
  expect(await getToken(GENERAL)).toBe(next);
});

test('many requests that are each refused once cost no token', async () => {
  const { start, endpoint } = createHarness();
  const { tokens, getToken } = start({});
  const token = await getToken(GENERAL);
  for (let times = 0; times < 20; times++)
    expect(await tokens('assets', GENERAL).onRefusal(refusal(token, true, false), signal)).toBe('retry');
  expect(await getToken(GENERAL)).toBe(token);
  expect(endpoint.requests()).toBe(1);
});

test('a token that is refused for many requests is replaced once, and its replacement is not replaced', async () => {
  const { start, endpoint, clock } = createHarness();
  const { tokens, getToken } = start({});
  const token = await getToken(GENERAL);
  const answers = Array.from({ length: 16 }, async () => {
    const verdict = await tokens('assets', GENERAL).onRefusal(refusal(token, true, true), signal);
    return [verdict, await tokens('assets', GENERAL).getToken(CONTEXT)];
  });
  for (const answer of await clock.run(Promise.all(answers)))
    expect(answer).toStrictEqual(['resend', 'API-2']);
  // the list has returned pages, so the request is retried without another token
  expect(await tokens('assets', GENERAL).onRefusal(unproven('API-2'), signal)).toBe('retry');
  expect(await tokens('assets', GENERAL).onRefusal(refusal('API-2', true, true), signal)).toBe('retry');
  expect(endpoint.requests()).toBe(2);
});

test('a final failure stays final even if an expired token is refused', async () => {
  const { start, pass, endpoint } = createHarness();
  const { tokens, getToken } = start({ outcomes: ['fine', 'unreadable', 'unreadable'] });
  const token = await getToken(GENERAL);
  await pass(24 * HOUR);
  for (let times = 0; times < 2; times++) {
    await expect(getToken(GENERAL)).rejects.toMatchObject({ code: 'TOKEN_UNREADABLE' });
    expect(await tokens('assets', GENERAL).onRefusal(refusal(token, true, true), signal)).toBe('resend');
  }
  expect(endpoint.requests()).toBe(3);
});

test('the refusal of a fresh token is remembered for three hours, so that later processes request none', async () => {
  const { start, pass, endpoint } = createHarness();
  const first = start({});
  const token = await first.getToken(GENERAL);
  await pass(10_000);
  expect(await first.tokens('assets', GENERAL).onRefusal(refusal(token, false, false), signal)).toBe('fail');
  for (const verdict of ['fail', 'fail', 'resend']) {
    await pass(70 * MINUTE);
    const { tokens, getToken } = start({});
    expect(await getToken(GENERAL)).toBe(token);
    expect(await tokens('assets', GENERAL).onRefusal(refusal(token, false, false), signal)).toBe(verdict);
  }
  expect(endpoint.requests()).toBe(1);
});

test('a refusal recorded by the process that requested a token counts for those that already use it', async () => {
  const { start, pass, endpoint } = createHarness();
  const [first, second] = [start({}), start({})];
  const token = await first.getToken(GENERAL);
  await pass(10_000);
  expect(await second.getToken(GENERAL)).toBe(token);
  expect(await second.tokens('assets', GENERAL).onRefusal(refusal(token, false, false), signal)).toBe(
    'retry',
  );
  expect(await first.tokens('assets', GENERAL).onRefusal(refusal(token, false, false), signal)).toBe('fail');
  expect(await second.tokens('assets', GENERAL).onRefusal(refusal(token, false, true), signal)).toBe('fail');
  expect(endpoint.requests()).toBe(1);
});
