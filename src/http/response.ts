import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '../config/files.ts';
import { QUOTED } from '../limits.ts';

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly elapsedMs: number; // from the start of the request to the last byte of the body
}

/** Headers that identify a request in the logs of servers and gateways. */
const REQUEST_IDS = (
  'x-request-id x-correlation-id request-id x-amzn-requestid x-amz-request-id x-amz-cf-id x-ms-request-id ' +
  'x-azure-ref x-cloud-trace-context cf-ray'
).split(' ');

type Redact = (text: string) => string;

export type Excerpt = Readonly<ReturnType<typeof excerptOf>>;

/** The parts of a response that error messages quote: printable, bounded and without secrets. */
export function excerptOf({ headers, body }: Pick<HttpResponse, 'headers' | 'body'>, redact: Redact) {
  const start = body.toString('utf8', 0, QUOTED.decodedBytes).trimStart().slice(0, QUOTED.maskedChars);
  const line = printable(redact(start)).slice(0, QUOTED.chars);
  return {
    text: line.replace(/[\ud800-\udbff]$/, ''), // the start of the body on one line, without an unpaired surrogate at its end
    requestIds: requestIdsOf(headers, redact),
    isNotJson: /^[^{["]/.test(line), // HTML or plain text, as from a gateway; false for an empty body
  };
}

/** The excerpt as a sentence that begins with a space; empty if there is nothing to quote. */
export function serverSays({ text, requestIds }: Excerpt): string {
  return `${text === '' ? '' : ` The server says: ${text}`}${requestIds}`;
}

const ERROR_NAME = /error|exception|(?<!de)fault/i;
const REMARK_NAME = /^(message|msg|details?|description|reason)$/i;

/** The members of a JSON object that report an error, unless they say that there is none. */
export function errorsIn(value: JsonObject): [name: string, error: unknown][] {
  return Object.entries(value).filter(([name, error]) => ERROR_NAME.test(name) && isStated(error));
}

/** The members of a JSON object that remark something, such as a failure where nothing else is in it. */
export function remarksIn(value: JsonObject): [name: string, remark: string][] {
  return Object.entries(value).flatMap(([name, remark]) =>
    REMARK_NAME.test(name) && typeof remark === 'string' && remark !== '' ? [[name, remark]] : [],
  );
}

/** False for members that say that there is nothing. */
export function isStated(value: unknown): boolean {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return Boolean(value) && !isEmpty;
}

/** Precedes the advice for a 403 that is not JSON. */
export const GATEWAY_HINT =
  'The response is not JSON, so a gateway or firewall may have blocked the request: check that this machine may access ' +
  'the API. If the API itself responded: ';

/** How APIs and gateways say that a limit on requests has been reached, in prose or as an error code. */
const LIMIT_WORDS =
  /rate[ _-]?limit|too[ _-]?many[ _-]?requests|quota[ _-]?(\w+ ){0,3}(exceeded|exhausted|reached)|exceeded (\w+ ){0,4}quota|out of call volume quota|(request|call)s?[ _-]?limit[ _-]?(\w+ ){0,3}(exceeded|reached)|throttl/i;

/** What a 403 says that is no missing permission. */
const EXCEEDED = /exceed|\bover (the |your )?(rate|quota|quer)|spike ?arrest/i;
/** Statuses that some services use instead of 429. */
const LIMIT_STATUSES = [420, 429, 430];
/** Refusals that are about the token, the address or a time-out, whatever else they say. */
const OTHER_STATUSES = [401, 404, 408, 425];

/**
 * True if a response limits the rate of requests: a 429, or another refusal that says when to come back, or mentions a limit.
 */
export function isRateLimit(status: number, headers: IncomingHttpHeaders, { text }: Excerpt): boolean {
  if (LIMIT_STATUSES.includes(status)) return true;
  if (status < 400 || status >= 500 || OTHER_STATUSES.includes(status)) return false;
  if (status === 403 && EXCEEDED.test(text)) return true;
  return headers['retry-after'] !== undefined || LIMIT_WORDS.test(text);
}

/** A URL for messages, as it is sent, without its query and credentials, which may contain secrets. */
export function displayUrl({ origin, pathname }: URL): string {
  return pathname === '/' ? origin : origin + pathname;
}

/** The target of a redirect for messages, with a trailing slash if it has one; null if there is none. */
export function redirectTarget({ location }: IncomingHttpHeaders, from: URL): string | null {
  if (location === undefined || !URL.canParse(location, from.href)) return null;
  const { origin, protocol, pathname } = new URL(location, from);
  // only web addresses have an origin
  return origin === 'null' ? `${protocol}…` : printable(origin + pathname);
}

/** Removes trailing slashes; the lookbehind makes this linear. */
export function trimSlashes(address: string): string {
  return address.replace(/(?<!\/)\/+$/, '');
}

/** The request IDs of a response, such as ` (x-request-id 4f1c)`; empty if it has none. */
export function requestIdsOf(headers: IncomingHttpHeaders, redact: Redact): string {
  const named = REQUEST_IDS.filter((name) => headers[name]);
  const ids = named.map((name) => `${name} ${quoteHeader(String(headers[name]), redact)}`);
  return ids.length === 0 ? '' : ` (${ids.join(', ')})`;
}

/** A header value for messages; masked before it is truncated, because a part of a secret might not be recognized. */
export function quoteHeader(value: string, redact: Redact): string {
  return printable(redact(value)).slice(0, QUOTED.idChars);
}

/** The text on one line, without characters that control a terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

const SECONDS = /^\d{1,9}(\.\d+)?$/;
/** Some servers send the time itself, as seconds or ms since the epoch. */
const EPOCH = /^1\d{9}(\d{3})?$/;
/** All three formats of an HTTP date begin with the weekday. Without this check, Date.parse would accept almost any text. */
const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)([a-z]*day)?,? /i;

/** The wait in ms that `Retry-After` requests. A date is compared with the server's own `Date`, if there is one. */
export function retryAfterMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const text = headers['retry-after']?.trim() ?? '';
  if (SECONDS.test(text)) return Math.ceil(Number(text)) * 1000;
  const untilMs = EPOCH.test(text) ? Number(text.padEnd(13, '0')) : httpDate(text);
  return Number.isNaN(untilMs) ? undefined : Math.max(0, untilMs - (httpDate(headers.date ?? '') || nowMs));
}

/** An HTTP date in ms since the epoch, or NaN. It is always in GMT, although its oldest format does not say so. */
function httpDate(text: string): number {
  return HTTP_DATE.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : NaN;
}

/** A server time not later than the request, in ms since the epoch; undefined without `Date`. */
export function serverTimeOf({ headers, elapsedMs }: HttpResponse): number | undefined {
  const date = Date.parse(headers.date ?? '');
  return Number.isNaN(date) ? undefined : Math.floor(date - elapsedMs);
}
