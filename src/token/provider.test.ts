import { describe, expect, test } from 'vitest';
import { isConnectorError } from '../errors.ts';
import type { TokenDeps } from './acquire.ts';
import type { TokenCache } from './cache.ts';
import { CONTEXT, GENERAL, HOUR, MINUTE, MODULE, createHarness, signal } from './harness.test-support.ts';
import type { Outcome } from './token-endpoint.fake.ts';

async function codeOf(failing: Promise<unknown>): Promise<string> {
  const error: unknown = await failing.then(
    () => null,
    (reason: unknown) => reason,
  );
  return isConnectorError(error, null) ? `${error.failureType} ${error.code}` : String(error);
}

describe('a shared token', () => {
  test('50 concurrent callers and all later ones share one request', async () => {
    const { start, clock } = createHarness();
    const { tokens, getToken, events } = start({});
    const callers = Array.from({ length: 50 }, () => tokens('assets', GENERAL).getToken(CONTEXT));
    expect(new Set(await clock.run(Promise.all(callers)))).toStrictEqual(new Set(['API-1']));
    expect(await getToken({ audience: 'API', scopes: null, key: 'token.kind' })).toBe('API-1');
    expect(events).toStrictEqual(['request', 'hide API-1']);
  });

  test('each scope has its own token, whatever the order of its parts', async () => {
    const { getToken } = createHarness().start({});
    expect(await getToken(GENERAL)).toBe('API-1');
    expect(await getToken(MODULE)).toBe('AMAPI-1');
    expect(await getToken({ audience: 'API', scopes: ['A', 'B'], key: 'token.scopes' })).toBe('API-2');
    expect(await getToken({ audience: 'API', scopes: ['B', 'A'], key: 'token.scopes' })).toBe('API-2');
    expect(await getToken({ audience: 'API', scopes: ['A,B'], key: 'token.scopes' })).toBe('API-3');
  });

  test('later processes use it, and so do a hundred concurrent ones', async () => {
    const { start, clock, endpoint } = createHarness();
    const processes = Array.from({ length: 100 }, () => start({}));
    const all = await clock.run(
      Promise.all(processes.map(({ tokens }) => tokens('assets', GENERAL).getToken(CONTEXT))),
    );
    expect(new Set(all)).toStrictEqual(new Set(['API-1']));
    expect(await start({}).getToken(GENERAL)).toBe('API-1');
    expect(endpoint.requests()).toBe(1);
  });

  test('if the first caller gives up, the others still get a token', async () => {
    const { start, clock, pass } = createHarness();
    const { tokens } = start({});
    const first = new AbortController();
    const given = tokens('assets', GENERAL).getToken({ signal: first.signal, onWait: async () => undefined });
    const other = tokens('assets', GENERAL).getToken(CONTEXT);
    const over = expect(given).rejects.toThrow('enough');
    await pass(60);
    first.abort(new Error('enough'));
    await over;
    // the aborted request issued the first one
    expect(await clock.run(other)).toBe('API-2');
  });
});

describe('the issuance limit', () => {
  test('a short wait is waited out and observed, a long one fails and names the time', async () => {
    const { start, pass, endpoint } = createHarness();
    for (const outcomes of [
      ['response lost', 'response lost'],
      ['response lost', 'refused'],
    ] satisfies Outcome[][])
      await start({ outcomes })
        .getToken(MODULE)
        .catch(() => undefined);
    await pass(30 * MINUTE);
    const impatient = start({});
    await expect(impatient.getToken(MODULE)).rejects.toThrow(
      /^auth_url: the token request limit has been reached for client_id "me", audience "AMAPI" \(assets\.audience\): 3 tokens an hour for a module audience\. The next token can be requested at 2026-01-01T01:01:0\dZ \(in 29 min\)\. Runs that share a token cache share one token\.$/,
    );
    await pass(25 * MINUTE);
    const patient = start({});
    expect(await patient.getToken(MODULE)).toBe('AMAPI-4');
    expect(patient.waits).toMatchObject([{ isRateLimited: true }]);
    expect(patient.waits[0]?.waitMs).toBeLessThan(7 * MINUTE);
    expect(endpoint.refusals()).toBe(0);
  });

  test('repeated short waits end after ten minutes in total', async () => {
    const { start, endpoint } = createHarness();
    const { getToken, waits } = start({ outcomes: Array.from({ length: 1000 }, () => 'limited' as const) });
    expect(await codeOf(getToken(MODULE))).toBe('transient_error TOKEN_LIMIT');
    expect(waits.reduce((sum, { waitMs }) => sum + waitMs, 0)).toBeLessThanOrEqual(10 * MINUTE);
    // 1, 2, 4, … 32 s, then a minute each
    expect(waits.length).toBe(14);
    expect(endpoint.requests()).toBe(15);
  });

  test('after a 429 from the endpoint, every process waits for an hour, although its own tokens count for longer', async () => {
    const { start, clock, endpoint, pass } = createHarness();
    // other clients have reached the limit, which frees up 90 minutes later
    for (let issued = 0; issued < 15; issued++) await clock.run(endpoint.request(GENERAL, 'fine', 0, signal));
    await pass(22.5 * HOUR);
    for (let minutes = 0; minutes < 90; minutes += 10) {
      expect(await codeOf(start({}).getToken(GENERAL))).toBe('transient_error TOKEN_LIMIT');
      await pass(10 * MINUTE);
    }
    expect([endpoint.refusals(), endpoint.requests()]).toStrictEqual([2, 17]);
    await pass(31 * MINUTE);
    expect(await start({}).getToken(GENERAL)).toBe('API-16');
  });
});

test('a token whose stated life is over is used until the API refuses it, while no other may be issued', async () => {
  const { start, pass, endpoint, clock } = createHarness();
  // an hour in minutes, which is read as seconds
  const request: TokenDeps['request'] = async (scope, _hasIssued, until) => {
    const outcome = await endpoint.request(scope, 'fine', 100, until);
    if (outcome.kind !== 'issued') return outcome;
    return { ...outcome, token: { ...outcome.token, endMs: clock.now() + 30_000 } };
  };
  const used: string[] = [];
  for (let process = 0; process < 8; process++) {
    used.push(await start({ request }).getToken(MODULE));
    await pass(MINUTE);
  }
  expect(used).toStrictEqual(['AMAPI-1', 'AMAPI-2', ...Array<string>(6).fill('AMAPI-3')]);
  const { getToken, tokens } = start({ request });
  const token = await getToken(MODULE);
  const refused = { token, status: 401, hasReturnedPage: false, wasAccepted: false, isRepeated: true };
  expect(await tokens('assets', MODULE).onRefusal(refused, signal)).toBe('resend');
  await expect(getToken(MODULE)).rejects.toMatchObject({ code: 'TOKEN_LIMIT' });
});

describe('a token request that fails', () => {
  test.each<[what: string, outcomes: Outcome[], requests: number, end: string]>([
    ['refused: final after one request', ['refused'], 1, 'config_error TOKEN_REFUSED'],
    [
      'a response without a token, which may cost an issuance: two requests',
      ['unreadable', 'unreadable'],
      2,
      'transient_error TOKEN_UNREADABLE',
    ],
    [
      'unavailable: requests for a minute',
      Array.from({ length: 99 }, () => 'unavailable' as const),
      10,
      'transient_error API_UNAVAILABLE',
    ],
    [
      'not sent: requests for a minute',
      Array.from({ length: 99 }, () => 'request lost' as const),
      10,
      'transient_error API_UNAVAILABLE',
    ],
    [
      'cut, which may cost an issuance: two requests',
      ['response lost', 'response lost'],
      2,
      'transient_error API_UNAVAILABLE',
    ],
  ])('%s', async (_, outcomes, requests, end) => {
    const { start } = createHarness();
    const { getToken, events } = start({ outcomes });
    expect(await codeOf(getToken(GENERAL))).toBe(end);
    expect(await codeOf(getToken(GENERAL))).toBe(end);
    expect(events.length).toBe(requests);
  });

  test('a clock that is set back during a wait does not extend it', async () => {
    const { start, clock, endpoint } = createHarness();
    const startMs = clock.now();
    // set back by an hour on each call
    let setBackMs = 0;
    const now = (): number => {
      if (endpoint.requests() > 0) setBackMs += HOUR;
      return clock.now() - setBackMs;
    };
    const { getToken, waits } = start({ outcomes: ['unavailable', 'unavailable'], now });
    expect(await getToken(GENERAL)).toBe('API-1');
    expect(waits).toHaveLength(2);
    expect(clock.now() - startMs).toBeLessThan(3 * MINUTE);
  });

  test('an outage of most of a minute is waited out, and what was never sent counts for nothing', async () => {
    const { start, clock, endpoint, store } = createHarness();
    const startMs = clock.now();
    const outcomes = Array.from({ length: 8 }, (): Outcome => 'request lost');
    const { getToken } = start({ outcomes });
    expect(await getToken(MODULE)).toBe('AMAPI-1');
    expect(clock.now() - startMs).toBeGreaterThan(40_000);
    expect(endpoint.requests()).toBe(1);
    expect(endpoint.issued('AMAPI')).toHaveLength(1);
    const logged = Object.values((await store.read()).issuances).flatMap(({ times }) => times);
    expect(logged).toHaveLength(1);
  });

  test('a request that was cut is repeated only a minute later, when an outage is most likely over', async () => {
    const { start, clock, endpoint } = createHarness();
    const startMs = clock.now();
    const { getToken, waits } = start({ outcomes: ['response lost'] });
    expect(await getToken(GENERAL)).toBe('API-2');
    expect(clock.now() - startMs).toBeGreaterThanOrEqual(MINUTE);
    expect(waits).toMatchObject([{ isRateLimited: false, waitMs: MINUTE }]);
    expect(endpoint.requests()).toBe(2);
  });

  test.each<Outcome>(['response lost', 'unreadable'])(
    'a response that may have cost an issuance is followed by another request a minute later: %s',
    async (outcome) => {
      const { start, endpoint } = createHarness();
      const { getToken, waits } = start({ outcomes: [outcome] });
      expect(await getToken(MODULE)).toBe('AMAPI-2');
      expect(waits).toMatchObject([{ isRateLimited: false, waitMs: MINUTE }]);
      expect(endpoint.issued('AMAPI')).toHaveLength(2);
    },
  );

  test('is retried, and the wait is observed', async () => {
    const { getToken, waits } = createHarness().start({ outcomes: ['unavailable', 'request lost'] });
    expect(await getToken(GENERAL)).toBe('API-1');
    expect(waits).toMatchObject([{ isRateLimited: false }, { isRateLimited: false }]);
  });
});

describe('the cache in the config', () => {
  test('a new token is announced once before it is used, and the next process needs no request', async () => {
    const first = createHarness().start({ announces: true });
    expect(await first.getToken(GENERAL)).toBe('API-1');
    await first.getToken(GENERAL);
    expect(first.events).toStrictEqual(['request', 'hide API-1', 'announce']);
    const [known] = first.announced as [TokenCache];

    const elsewhere = createHarness();
    const next = elsewhere.start({ announces: true, known });
    expect(await next.getToken(GENERAL)).toBe('API-1');
    expect(next.events).toStrictEqual(['hide API-1']);
  });

  test('the newer token of config and store wins, and is announced', async () => {
    const harness = createHarness();
    const old = createHarness().start({ announces: true });
    await old.getToken(GENERAL);
    await harness.pass(HOUR);
    await harness.start({ outcomes: ['response lost'] }).getToken(GENERAL);
    const next = harness.start({ announces: true, known: old.announced[0] as TokenCache });
    expect(await next.getToken(GENERAL)).toBe('API-2');
    expect(next.events).toStrictEqual(['hide API-2', 'announce']);
  });

  test('a cached token that ends later than documented is replaced', async () => {
    const first = createHarness().start({ announces: true });
    await first.getToken(GENERAL);
    const [known] = first.announced as [TokenCache];
    const tokens = Object.fromEntries(
      Object.entries(known.tokens).map(([key, token]) => [key, { ...token, endMs: token.endMs + 48 * HOUR }]),
    );
    const next = createHarness().start({ known: { ...known, tokens } });
    await next.getToken(GENERAL);
    expect(next.events).toStrictEqual(['request', 'hide API-1']);
  });

  test('the tokens of both audiences are announced together', async () => {
    const { getToken, announced } = createHarness().start({ announces: true });
    await getToken(MODULE);
    await getToken(GENERAL);
    expect(announced.map(({ tokens }) => Object.keys(tokens).length)).toStrictEqual([1, 2]);
  });
});

test('each token in use is logged, whether it is new and when it ends, never its text', async () => {
  const { start, clock, pass } = createHarness();
  const first = start({});
  const token = await first.getToken(GENERAL);
  await first.getToken(GENERAL);
  const endMs = clock.now() + 24 * HOUR;
  expect(first.logged).toStrictEqual([
    expect.stringMatching(/^token for audience "API": newly issued, valid until \S+Z$/),
  ]);
  const [message = ''] = first.logged;
  expect(message).not.toContain(token);
  expect(Math.abs(Date.parse(message.replace(/.* /, '')) - endMs)).toBeLessThan(HOUR);
  const second = start({});
  await second.getToken(GENERAL);
  expect(second.logged).toStrictEqual([message.replace('newly issued', 'cached')]);
  await pass(25 * HOUR);
  await second.getToken(GENERAL);
  expect(second.logged.map((line) => line.includes('newly issued'))).toStrictEqual([false, true]);
});

test('a cached token that is used to its end because no other is available is logged', async () => {
  const { start, pass } = createHarness();
  await start({}).getToken(GENERAL);
  await pass(23 * HOUR);
  const { getToken, logged } = start({ outcomes: ['unavailable', 'unavailable', 'unavailable'] });
  expect(await getToken(GENERAL)).toBe('API-1');
  expect(logged).toStrictEqual([expect.stringContaining('cached')]);
});
