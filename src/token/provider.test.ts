import { describe, expect, test } from 'vitest';

import { isConnectorError } from '../errors.ts';
import type { TokenCache } from './cache.ts';
import { GENERAL, HOUR, MINUTE, MODULE, createHarness, signal } from './harness.test-support.ts';
import type { Outcome } from './token-endpoint.fake.ts';

async function codeOf(failing: Promise<unknown>): Promise<string> {
  const error: unknown = await failing.then(
    () => null,
    (reason: unknown) => reason,
  );
  return isConnectorError(error, null) ? `${error.failureType} ${error.code}` : String(error);
}

describe('one token serves all', () => {
  test('50 callers at once and all later ones share one request', async () => {
    const { start, clock } = createHarness();
    const { tokens, bearer, events } = start({});
    const callers = Array.from({ length: 50 }, () =>
      tokens('assets', GENERAL).bearer({ signal, onWait: async () => undefined }),
    );
    expect(new Set(await clock.run(Promise.all(callers)))).toStrictEqual(new Set(['API-1']));
    expect(await bearer({ audience: 'API', scopes: null })).toBe('API-1');
    expect(events).toStrictEqual(['request', 'hide API-1']);
  });

  test('each scope has a token of its own, whatever the order of its parts', async () => {
    const { bearer } = createHarness().start({});
    expect(await bearer(GENERAL)).toBe('API-1');
    expect(await bearer(MODULE)).toBe('AMAPI-1');
    expect(await bearer({ audience: 'API', scopes: ['A', 'B'] })).toBe('API-2');
    expect(await bearer({ audience: 'API', scopes: ['B', 'A'] })).toBe('API-2');
    expect(await bearer({ audience: 'API', scopes: ['A,B'] })).toBe('API-3');
  });

  test('the next process takes it over, and a hundred at once too', async () => {
    const { start, clock, endpoint } = createHarness();
    const processes = Array.from({ length: 100 }, () => start({}));
    const all = await clock.run(
      Promise.all(
        processes.map(({ tokens }) =>
          tokens('assets', GENERAL).bearer({ signal, onWait: async () => undefined }),
        ),
      ),
    );
    expect(new Set(all)).toStrictEqual(new Set(['API-1']));
    expect(await start({}).bearer(GENERAL)).toBe('API-1');
    expect(endpoint.requests()).toBe(1);
  });

  test('if the caller who came first gives up, the others get theirs', async () => {
    const { start, clock, pass } = createHarness();
    const { tokens } = start({});
    const first = new AbortController();
    const given = tokens('assets', GENERAL).bearer({ signal: first.signal, onWait: async () => undefined });
    const other = tokens('assets', GENERAL).bearer({ signal, onWait: async () => undefined });
    const over = expect(given).rejects.toThrow('enough');
    await pass(60);
    first.abort(new Error('enough'));
    await over;
    // the request that was given up had issued the first one
    expect(await clock.run(other)).toBe('API-2');
  });
});

describe('renewal', () => {
  test.each([
    ['a tenth before the end of a module token', MODULE, 53 * MINUTE, 55 * MINUTE],
    ['a tenth before the end of a general token', GENERAL, 21 * HOUR, 22 * HOUR],
  ])('%s', async (_, scope, still, due) => {
    const { start, pass } = createHarness();
    const { bearer } = start({});
    const first = await bearer(scope);
    await pass(still);
    expect(await bearer(scope)).toBe(first);
    await pass(due - still);
    expect(await bearer(scope)).not.toBe(first);
  });

  test('a renewal that fails leaves the token in use while it lives, and is tried again', async () => {
    const { start, pass, endpoint } = createHarness();
    const { bearer, waits } = start({
      outcomes: ['fine', 'unavailable', 'answer lost', 'unavailable', 'fine'],
    });
    const first = await bearer(MODULE);
    await pass(55 * MINUTE);
    for (let minute = 0; minute < 3; minute++) {
      expect(await bearer(MODULE)).toBe(first);
      expect(await bearer(MODULE)).toBe(first);
      await pass(MINUTE);
    }
    expect(await bearer(MODULE)).toBe('AMAPI-3');
    expect(endpoint.requests()).toBe(5);
    expect(waits).toStrictEqual([]);
  });

  test('a renewal that is answered without a token costs one issuance, and the old token serves to its end', async () => {
    const { start, pass, endpoint } = createHarness();
    const { bearer } = start({ outcomes: ['fine', 'unreadable'] });
    const first = await bearer(MODULE);
    await pass(54 * MINUTE);
    for (let minute = 54; minute < 60; minute++) {
      expect(await bearer(MODULE)).toBe(first);
      await pass(MINUTE);
    }
    expect(endpoint.requests()).toBe(2);
    expect(await bearer(MODULE)).toBe('AMAPI-3');
  });

  test('a kept token that is due serves while the limit allows no other', async () => {
    const { start, pass } = createHarness();
    await start({ outcomes: ['answer lost', 'answer lost'] })
      .bearer(MODULE)
      .catch(() => undefined);
    await pass(5 * MINUTE);
    expect(await start({}).bearer(MODULE)).toBe('AMAPI-3');
    await pass(55 * MINUTE);
    // three within the hour: the ledger holds them until 61 minutes have passed
    expect(await start({}).bearer(MODULE)).toBe('AMAPI-3');
  });
});

describe('the issuance limit', () => {
  test('a short wait is waited out and told, a long one fails and names the time', async () => {
    const { start, pass, endpoint } = createHarness();
    for (const outcomes of [
      ['answer lost', 'answer lost'],
      ['answer lost', 'refused'],
    ] satisfies Outcome[][])
      await start({ outcomes })
        .bearer(MODULE)
        .catch(() => undefined);
    await pass(30 * MINUTE);
    const impatient = start({});
    await expect(impatient.bearer(MODULE)).rejects.toThrow(
      /^auth_url: the limit of token requests is reached for client_id me, audience AMAPI: 3 tokens an hour for a module audience\. The next token may be asked for at 2026-01-01T01:01:0\dZ \(in 31 min\)\. Runs that share a token cache share one token\.$/,
    );
    await pass(25 * MINUTE);
    const patient = start({});
    expect(await patient.bearer(MODULE)).toBe('AMAPI-4');
    expect(patient.waits).toMatchObject([{ rateLimited: true }]);
    expect(patient.waits[0]?.waitMs).toBeLessThan(7 * MINUTE);
    expect(endpoint.refusals()).toBe(0);
  });

  test('an endpoint that keeps asking for a short wait is given up after ten minutes in all', async () => {
    const { start, endpoint } = createHarness();
    const { bearer, waits } = start({ outcomes: Array.from({ length: 1000 }, () => 'limited' as const) });
    expect(await codeOf(bearer(MODULE))).toBe('transient_error TOKEN_LIMIT');
    expect(waits.reduce((sum, { waitMs }) => sum + waitMs, 0)).toBeLessThanOrEqual(10 * MINUTE);
    // 1, 2, 4, … 32 s, then a minute each
    expect(waits.length).toBe(14);
    expect(endpoint.requests()).toBe(15);
  });

  test('a 429 of the endpoint is taken as a full window, by every process', async () => {
    const { start, clock, endpoint, pass } = createHarness();
    // somebody else uses the credential up
    for (let issued = 0; issued < 3; issued++) await clock.run(endpoint.request(MODULE, 'fine', 0, signal));
    expect(await codeOf(start({}).bearer(MODULE))).toBe('transient_error TOKEN_LIMIT');
    expect(await codeOf(start({}).bearer(MODULE))).toBe('transient_error TOKEN_LIMIT');
    expect([endpoint.refusals(), endpoint.requests()]).toStrictEqual([1, 4]);
    await pass(62 * MINUTE);
    expect(await start({}).bearer(MODULE)).toBe('AMAPI-4');
  });
});

describe('a token request that fails', () => {
  test.each<[what: string, outcomes: Outcome[], requests: number, end: string]>([
    ['refused: at once, and never again', ['refused'], 1, 'config_error TOKEN_REFUSED'],
    [
      'an answer without a token, which costs an issuance: once',
      ['unreadable'],
      1,
      'transient_error TOKEN_UNREADABLE',
    ],
    [
      'unavailable: three times',
      ['unavailable', 'unavailable', 'unavailable'],
      3,
      'transient_error API_UNAVAILABLE',
    ],
    [
      'no answer, which may cost an issuance: twice',
      ['answer lost', 'answer lost'],
      2,
      'transient_error API_UNAVAILABLE',
    ],
  ])('%s', async (_, outcomes, requests, end) => {
    const { start } = createHarness();
    const { bearer, events } = start({ outcomes });
    expect(await codeOf(bearer(GENERAL))).toBe(end);
    expect(await codeOf(bearer(GENERAL))).toBe(end);
    expect(events.length).toBe(requests);
  });

  test('a clock that is set back meanwhile makes no wait longer than a minute', async () => {
    const { start, clock, endpoint } = createHarness();
    const startMs = clock.now();
    // each look at it finds it an hour further back than time has passed
    let setBackMs = 0;
    const now = (): number => clock.now() - (endpoint.requests() > 0 ? (setBackMs += HOUR) : 0);
    const { bearer, waits } = start({ outcomes: ['unavailable', 'unavailable'], now });
    expect(await bearer(GENERAL)).toBe('API-1');
    expect(waits).toHaveLength(2);
    expect(clock.now() - startMs).toBeLessThan(3 * MINUTE);
  });

  test('it passes, and the wait is told', async () => {
    const { bearer, waits } = createHarness().start({ outcomes: ['unavailable', 'request lost'] });
    expect(await bearer(GENERAL)).toBe('API-1');
    expect(waits).toMatchObject([{ rateLimited: false }, { rateLimited: false }]);
  });
});

describe('the config as a store', () => {
  test('a new token is announced before it is used, once, and the next process needs no request', async () => {
    const first = createHarness().start({ announces: true });
    expect(await first.bearer(GENERAL)).toBe('API-1');
    await first.bearer(GENERAL);
    expect(first.events).toStrictEqual(['request', 'hide API-1', 'announce']);
    const [known] = first.announced as [TokenCache];

    const elsewhere = createHarness();
    const next = elsewhere.start({ announces: true, known });
    expect(await next.bearer(GENERAL)).toBe('API-1');
    expect(next.events).toStrictEqual(['hide API-1']);
  });

  test('of the config and the store the newer token wins, and the config learns it', async () => {
    const harness = createHarness();
    const old = createHarness().start({ announces: true });
    await old.bearer(GENERAL);
    await harness.pass(HOUR);
    await harness.start({ outcomes: ['answer lost'] }).bearer(GENERAL);
    const next = harness.start({ announces: true, known: old.announced[0] as TokenCache });
    expect(await next.bearer(GENERAL)).toBe('API-2');
    expect(next.events).toStrictEqual(['hide API-2', 'announce']);
  });

  test('a kept token whose end lies further ahead than is documented is replaced', async () => {
    const first = createHarness().start({ announces: true });
    await first.bearer(GENERAL);
    const [known] = first.announced as [TokenCache];
    const tokens = Object.fromEntries(
      Object.entries(known.tokens).map(([key, token]) => [key, { ...token, endMs: token.endMs + 48 * HOUR }]),
    );
    const next = createHarness().start({ known: { ...known, tokens } });
    await next.bearer(GENERAL);
    expect(next.events).toStrictEqual(['request', 'hide API-1']);
  });

  test('two audiences are announced together', async () => {
    const { bearer, announced } = createHarness().start({ announces: true });
    await bearer(MODULE);
    await bearer(GENERAL);
    expect(announced.map(({ tokens }) => Object.keys(tokens).length)).toStrictEqual([1, 2]);
  });
});

test('whoever watches is told of each token that is used, whether it is new, and of its end, never of its text', async () => {
  const { start, clock, pass } = createHarness();
  const first = start({});
  await first.bearer(GENERAL);
  await first.bearer(GENERAL);
  const endMs = clock.now() + 24 * HOUR;
  expect(first.held).toHaveLength(1);
  expect(Object.keys(first.held[0] ?? {}).toSorted()).toStrictEqual(['endMs', 'isOwn', 'scope']);
  expect(first.held[0]).toMatchObject({ scope: GENERAL, isOwn: true });
  expect(Math.abs(Number(first.held[0]?.endMs) - endMs)).toBeLessThan(HOUR);
  const second = start({});
  await second.bearer(GENERAL);
  expect(second.held).toStrictEqual([{ ...first.held[0], isOwn: false }]);
  await pass(25 * HOUR);
  await second.bearer(GENERAL);
  expect(second.held.map(({ isOwn }) => isOwn)).toStrictEqual([false, true]);
});

test('a kept token that lives out its time, because no other is to be had, is one that is used', async () => {
  const { start, pass } = createHarness();
  await start({}).bearer(GENERAL);
  await pass(23 * HOUR);
  const { bearer, held } = start({ outcomes: ['unavailable', 'unavailable', 'unavailable'] });
  expect(await bearer(GENERAL)).toBe('API-1');
  expect(held.map(({ isOwn }) => isOwn)).toStrictEqual([false]);
});
