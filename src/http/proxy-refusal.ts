import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { configError } from '../errors.ts';
import { CONNECTION, QUOTED } from '../limits.ts';
import { HttpExchangeError } from './exchange-error.ts';
import { proxyAuthorization, type Proxy } from './proxy.ts';
import { SIGN_IN, excerptOf, redirectTarget } from './response.ts';

/**
 * Refusals that may pass; any other 3xx, 4xx, 501, 505 or 511 is a decision of the proxy, or of something else than a proxy, or asks a person
 * to sign in.
 */
const MAY_PASS = [408, 421, 425, 429];
const FINAL = [501, 505, SIGN_IN];
const isFinal = (status: number): boolean =>
  (status >= 300 && status < 500 && !MAY_PASS.includes(status)) || FINAL.includes(status);

/**
 * The error for a proxy that refuses a request to `target`, with its reason: a config_error PROXY for a decision, an HttpExchangeError for
 * what may pass. `body` is where the body of the response is read from.
 */
export async function proxyRefusal(
  proxy: Proxy,
  target: string,
  { statusCode: status = 0, headers }: IncomingMessage,
  body: Readable,
): Promise<Error> {
  const { text, requestIds } = excerptOf({ headers, body: await startOf(body, headers) }, String);
  const said = `${requestIds}${text === '' ? '' : `: ${text}`}`;
  const { host } = proxy.url;
  if (status === 407) {
    const needs = Object.keys(proxyAuthorization(proxy.url)).length > 0 ? 'other credentials' : 'credentials';
    const problem = `the proxy ${host} requires ${needs} (407${said})`;
    return configError('PROXY', `${problem}. ${credentialsAdvice(proxy, headers)}`);
  }
  const problem = `the proxy ${host} refuses to connect to ${target} (status ${status}${said})`;
  if (status === SIGN_IN || (status >= 300 && status < 400))
    return configError('PROXY', `${problem}.${signInAdvice(proxy, headers)}`);
  const advice = `Check that the proxy may connect to ${target}.`;
  if (!isFinal(status)) return new HttpExchangeError(problem, 'unconnected', advice);
  return configError(
    'PROXY',
    `${problem}. Check that ${proxy.variable} is the address of a proxy, and ask its operator to allow connections to ${target}.`,
  );
}

/** What to do about a proxy that sends a person elsewhere, in sentences that begin with a space. */
function signInAdvice({ url, variable }: Proxy, headers: IncomingHttpHeaders): string {
  const target = redirectTarget(headers, url);
  const redirects = target === null ? '' : ` It redirects to ${target}, perhaps a page to sign in.`;
  return `${redirects} Sign in to the network, or ask its operator to let this machine through; check that ${variable} is the address of a proxy.`;
}

function credentialsAdvice({ url, variable }: Proxy, headers: IncomingHttpHeaders): string {
  const challenges = [headers['proxy-authenticate'] ?? []].flat().join(', ');
  if (challenges !== '' && !/\bbasic\b/i.test(challenges))
    return (
      'Only Basic authentication is supported, which it does not offer: ask its operator for it, or name a proxy in ' +
      `${variable} that signs in for this machine.`
    );
  if (Object.keys(proxyAuthorization(url)).length > 0)
    return `Check the user name and password in ${variable}.`;
  return `Add them to ${variable}, such as http://user:password@${url.host}.`;
}

/** The start of what a proxy says, as far as it arrives within a moment. */
async function startOf(stream: Readable, headers: IncomingHttpHeaders): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const limit = Math.min(Number(headers['content-length'] ?? QUOTED.decodedBytes), QUOTED.decodedBytes);
  let left = limit;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, CONNECTION.reasonMs);
    const stop = (): void => {
      clearTimeout(timer);
      resolve();
    };
    if (left === 0 || stream.destroyed) stop();
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      left -= chunk.length;
      if (left <= 0) stop();
    });
    stream.on('end', stop).on('close', stop).on('error', stop);
  });
  const received = Buffer.concat(chunks).subarray(0, limit);
  return headers['transfer-encoding'] === undefined ? received : withoutSizes(received);
}

/** The content of chunks. Node.js does not parse the body of a response to CONNECT. */
function withoutSizes(body: Buffer): Buffer {
  const [, size, end = ''] = /^([\da-f]+)[^\n]*(\n)/i.exec(body.toString('latin1', 0, 100)) ?? [];
  if (size === undefined || end === '') return body;
  const start = body.indexOf(end) + 1;
  return body.subarray(start, start + Number.parseInt(size, 16));
}
