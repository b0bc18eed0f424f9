import { describe, expect, test } from 'vitest';
import { BROKEN_CURSOR_MS } from '../../limits.ts';
import { pageSizeOf } from '../page-size.ts';
import type { CursorPage, Failure, PageRequest } from './list.ts';
import { createRequests, type Asked } from './requests.ts';

const LIFE_MS = 4 * 60_000;
const CURSOR = { after: 'a', sentAtMs: 1_000_000 };
const ASKED: Asked = {
  number: 1,
  createdSince: null,
  boundFrom: 'state',
  cursor: CURSOR,
  mayBeOld: false,
  mayBeBroken: false,
  isFront: true,
  limitAfter: () => null,
};

/** Sends a request. Returns what it says, and its answer, received from a request at a local time. */
async function send(asked: Asked, sentAtMs: number) {
  let said: PageRequest | null = null;
  const requests = createRequests({
    fetchPage: async (request) => {
      said = request;
      return { rows: [], next: null, time: 0n, sentAtMs, receivedAtMs: sentAtMs };
    },
    failureOf: () => 'else',
    endlessError: ({ cause }) => new Error(cause),
    isSame: () => false,
    signal: new AbortController().signal,
  });
  requests.send(asked);
  const { result } = await requests.next();
  return { said: said as PageRequest | null, isOld: 'page' in result ? result.isOld : null };
}

describe('a request', () => {
  test.each<[string, Partial<Asked>, Partial<PageRequest>]>([
    ['is sent while its cursor is fresh', {}, { after: 'a', sendByMs: CURSOR.sentAtMs + LIFE_MS }],
    ['is sent at any time with an old cursor that may be old', { mayBeOld: true }, { sendByMs: null }],
    ['is sent at any time without a cursor', { cursor: null }, { after: null, sendByMs: null }],
    ['fails if a 500 persists', {}, { serverErrorMs: null }],
    ['has a broken cursor if a 500 persists', { mayBeBroken: true }, { serverErrorMs: BROKEN_CURSOR_MS }],
    ['has none without a cursor', { mayBeBroken: true, cursor: null }, { serverErrorMs: null }],
    ['may be refused if it has a cursor', {}, { mayBeRefused: true }],
    ['may be refused ahead of the front', { cursor: null, isFront: false }, { mayBeRefused: true }],
    ['must not be refused if it begins the front', { cursor: null }, { mayBeRefused: false }],
  ])('%s', async (_, asked, expected) => {
    const { said } = await send({ ...ASKED, ...asked }, CURSOR.sentAtMs);
    expect(said).toMatchObject(expected);
  });
});

test.each<[boolean, string, number]>([
  [false, 'at once', 0],
  [false, 'after four minutes', LIFE_MS],
  [true, 'after more', LIFE_MS + 1],
  [true, 'if the clock was set back', -1],
])('a cursor is old: %s, %s', async (isOld, _, afterMs) => {
  expect((await send({ ...ASKED, mayBeOld: true }, CURSOR.sentAtMs + afterMs)).isOld).toBe(isOld);
});

test('a first page is never old', async () => {
  expect((await send({ ...ASKED, cursor: null }, CURSOR.sentAtMs)).isOld).toBe(false);
});

/** Requests a page that no chain will follow, and fails. */
async function probe(failure: Failure) {
  const requests = createRequests({
    fetchPage: async (): Promise<CursorPage<string>> => {
      throw new Error(failure);
    },
    failureOf: () => failure,
    endlessError: ({ cause }) => new Error(cause),
    isSame: () => false,
    signal: new AbortController().signal,
  });
  return requests.probe('2026-01-01T00:00:00Z', pageSizeOf(null));
}

test('a probe that is refused has no page; what else fails fails the read', async () => {
  await expect(probe('refused')).resolves.toBe(null);
  await expect(probe('broke')).rejects.toThrow('broke');
});
