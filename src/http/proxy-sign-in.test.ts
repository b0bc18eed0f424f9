import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isConnectorError } from '../errors.ts';
import { requestFor } from './loopback.test-support.ts';
import { startProxy } from './proxy.test-support.ts';
import { exchange } from './request.ts';

beforeEach(() => {
  for (const name of ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY'])
    for (const variable of [name, name.toLowerCase()]) vi.stubEnv(variable, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const SIGN_IN =
  ' Sign in to the network, or ask its operator to let this machine through; check that https_proxy is the address of a proxy.';

test.each<[reply: string, words: string]>([
  [
    'HTTP/1.1 302 Found\r\nlocation: https://me:canary@login.example/start?token=canary\r\ncontent-length: 0\r\n\r\n',
    `(status 302). It redirects to https://login.example/start, perhaps a page to sign in.${SIGN_IN}`,
  ],
  ['HTTP/1.1 307 No\r\nlocation: /start\r\ncontent-length: 0\r\n\r\n', '/start, perhaps a page to sign in.'],
  ['HTTP/1.1 303 No\r\ncontent-length: 0\r\n\r\n', `(status 303).${SIGN_IN}`],
  [
    'HTTP/1.1 511 Network Authentication Required\r\ncontent-type: text/html\r\n\r\n<html><h1>Sign in first</h1>',
    `(status 511: Sign in first).${SIGN_IN}`,
  ],
])('a proxy that wants a person to sign in is a config_error with the address: %j', async (reply, words) => {
  const proxy = await startProxy({ say: reply }, () => undefined, null);
  vi.stubEnv('https_proxy', `http://127.0.0.1:${proxy.port}`);
  const error: unknown = await exchange(requestFor('https://api.example/a', {})).catch(
    (failure: unknown) => failure,
  );
  expect(isConnectorError(error, 'PROXY')).toBe(true);
  const { message } = error as Error;
  expect(message).toContain(
    `the proxy 127.0.0.1:${proxy.port} refuses to connect to api.example:443 (status `,
  );
  expect(message).toContain(words);
  expect(message).not.toContain('canary');
});
