import type { IncomingHttpHeaders } from 'node:http';

import { QUOTED } from '../limits.ts';

/** Headers by which servers and gateways name an answer, for whoever looks for it in their logs. */
const REQUEST_IDS = [
  'x-request-id',
  'x-correlation-id',
  'request-id',
  'x-amzn-requestid',
  'x-amz-request-id',
  'x-amz-cf-id',
  'x-ms-request-id',
  'x-azure-ref',
  'x-cloud-trace-context',
  'cf-ray',
];

/** What an answer that is no use says of itself, for messages. */
export interface AnswerWords {
  /** The first 200 characters of the body, on one line. */
  readonly excerpt: string;
  /** For example `x-request-id 4f1c`; empty where the answer bears none. */
  readonly requestIds: string;
  /** True if it speaks in another form than JSON, as gateways and firewalls do: in HTML or plain words. */
  readonly isForeign: boolean;
}

/**
 * What an answer says of itself. Secrets are masked before the body is cut: behind that, half a secret would not be known
 * for one.
 */
export function wordsOf(
  { headers, body }: { readonly headers: IncomingHttpHeaders; readonly body: Buffer },
  redact: (text: string) => string,
): AnswerWords {
  const text = redact(body.toString('utf8', 0, QUOTED.decodedBytes));
  const line = text.replaceAll(/\s+/g, ' ').trim().slice(0, QUOTED.chars);
  return {
    // half a surrogate pair is no character
    excerpt: line.replace(/[\ud800-\udbff]$/, ''),
    requestIds: redact(requestIdsIn(headers)),
    isForeign: /^[^{["]/.test(line),
  };
}

/** The words of an answer as a sentence of their own, with a blank in front; empty where it says nothing. */
export function asSaid({ excerpt, requestIds }: AnswerWords): string {
  const said = excerpt === '' ? '' : ` The server says: ${excerpt}`;
  return requestIds === '' ? said : `${said} (${requestIds})`;
}

/** An address as messages may show it: without query and user, which may hold a key. */
export function shownAddress({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/$/, '');
}

/** The ids by which servers and gateways name an answer, such as `x-request-id 4f1c`; empty where it bears none. */
export function requestIdsIn(headers: IncomingHttpHeaders): string {
  return REQUEST_IDS.flatMap((name) => {
    const id = headers[name];
    return typeof id === 'string' && id !== '' ? [`${name} ${id.slice(0, QUOTED.idChars)}`] : [];
  }).join(', ');
}
