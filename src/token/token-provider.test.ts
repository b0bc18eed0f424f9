import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

import { expect, test } from 'vitest';

import { startLoopback } from '../http/loopback.test-support.ts';
import type { Answer } from '../http/loopback.test-support.ts';
import type { TokenScope } from './audience.ts';
import { createTokenProvider } from './token-provider.ts';
import type { TokenProvider } from './token-provider.ts';

const GENERAL: TokenScope = { audience: 'API', scopes: null };
const { signal } = new AbortController();

interface Asked {
  readonly tokens: TokenProvider;
  readonly events: string[];
}

function providerOf(authUrl: string): Asked {
  const events: string[] = [];
  const tokens = createTokenProvider({
    credentials: { authUrl, clientId: 'me', clientSecret: 'canary-secret' },
    onRequest: async () => {
      events.push('request');
    },
    onSecret: (token) => events.push(`hide ${token}`),
    redact: (text) => text,
  });
  return { tokens, events };
}

async function provider(answer: Answer): Promise<Asked> {
  return providerOf((await startLoopback(answer)).address);
}

/** Answers with t1, t2, … */
function numbered(): Answer {
  let issued = 0;
  return (_, response) => response.end(JSON.stringify({ accessToken: `t${++issued}` }));
}

test('50 callers at once and all later ones share one request and one token', async () => {
  const { tokens, events } = await provider(numbered());
  const all = await Promise.all(Array.from({ length: 50 }, () => tokens.token(GENERAL, signal)));
  expect(new Set(all)).toStrictEqual(new Set(['t1']));
  expect(await tokens.token({ audience: 'API', scopes: null }, signal)).toBe('t1');
  expect(events).toStrictEqual(['request', 'hide t1']);
});

test('each scope has a token of its own', async () => {
  const { tokens, events } = await provider(numbered());
  const scopes: TokenScope[] = [
    GENERAL,
    { audience: 'AMAPI', scopes: null },
    { audience: 'API', scopes: ['AMAPI'] },
    { audience: 'API', scopes: ['AMAPI', 'UMAPI'] },
    { audience: 'API', scopes: ['AMAPI,UMAPI'] },
  ];
  const first: string[] = [];
  for (const scope of scopes) first.push(await tokens.token(scope, signal));
  expect(first).toStrictEqual(['t1', 't2', 't3', 't4', 't5']);
  for (const [index, scope] of scopes.entries()) expect(await tokens.token(scope, signal)).toBe(first[index]);
  expect(events.filter((event) => event === 'request')).toHaveLength(5);
});

test.each([401, 429, 500])('a failure (%i) is everybody’s answer: nobody asks again', async (status) => {
  const { tokens, events } = await provider((_, response) => response.writeHead(status).end());
  const ask = (): Promise<unknown> => tokens.token(GENERAL, signal).catch((error: unknown) => error);
  const errors = await Promise.all(Array.from({ length: 50 }, ask));
  expect(errors[0]).toBeInstanceOf(Error);
  expect(new Set([...errors, await ask()]).size).toBe(1);
  expect(events).toStrictEqual(['request']);
});

test('the end of the caller who came first is not the end of the others', async () => {
  const waiting: ServerResponse[] = [];
  const { address, server } = await startLoopback((_, response) => {
    waiting.push(response);
    if (waiting.length > 1) response.end('{"accessToken":"t"}');
  });
  const { tokens, events } = providerOf(address);
  const first = new AbortController();
  const reason = new Error('stopped');
  const asked = once(server, 'request');
  const results = Promise.allSettled([
    tokens.token(GENERAL, first.signal),
    tokens.token(GENERAL, signal),
    tokens.token(GENERAL, signal),
  ]);
  await asked;
  first.abort(reason);
  expect(await results).toStrictEqual([
    { status: 'rejected', reason },
    { status: 'fulfilled', value: 't' },
    { status: 'fulfilled', value: 't' },
  ]);
  expect(events).toStrictEqual(['request', 'request', 'hide t']);
});

test('nothing is asked for somebody who has stopped already', async () => {
  const { tokens, events } = providerOf('http://127.0.0.1:1');
  const reason = new Error('stopped');
  await expect(tokens.token(GENERAL, AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(events).toStrictEqual([]);
});
