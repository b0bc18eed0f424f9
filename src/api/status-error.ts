import type { IncomingHttpHeaders } from 'node:http';
import { duration } from '../clock.ts';
import { configError, refusalError, type ConnectorError } from '../errors.ts';
import { HttpExchangeError, adviceFor, mayPass } from '../http/exchange-error.ts';
import { displayUrl, gatewayHint, isRateLimit, reasonFirst, redirectTarget } from '../http/response.ts';
import { SIGN_IN, SIGN_IN_ADVICE } from '../http/response.ts';
import { serverSays, trimSlashes, wordsOf, type Excerpt, type HttpResponse } from '../http/response.ts';
import { saysTokenRefused, type Topic } from '../http/server-words.ts';
import { LASTING_ANSWER_MS, QUOTED } from '../limits.ts';
import { listed, quoted } from '../protocol/messages.ts';
import { BadPageError, type OtherShapeError } from '../rows/page.ts';
import { describeScope, type TokenScope } from '../token/rules.ts';

/** A response whose status, or what its body states instead, is no page. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly excerpt: Excerpt;
  readonly isRateLimited: boolean;

  constructor({ status, headers }: Pick<HttpResponse, 'status' | 'headers'>, excerpt: Excerpt) {
    super(`status ${status}${excerpt.requestIds}${excerpt.text === '' ? '' : `: ${excerpt.text}`}`);
    this.status = status;
    this.headers = headers;
    this.excerpt = excerpt;
    this.isRateLimited = isRateLimit(status, headers, excerpt);
  }
}

/** The body of a 200 response is not a page; its headers count all the same. */
export class BadResponseError extends BadPageError {
  readonly fault: string | null; // where its text is broken; null if it is something else than a broken page
  readonly isWhole: boolean; // it is a page of the list, up to its end
  readonly isCut: boolean; // its text is broken or missing, or too large
  readonly headers: IncomingHttpHeaders;

  constructor(
    message: string,
    fault: string | null,
    { isWhole, isCut }: { readonly isWhole: boolean; readonly isCut: boolean },
    headers: IncomingHttpHeaders,
  ) {
    super(message);
    this.fault = fault;
    this.isWhole = isWhole;
    this.isCut = isCut;
    this.headers = headers;
  }
}

/**
 * 304 is retryable because no request is conditional, so a cache between the API and us must be at fault. A 413 can only be about the
 * response, since no request has a body.
 */
const RETRYABLE = new Set([304, 408, 413, 425]);

/** True for a failure that may be temporary, whatever was requested. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof HttpExchangeError) return mayPass(error);
  if (!(error instanceof StatusError)) return error instanceof BadPageError;
  const { status } = error;
  const isOfServer = status >= 500 && status !== SIGN_IN;
  return error.isRateLimited || isOfServer || status < 300 || RETRYABLE.has(status);
}

/** True if a refusal may be about the form of a parameter. */
export const refusesForm = ({ status }: StatusError): boolean => status === 400 || status === 422;

/**
 * Returns whether a refusal is about the token, as a 401 or as a 403; null if it is not. Some services say so with another status: in a
 * challenge with an error of RFC 6750, or, unless the request has a cursor, which may be called a token too, in words.
 */
export function aboutToken(error: StatusError, hasCursor: boolean): 401 | 403 | null {
  const { status, headers } = error;
  if (status === 401 || status === 403) return status;
  if (status < 400) return null;
  const [, challenge] = CHALLENGE.exec(headers['www-authenticate'] ?? '') ?? [];
  if (challenge !== undefined) return /^insufficient/i.test(challenge) ? 403 : 401;
  return status === 498 || (!hasCursor && saysTokenRefused(wordsOf(error))) ? 401 : null;
}

/** The error that a challenge names. */
const CHALLENGE = /\berror="?(\w+)/i;

/** True for a failure that a page with fewer rows may avoid: it takes too long, is cut, or is larger than something on the way allows. */
export function mayBeTooLarge(error: unknown): boolean {
  if (error instanceof HttpExchangeError) return error.fault === 'broken';
  if (error instanceof BadResponseError) return error.isCut;
  if (!(error instanceof StatusError) || error.status === SIGN_IN) return false;
  return error.status >= 500 || LARGE.has(error.status);
}

const LARGE = new Set([408, 413]);

/** Where a list is, and which token it requires; contains no secrets. */
export interface ListEndpoint {
  readonly stream: string;
  readonly place: string; // its path in the config, such as `lists[1]`
  readonly url: URL; // for example `https://host/v1/name`, without a query
  readonly baseUrl: string; // as configured
  readonly scope: TokenScope;
}

const CODES: Partial<Record<number, 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND'>> = {
  401: 'UNAUTHORIZED',
  402: 'FORBIDDEN',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'NOT_FOUND',
  410: 'NOT_FOUND',
  [SIGN_IN]: 'FORBIDDEN',
};

/** What a list refuses, by status. */
const REFUSED: Partial<Record<number, string>> = {
  402: 'the product was not bought',
  403: 'the permission is missing or the product was not bought',
};

/** The config_error for a permanent failure: what happened, and what a person can do about it. */
export function describeStatus(
  error: StatusError,
  endpoint: ListEndpoint,
  query: string,
  boundAdvice: string | null,
): ConnectorError {
  const { status, excerpt } = error;
  const { stream, place, url, scope } = endpoint;
  const audience = describeScope(scope);
  const address = displayUrl(url);
  const baseUrl = displayUrl(new URL(endpoint.baseUrl));
  const path = address.slice(trimSlashes(baseUrl).length);
  const modules = ` token.scopes limits the token to ${listed(scope.scopes ?? [], quoted)}: add the module of ${stream} there.`;
  const grant = `A privileged user in the customer organization must grant the integrator the permission for ${stream}. `;
  const texts = {
    UNAUTHORIZED:
      `the API rejected a valid token for audience ${audience} (${status}). ` +
      `Check ${scope.key}: the token must be valid for the module of ${stream}. Also check that ${place}.base_url and auth_url belong to the ` +
      'same environment.',
    FORBIDDEN:
      status === SIGN_IN
        ? SIGN_IN_ADVICE
        : `${REFUSED[status] ?? REFUSED[403]} (${status}), for audience ` +
          `${audience} (${scope.key}). ${status === 402 ? '' : grant}The organization must have bought the product.${scope.scopes === null ? '' : modules}`,
    NOT_FOUND:
      `there is no list at ${address} (${status}). ${place}.base_url (currently "${baseUrl}")${place === stream ? '' : ` or ${place}.path`} is ` +
      `probably wrong; base_url is the part before "${path}". If it is right, the organization may not have bought the product of ${stream}` +
      (boundAdvice === null
        ? '.'
        : `, or the service does not know the bound in "${query}" any more. ${boundAdvice}`),
    REDIRECTED: describeRedirect(error, endpoint, baseUrl, path),
    REQUEST_REFUSED:
      `the API rejected the request (${status}) with ${query === '' ? 'no parameters' : `"${shortened(query)}"`}.` +
      `${saidOf(excerpt)} ${suspectsOf(error, query, endpoint, boundAdvice)}`,
  };
  const hasCursor = cursorIn(query) !== null;
  const known = CODES[aboutToken(error, hasCursor) ?? status];
  const other = status < 400 ? 'REDIRECTED' : 'REQUEST_REFUSED';
  // the page before it could be read, so the address is right
  const code = hasCursor && known === 'NOT_FOUND' ? other : (known ?? other);
  const { lead, hasSaid } = leadOf(error, code, hasCursor);
  const said = hasSaid || code === 'REDIRECTED' || code === 'REQUEST_REFUSED' ? '' : serverSays(excerpt);
  return refusalError(code, `${stream}: ${lead}${texts[code]}${said}`, error);
}

/** What a refusal is about unless the server says otherwise. */
const TOPICS: Partial<Record<string, Topic>> = { UNAUTHORIZED: 'token', FORBIDDEN: 'permission' };

/** What precedes the advice: a gateway that is suspected, or the words of the server if they give another reason. */
function leadOf(error: StatusError, code: string, hasCursor: boolean) {
  if (error.status === SIGN_IN) return { lead: '', hasSaid: false };
  const topic = TOPICS[code] ?? null;
  const isParameter = code === 'REQUEST_REFUSED' && ABOUT_PARAMETERS.has(error.status) && !hasCursor;
  const mayBeGateway = topic !== null || (isParameter && !LONG_HEADERS.test(error.excerpt.text));
  const gateway = mayBeGateway ? gatewayHint(error) : '';
  const reason = topic === null || gateway !== '' ? '' : reasonFirst(error, topic);
  const lead = gateway + reason;
  return { lead: lead === '' ? '' : `status ${error.status}. ${lead}`, hasSaid: reason !== '' };
}

/** What the server says of a refused request, which may name the cause; empty, or a sentence that begins with a blank. */
function saidOf(excerpt: Excerpt): string {
  const said = serverSays({ ...excerpt, text: excerpt.text.replace(/[.\s]+$/, '') });
  return said === '' ? '' : `${said}.`;
}

const cursorIn = (query: string): string | null => new URLSearchParams(query).get('after');

/** Statuses that may be about the parameters of a request. */
const ABOUT_PARAMETERS = new Set([400, 414, 416, 422]);
/** What servers say of a request with too many bytes before its body, of which only the token can be long. */
const LONG_HEADERS = /header[\w ]{0,30}too (large|long|big)/i;

/** What to do about a refused request. All of it but the cursor was in the request for the page before. */
function suspectsOf(
  error: StatusError,
  query: string,
  { place, scope }: Pick<ListEndpoint, 'place' | 'scope'>,
  boundAdvice: string | null,
): string {
  const { status, excerpt } = error;
  const cursor = cursorIn(query);
  if (cursor !== null)
    return (
      `"after" is the cursor that the API returned (${cursor.length} characters), and the page before it could be read, ` +
      "so ask the API's provider why it is refused."
    );
  if (status === 431 || LONG_HEADERS.test(excerpt.text))
    return `The token is too long for the server, or for a gateway on the way: request one for fewer modules (${scope.key}).`;
  if (!ABOUT_PARAMETERS.has(status))
    return (
      `${gatewayHint(error)}This status is not about the parameters: check ${place}.base_url, and ask the API's provider, or the operator ` +
      'of a proxy on the way, what it requires.'
    );
  const lead = excerpt.text === '' ? '' : 'If that does not say what to change: ';
  if (query === '')
    return `${lead}Set ${place}.page_size to send a limit, or ${place}.start_date to send createdSince. Otherwise check ${place}.base_url.`;
  const check = boundAdvice === null ? 'Check' : `${boundAdvice} Otherwise check`;
  return `${lead}${check} ${query.includes('limit=') ? `${place}.page_size or ` : ''}${place}.base_url.`;
}

function shortened(query: string): string {
  return query.length > QUOTED.chars ? `${query.slice(0, QUOTED.chars)}…` : query;
}

/** Names the target of a redirect, and the key to change. */
function describeRedirect(
  { status, headers, excerpt }: StatusError,
  endpoint: ListEndpoint,
  baseUrl: string,
  path: string,
): string {
  const target = redirectTarget(headers, endpoint.url);
  const redirects = `the address redirects (${status}) to ${target ?? 'no address'}${excerpt.requestIds}`;
  const why = 'Redirects are never followed, because they could send the token to another host.';
  const isList =
    target !== null && lastPart(target) === lastPart(path) && target !== displayUrl(endpoint.url);
  const cure = isList ? redirectCure(target, endpoint, baseUrl, path) : noListCure(target, endpoint);
  return `${redirects}. ${why} ${cure}`;
}

const lastPart = (path: string): string => trimSlashes(path).split('/').at(-1) ?? '';

/** What a redirect to something else than the list may mean. */
function noListCure(target: string | null, { place, url }: ListEndpoint): string {
  const isSame = target === displayUrl(url);
  const what = isSame
    ? 'It leads to itself, as where a firewall or a page to sign in wants a cookie'
    : 'It does not lead to the list, but perhaps to a page to sign in';
  return `${what}: check that ${place}.base_url is the address of the API, and that this machine may access it.`;
}

/** Changes the path if only that differs from the target, else the base address. */
function redirectCure(target: string, { stream, place }: ListEndpoint, baseUrl: string, path: string) {
  const start = trimSlashes(baseUrl);
  if (target.startsWith(`${start}/`)) {
    const other = JSON.stringify(target.slice(start.length));
    if (place !== stream) return `Set ${place}.path (currently "${path}") to ${other}.`;
    return `Use an entry of \`lists\` with path ${other} instead of ${stream}, whose path is fixed.`;
  }
  const base = target.endsWith(path) ? `, ${target.slice(0, -path.length)}` : `, without ${path}`;
  return `Set ${place}.base_url (currently "${baseUrl}") to the final address${base}.`;
}

const LASTING = `This did not pass within ${duration(LASTING_ANSWER_MS)}, so ask the API's provider to correct it.`;

/** What a page must be; docs/lists.md says the same. */
const PAGE_SHAPE =
  'Supported are objects with "items" (an array of objects) and "metadata": {"pagination": {…}}, where "pagination" has "offset" and ' +
  '"totalCount" (paging "offset") or "nextCursor" (paging "cursor").';

/** The config_error for a list whose responses are no pages, or those of another kind of paging; it may have returned pages before. */
export function describeOtherShape(
  { message, cure }: OtherShapeError,
  endpoint: ListEndpoint,
  hasReturnedPage: boolean,
): ConnectorError {
  const { stream, place, url } = endpoint;
  if (cure !== null) return configError('PAGES_UNUSABLE', `${stream}: ${message}. ${cure}`);
  const keys = place === stream ? `${place}.base_url` : `${place}.base_url and ${place}.path`;
  const advice = `Check ${keys}: is there such a list at ${displayUrl(url)}? A list of another shape cannot be read.`;
  const problem = `the response is not a page that can be read: ${message}.`;
  return configError(
    'PAGES_UNUSABLE',
    `${stream}: ${problem} ${PAGE_SHAPE} ${hasReturnedPage ? `Earlier pages had it. ${LASTING}` : advice}`,
  );
}

/** The config_error for a list whose pages are broken, time and again. */
export function describeBrokenPage({ message }: BadPageError, { stream }: ListEndpoint): ConnectorError {
  return configError('PAGES_UNUSABLE', `${stream}: the page cannot be read: ${message}. ${LASTING}`);
}

/** The config_error for a failure of the network that no further attempt would change. */
export function describeFault(error: HttpExchangeError, { stream, place }: ListEndpoint): ConnectorError {
  const code = error.fault === 'tls' ? 'TLS' : 'INVALID_HTTP';
  return configError(code, `${stream}: ${error.message}. ${adviceFor(error, `${place}.base_url`)}`);
}
