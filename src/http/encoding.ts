import { gunzipSync } from 'node:zlib';

import { isLoopback } from '../config/loopback.ts';
import { messageOf } from '../errors.ts';
import { HttpExchangeError } from './answer.ts';

/** What a request accepts: gzip costs 1.7 ms of CPU for a MB of JSON, which pays on any link but within the machine. */
export function acceptedEncoding(url: URL): string {
  return isLoopback(url.hostname) ? 'identity' : 'gzip';
}

/**
 * The body as it was before it was encoded; gzip is understood whether it was asked for or not.
 *
 * @throws HttpExchangeError if it is cut or damaged, larger than `maxBytes` when decoded, or encoded otherwise
 */
export function decodedBody(body: Buffer, encoding: string | undefined, maxBytes: number): Buffer {
  const name = (encoding ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return body;
  if (name !== 'gzip' && name !== 'x-gzip')
    throw new HttpExchangeError(`the answer is encoded as ${name}, which was not asked for`);
  try {
    return gunzipSync(body, { maxOutputLength: maxBytes });
  } catch (error) {
    const isTooLarge = error instanceof RangeError;
    throw new HttpExchangeError(
      isTooLarge
        ? `the answer is larger than ${maxBytes} bytes`
        : `the answer is not valid gzip (${messageOf(error)})`,
      { cause: error },
    );
  }
}
