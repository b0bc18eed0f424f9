import { expect, test } from 'vitest';
import { adviceFor, mayHaveArrived, mayPass, type HttpExchangeError } from './exchange-error.ts';
import { handshakeAdvice } from './handshake.ts';
import { getFrom, startRaw } from './loopback.test-support.ts';

const CLIENT =
  /^The server requires a certificate of the client, which cannot be sent: ask its operator for /;
const VERSION = /^Ask the operator of the server to offer TLS 1\.2 or later\.$/;
const CIPHER = /^Ask the operator of the server to allow one of the usual ciphers of TLS 1\.2 or later\.$/;

/** A record of TLS 1.2 with a fatal alert. */
const alert = (code: number): Buffer => Buffer.from([0x15, 3, 3, 0, 2, 2, code]);

test.each<[code: number, words: string, advice: RegExp]>([
  [40, 'alert handshake failure', /^Check a\.base_url: the server may not know its host\. Otherwise ask /],
  [42, 'alert bad certificate', CLIENT],
  [43, 'alert unsupported certificate', CLIENT],
  [46, 'alert certificate unknown', CLIENT],
  [48, 'alert unknown ca', CLIENT],
  [49, 'alert access denied', CLIENT],
  [70, 'alert protocol version', VERSION],
  [71, 'alert insufficient security', CIPHER],
  [
    80,
    'alert internal error',
    /^Check a\.base_url, and ask the operator of the server, or of a firewall on /,
  ],
  [112, 'unrecognized name', /^Check a\.base_url: the server does not know its host\.$/],
  [116, 'alert certificate required', CLIENT],
  [120, 'no application protocol', /^Name the port for HTTP\/1\.1 in a\.base_url\.$/],
])('the alert %i (%s) says what to do', async (code, words, advice) => {
  const address = await startRaw(alert(code), true);
  const error = await getFrom(address.replace('http:', 'https:'), 20_000, 1024).then(
    () => Promise.reject(new Error('it did not fail')),
    (failure: unknown) => failure as HttpExchangeError,
  );
  expect(error.message).toContain(`the TLS handshake with ${new URL(address).host} failed (`);
  expect(error.message).toContain(words);
  expect(adviceFor(error, 'a.base_url')).toMatch(advice);
  expect([error.fault, mayHaveArrived(error), mayPass(error)]).toStrictEqual(['tls', false, false]);
});

test.each<[reason: string, advice: RegExp]>([
  ['unsupported protocol', VERSION],
  ['no shared cipher', CIPHER],
  ['dh key too small', /^Ask the operator of the server for stronger keys and signatures\.$/],
  ['ca md too weak', /^Ask the operator of the server for stronger keys and signatures\.$/],
  ['', /^Check KEY, and ask /],
])('what ends the handshake on this side, such as %j, says what to do', (reason, advice) => {
  expect(handshakeAdvice(reason)).toMatch(advice);
});
