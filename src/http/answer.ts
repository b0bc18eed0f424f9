import type { IncomingHttpHeaders } from 'node:http';

import { QUOTED } from '../limits.ts';

/** Headers by which servers and gateways name an answer, for whoever looks for it in their logs. */
const REQUEST_IDS = (
  'x-request-id x-correlation-id request-id x-amzn-requestid x-amz-request-id x-amz-cf-id x-ms-request-id ' +
  'x-azure-ref x-cloud-trace-context cf-ray'
).split(' ');

/** What an answer that is no use says of itself, for messages. */
export type AnswerWords = Readonly<ReturnType<typeof wordsOf>>;

/** What an answer says of itself, printable and bounded, without secrets. */
export function wordsOf(
  { headers, body }: { readonly headers: IncomingHttpHeaders; readonly body: Buffer },
  redact: (text: string) => string,
) {
  const text = body.toString('utf8', 0, QUOTED.decodedBytes).trimStart().slice(0, QUOTED.maskedChars);
  const line = printable(redact(text)).slice(0, QUOTED.chars);
  return {
    /** The beginning of the body, on one line; half a surrogate pair is no character. */
    excerpt: line.replace(/[\ud800-\udbff]$/, ''),
    requestIds: requestIdsIn(headers, redact),
    /** True if it speaks in another form than JSON, as gateways and firewalls do: in HTML or plain words. */
    isForeign: /^[^{["]/.test(line),
  };
}

/** What an answer says, as a sentence of its own behind a blank; empty where it says nothing. */
export function asSaid({ excerpt, requestIds }: AnswerWords): string {
  const said = excerpt === '' ? '' : ` The server says: ${excerpt}`;
  return requestIds === '' ? said : `${said} (${requestIds})`;
}

/** An address as messages may show it: without query and user, which may hold a key. */
export function shownAddress({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/$/, '');
}

/** An address without the slashes at its end, in linear time. */
export function withoutSlashes(address: string): string {
  let end = address.length;
  while (address[end - 1] === '/') end--;
  return address.slice(0, end);
}

/** The ids by which servers and gateways name an answer, such as `x-request-id 4f1c`; empty where it bears none. */
export function requestIdsIn(headers: IncomingHttpHeaders, redact: (text: string) => string): string {
  return REQUEST_IDS.flatMap((name) => {
    const id = headers[name];
    return typeof id === 'string' && id !== '' ? [`${name} ${shownHeader(id, redact)}`] : [];
  }).join(', ');
}

/** A header for messages; secrets are masked before it is cut, or a part of one would not be known. */
export function shownHeader(value: string, redact: (text: string) => string): string {
  return printable(redact(value)).slice(0, QUOTED.idChars);
}

/** The text on one line, without anything that a terminal would obey. */
export function printable(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

const SECONDS = /^\d{1,9}(\.\d+)?$/;
/** The three forms of an HTTP date begin with a day; without that, Date.parse finds a date in nearly everything. */
const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)([a-z]*day)?,? /i;

/** The wait in ms that `Retry-After` asks for; a date is taken against the server's `Date`: its clock counts, if it says. */
export function retryAfterMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  if (SECONDS.test(text)) return Math.ceil(Number(text)) * 1000;
  const untilMs = httpDate(text);
  return Number.isNaN(untilMs) ? undefined : Math.max(0, untilMs - (httpDate(headers.date ?? '') || nowMs));
}

/** An HTTP date in ms since the epoch, else NaN. It is always in GMT, which its oldest form does not say. */
function httpDate(text: string): number {
  return HTTP_DATE.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : NaN;
}

/** The exchange did not end with a whole answer: refused, reset, stalled, cut or too large. Always worth another attempt. */
export class HttpExchangeError extends Error {
  override readonly name = 'HttpExchangeError';
}

/** What a failure of the network says, its code included. */
export function networkMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // an AggregateError of several addresses tried has an empty message
  return [code, error.message].filter((part) => part !== '').join(': ');
}
