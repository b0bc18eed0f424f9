import { expect, test } from 'vitest';
import { judgeRefusal, type Verdict } from './judge-refusal.ts';

const HOUR = 3_600_000;
/** Whether the list has returned a page, with any token and with the refused one. */
const [NEVER, ANSWERED, ACCEPTED] = [
  [false, false],
  [true, false],
  [true, true],
] as const;
const [FIRST, REPEATED] = [false, true];
const [OWN, CACHED] = [true, false];

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
  // a list that never returned a page
  ['record', 401, NEVER, FIRST, OWN, null, null],
  ['record', 403, NEVER, FIRST, OWN, 1000, null],
  ['retry', 401, NEVER, FIRST, CACHED, null, null],
  ['retry', 403, NEVER, FIRST, CACHED, 1000, null],
  ['replace', 401, NEVER, REPEATED, CACHED, null, null],
  ['replace', 403, NEVER, REPEATED, CACHED, 20_000, null],
  ['record', 403, NEVER, REPEATED, CACHED, 19_999, null],
  ['fail', 401, NEVER, FIRST, CACHED, null, 3 * HOUR - 1],
  ['fail', 403, NEVER, REPEATED, OWN, null, 0],
  ['replace', 403, NEVER, FIRST, CACHED, null, 3 * HOUR],
  // a list that returned a page for this token
  ['retry', 401, ACCEPTED, FIRST, OWN, null, null],
  ['retry', 401, ACCEPTED, FIRST, CACHED, 1000, null],
  ['replace', 401, ACCEPTED, REPEATED, OWN, null, null],
  ['replace', 401, ACCEPTED, REPEATED, CACHED, 20_000, null],
  ['retry', 401, ACCEPTED, REPEATED, OWN, 19_999, null],
  // a list that returned pages for other tokens only: a rejected replacement is not replaced again
  ['retry', 401, ANSWERED, FIRST, OWN, 1000, null],
  ['retry', 401, ANSWERED, REPEATED, OWN, HOUR, null],
  ['retry', 401, ANSWERED, FIRST, CACHED, null, null],
  ['retry', 401, ANSWERED, FIRST, CACHED, null, 1000],
  ['replace', 401, ANSWERED, REPEATED, CACHED, null, null],
  ['retry', 401, ANSWERED, REPEATED, CACHED, 1000, null],
  // a 403 after a page is never the token's fault
  ['retry', 403, ACCEPTED, REPEATED, CACHED, null, null],
  ['retry', 403, ANSWERED, REPEATED, CACHED, null, 1000],
])('%s: status %i, list %j, repeated %j, own %j', (verdict, status, list, isRepeated, ...token) => {
  const [hasReturnedPage, wasAccepted] = list;
  const [isOwn, replacedAgoMs, recordedAgoMs] = token;
  const refusal = { token: 'x', status, hasReturnedPage, wasAccepted, isRepeated };
  const known = { isOwn, replacedAgoMs, recordedAgoMs, ageMs: HOUR };
  expect(judgeRefusal(refusal, { ...known, isCurrent: true })).toBe(verdict);
  // the refusal of a token that is no longer in use never costs another one
  const outdated = judgeRefusal(refusal, { ...known, isCurrent: false });
  expect(outdated).toBe(status === 403 && hasReturnedPage ? 'retry' : 'resend');
});

test.each<[Verdict, status: number, list: readonly [boolean, boolean], isOwn: boolean, ageMs: number]>([
  ['settle', 401, NEVER, OWN, 0],
  ['settle', 401, NEVER, OWN, 9999],
  ['settle', 401, NEVER, CACHED, 9999],
  ['record', 401, NEVER, OWN, 10_000],
  ['record', 403, NEVER, OWN, 0],
  ['retry', 401, ANSWERED, OWN, 0],
  ['retry', 401, ACCEPTED, OWN, 0],
])('%s: status %i of a new token, list %j, own %j, after %i ms', (verdict, status, list, isOwn, ageMs) => {
  const [hasReturnedPage, wasAccepted] = list;
  const refusal = { token: 'x', status, hasReturnedPage, wasAccepted, isRepeated: false };
  const token = { isCurrent: true, isOwn, ageMs, replacedAgoMs: null, recordedAgoMs: null };
  expect(judgeRefusal(refusal, token)).toBe(verdict);
});
