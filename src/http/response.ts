import type { IncomingHttpHeaders } from 'node:http';
import { QUOTED } from '../limits.ts';
import { saysElse, saysLimit, saysNoToken, type Topic } from './server-words.ts';
import { statedWait } from './stated-wait.ts';

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

/** Headers that say why a request was refused, often without a body. */
const REASONS = [
  'WWW-Authenticate',
  'Proxy-Authenticate',
  'X-Amzn-ErrorType',
  'X-Amzn-Waf-Action',
  'CF-Mitigated',
  'Proxy-Status',
  'X-Squid-Error',
];

/** A challenge that says no more than the status. */
const USUAL = /^bearer( realm="[^"]*")?$/i;

type Redact = (text: string) => string;

export type Excerpt = Readonly<ReturnType<typeof excerptOf>>;

/** The parts of a response that error messages quote: printable, bounded and without secrets. */
export function excerptOf({ headers, body }: Pick<HttpResponse, 'headers' | 'body'>, redact: Redact) {
  const start = body.toString('utf8', 0, QUOTED.decodedBytes).trimStart();
  const line = lineOf(start, redact);
  // masked first: of a secret with a < or > only parts would be left
  const texts = MARKUP.test(start) ? shownText(redact(start)) : '';
  const said = lineOf(texts, String);
  return {
    text: said === '' ? line : said, // its start on one line; of HTML and XML their texts
    requestIds: requestIdsOf(headers, redact),
    isNotJson: /^[^{["]/.test(line), // HTML or plain text, as from a gateway; false for an empty body
    askedWait: statedWait(texts === '' ? start : texts),
  };
}

/** The start of a text on one line, without secrets, and without an unpaired surrogate at its end. */
export function lineOf(text: string, redact: Redact): string {
  const line = printable(redact(text.slice(0, QUOTED.maskedChars))).slice(0, QUOTED.chars);
  return line.replace(/[\ud800-\udbff]$/, '');
}

/** How HTML and XML begin. */
const MARKUP = /^<(!doctype|!--|\?xml|[a-z][\w.-]*(:[\w.-]+)?([\s/>]|$))/i;

/**
 * What a browser shows of HTML: its title and texts; of XML, such as a SOAP fault, its texts. Each pattern is linear, and leaves a blank,
 * so that nothing grows together.
 */
export function shownText(markup: string): string {
  const texts = markup.replaceAll(/<!\[CDATA\[|\]\]>/g, ' ');
  const shown = texts.replaceAll(/<!--[^]*?(-->|$)|<(script|style|svg|noscript)\b[^]*?(<\/\2|$)/gi, ' <');
  return shown.replaceAll(/<[^<>]*>?/g, ' ').trim();
}

/** The excerpt as a sentence that begins with a space; empty if there is nothing to quote. */
export function serverSays({ text, requestIds }: Excerpt): string {
  return `${text === '' ? '' : ` The server says: ${text}`}${requestIds}`;
}

/** False for members that say that there is nothing. */
export function isStated(value: unknown): boolean {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return Boolean(value) && !isEmpty;
}

type Refused = Readonly<{ headers: IncomingHttpHeaders; excerpt: Excerpt }>;

/** What a server says of a refusal, in its body and in its challenge. */
export function wordsOf({ headers, excerpt }: Refused): string {
  return `${excerpt.text} ${headers['www-authenticate'] ?? ''}`.trim();
}

/**
 * Precedes the advice for a refusal whose server gives another reason than the topic of its status: the server knows better. Ends with
 * a blank, or is empty; otherwise what the server says needs not follow the advice.
 */
export function reasonFirst({ excerpt }: Pick<Refused, 'excerpt'>, topic: Topic): string {
  if (!saysElse(excerpt.text, topic)) return '';
  const said = serverSays({ ...excerpt, text: excerpt.text.replace(/[.\s]+$/, '') }).trim();
  return `${said}. Ask the operator of the server about that. If it is not the reason: `;
}

/** Precedes the advice for a refusal that may not be from the API; ends with a blank, or is empty. */
export function gatewayHint({ headers, excerpt }: Refused): string {
  const challenge = headers['www-authenticate'] ?? '';
  const [scheme] = /bearer/i.test(challenge) ? [] : (/^\w+/.exec(challenge) ?? []);
  const lead = 'so a gateway or firewall';
  const end = 'If the API itself responded: ';
  if (saysNoToken(wordsOf({ headers, excerpt })))
    return `The response says that no token was sent, or not as expected, ${lead} may have removed or changed it, or does not know the address: check both. ${end}`;
  if (scheme === undefined && !excerpt.isNotJson) return '';
  const sign =
    scheme === undefined ? 'The response is not JSON' : `The response asks for ${scheme} authentication`;
  return `${sign}, ${lead} may have blocked the request: check that this machine may access the API. ${end}`;
}

/** The status of networks in which a person must sign in first (RFC 6585): not of the server, and no outage. */
export const SIGN_IN = 511;
export const SIGN_IN_ADVICE = `the network requires that a person signs in first (${SIGN_IN}). Do so on this machine, or ask the operator of the network to let it through.`;

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
  return headers['retry-after'] !== undefined || saysLimit(text);
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

/** The request IDs of a response and what else its headers say, such as ` (x-request-id 4f1c)`; empty if it has none. */
export function requestIdsOf(headers: IncomingHttpHeaders, redact: Redact): string {
  const ids = REQUEST_IDS.filter((name) => headers[name]).map(
    (name) => `${name} ${quoteHeader(String(headers[name]), redact)}`,
  );
  const reasons = REASONS.flatMap((name) => {
    const value = headers[name.toLowerCase()];
    return value === undefined || USUAL.test(String(value))
      ? []
      : [`${name}: ${printable(redact(String(value))).slice(0, QUOTED.chars)}`];
  });
  const all = [...ids, ...reasons];
  return all.length === 0 ? '' : ` (${all.join(', ')})`;
}

/** A header value for messages; masked before it is truncated, because a part of a secret might not be recognized. */
export function quoteHeader(value: string, redact: Redact): string {
  return printable(redact(value)).slice(0, QUOTED.idChars);
}

/** The text on one line, without characters that control a terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

/** A server time not later than the request, in ms since the epoch; undefined without `Date`. */
export function serverTimeOf({ headers, elapsedMs }: HttpResponse): number | undefined {
  const date = Date.parse(headers.date ?? '');
  return Number.isNaN(date) ? undefined : Math.floor(date - elapsedMs);
}
