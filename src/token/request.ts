import { isUtf8 } from 'node:buffer';
import type { Clock } from '../clock.ts';
import { isObject, membersOf, type JsonObject } from '../config/files.ts';
import { valueHint } from '../config/value-hint.ts';
import { configError, isConnectorError, transientError, type ConnectorError } from '../errors.ts';
import { askedWaitMs } from '../http/asked-wait.ts';
import { HttpExchangeError, adviceFor, mayHaveArrived, mayPass } from '../http/exchange-error.ts';
import type { Exchange } from '../http/request.ts';
import {
  errorsIn,
  isRateLimit,
  isStated,
  printable,
  redirectTarget,
  remarksIn,
  serverTimeOf,
} from '../http/response.ts';
import {
  displayUrl,
  excerptOf,
  gatewayHint,
  serverSays,
  type Excerpt,
  type HttpResponse,
} from '../http/response.ts';
import { QUOTED, TOKEN } from '../limits.ts';
import { quoted } from '../protocol/messages.ts';
import type { CachedToken, Credentials } from './cache.ts';
import { describeLimit, describeRequest, expiresAt, tokenRules, type TokenScope } from './rules.ts';

/**
 * `limited`: the endpoint issues no more tokens for now. `ended`: the token has no validity left. `mayHaveIssued`: a token may have
 * been issued all the same, for example if the response is incomplete. `retryAfterMs`: from the response, in ms.
 */
export type Failure =
  | Readonly<{ kind: 'limited'; error: ConnectorError; retryAfterMs: number | undefined }>
  | Readonly<{
      kind: 'failed' | 'ended';
      error: ConnectorError;
      mayHaveIssued: boolean;
      retryAfterMs: number | undefined;
    }>;
export type TokenOutcome = Failure | Readonly<{ kind: 'issued'; token: CachedToken }>;

/** Credentials, and what messages call the secret. */
type RequestCredentials = Credentials & { readonly secretName: string };

export interface RequestDeps extends Pick<Clock, 'now'> {
  readonly exchange: Exchange;
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  readonly hasIssued: boolean; // the endpoint has issued a token for this before, so its address is right
  readonly redact: (text: string) => string; // masks secrets in quoted responses
  readonly onSent: () => void; // called once if the request may have reached the endpoint
}

/** Sends exactly one POST to the token endpoint. No error quotes the secret. */
export async function requestToken(
  credentials: RequestCredentials,
  scope: TokenScope,
  { exchange, signal, deadlineMs, hasIssued, now, redact, onSent }: RequestDeps,
): Promise<TokenOutcome> {
  const { authUrl, clientId, clientSecret } = credentials;
  const { audience, scopes } = scope;
  const url = new URL(authUrl);
  const requestedAtMs = now();
  let response: HttpResponse;
  try {
    response = await exchange({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ clientId, clientSecret, audience, ...(scopes === null ? {} : { scopes }) }),
      deadlineMs,
      maxBytes: TOKEN.maxBytes,
      signal,
    });
  } catch (error) {
    if (mayHaveArrived(error)) onSent();
    if (isConnectorError(error, 'PROXY')) return failed(error, false, undefined);
    if (!(error instanceof HttpExchangeError)) throw error;
    return failed(noResponse(error, url), mayHaveArrived(error), undefined);
  }
  onSent();
  const token = isSuccess(response) ? parseToken(response, scope, requestedAtMs) : null;
  if (token !== null && typeof token !== 'string') return { kind: 'issued', token };
  const refused = refusalIn(response, redact);
  const { status, headers } = response;
  // a refusal with a successful status is judged by its words
  const isLimited = refused !== null && isRateLimit(isSuccess(response) ? 400 : status, headers, refused);
  const waitMs = askedWaitMs(headers, isLimited, now());
  if (isLimited) {
    const message = describeLimit(clientId, scope, ` (${status})`) + serverSays(refused);
    return { kind: 'limited', error: transientError('TOKEN_LIMIT', message, null), retryAfterMs: waitMs };
  }
  if (refused !== null)
    return failed(describeRefusal(refused, response, credentials, scope, hasIssued), false, waitMs);
  return failed(unusable(token ?? '', response, url, redact), true, waitMs);
}

/** The error for a success without a token that can be used, for the reason in `problem`. */
function unusable(
  problem: string,
  response: HttpResponse,
  url: URL,
  redact: RequestDeps['redact'],
): ConnectorError {
  // the text is not quoted, because it might be a token
  const excerpt = excerptOf(response, redact);
  const { requestIds } = excerpt;
  const lead = `auth_url: the response with status ${response.status}${requestIds} ${problem}`;
  const advice = `${gatewayHint({ headers: response.headers, excerpt })}Check that ${displayUrl(url)} is the token endpoint.`;
  const elsewhere = placeOfToken(bodyOf(response));
  const hasToken = isUtf8(response.body) && tokenIn(bodyOf(response)) !== null;
  if (elsewhere === null && !hasToken) return transientError('TOKEN_UNREADABLE', `${lead}. ${advice}`, null);
  // the next response would be the same, and cost another token
  const where = elsewhere === null ? '' : `, but ${quoted(elsewhere)}`;
  return configError('TOKEN_REFUSED', `${lead}${where}. ${advice} Such responses cannot be read.`);
}

/** The path of a token in the wrong place, which is no accident; null if there is none. */
function placeOfToken(body: JsonObject): string | null {
  for (const [name, inner] of Object.entries(body)) {
    const found = isObject(inner) ? Object.keys(inner).find((key) => TOKEN_NAME.test(key)) : undefined;
    if (found !== undefined) return `${name}.${found}`;
  }
  return (
    Object.keys(body).find((key) => TOKEN_NAME.test(key) && isStated(body[key]) && !isToken(key)) ?? null
  );
}

const TOKEN_NAME = /^(access_?|id_?)?token$/i;
const isToken = (name: string): boolean => name === 'accessToken' || name === 'access_token';

function failed(error: ConnectorError, mayHaveIssued: boolean, waitMs: number | undefined): TokenOutcome {
  return { kind: 'failed', error, mayHaveIssued, retryAfterMs: waitMs };
}

function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

function noResponse(error: HttpExchangeError, url: URL): ConnectorError {
  const advice = adviceFor(error, 'auth_url') || 'Check the address and the network.';
  const message = `auth_url: no response from ${displayUrl(url)} (${error.message}). ${advice}`;
  if (mayPass(error)) return transientError('API_UNAVAILABLE', message, error);
  return configError(error.fault === 'tls' ? 'TLS' : 'INVALID_HTTP', `auth_url: ${error.message}. ${advice}`);
}

/** Returns the token in a response, or what is wrong with it. */
function parseToken(response: HttpResponse, scope: TokenScope, requestedAtMs: number): CachedToken | string {
  const body = bodyOf(response);
  const given = tokenIn(body);
  const tokenType = body['tokenType'] ?? body['token_type'];
  if (given === null) return 'contains no accessToken';
  // fetch removes white space around the value of a header, and some endpoints return the whole value
  const accessToken = typeof given === 'string' ? given.trim().replace(/^bearer\s+/i, '') : given;
  // any other character would fail later, in the header of a request
  if (accessToken === '') return 'contains an empty accessToken';
  if (typeof accessToken !== 'string' || !/^[\x21-\x7e]+$/.test(accessToken))
    return 'contains an accessToken that is not valid in a header';
  return {
    accessToken,
    tokenType: typeof tokenType === 'string' ? tokenType : null,
    issuedAtMs: requestedAtMs,
    endMs: expiresAt(body, accessToken, tokenRules(scope), requestedAtMs, serverTimeOf(response)),
    refusedAtMs: {},
  };
}

/** The token in a body, in the spelling of the API or of OAuth; null if there is none. */
function tokenIn({ accessToken, access_token: spelled }: JsonObject): unknown {
  return accessToken ?? spelled ?? null;
}

function bodyOf({ body }: HttpResponse): JsonObject {
  // TextDecoder removes a byte order mark
  return membersOf(new TextDecoder().decode(body));
}

/**
 * The refusal in a response; null if it may have issued a token. With a successful status, only members that name an error are
 * quoted, because the others might hold a token.
 */
function refusalIn(response: HttpResponse, redact: RequestDeps['redact']): Excerpt | null {
  const excerpt = excerptOf(response, redact);
  if (!isSuccess(response)) return excerpt;
  const members = bodyOf(response);
  const errors = [...errorsIn(members), ...remarksIn(members)];
  if (errors.length === 0 || tokenIn(members) !== null || placeOfToken(members) !== null) return null;
  const said = errors.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ');
  const text = printable(redact(said.slice(0, QUOTED.maskedChars))).slice(0, 2 * QUOTED.chars);
  return { ...excerpt, text };
}

/** Statuses with which endpoints reject credentials or audiences; others are about the request itself. */
const ABOUT_CREDENTIALS = [400, 401, 402, 403, 422];
/** How endpoints say that they reject a client, in the codes of OAuth and in prose; a 401 or 403 needs no words. */
const CLIENT_WORDS = /invalid_client|unauthorized_client|invalid_grant|access_denied|credential|secret/i;
/** How they say that they expect a request of another form. */
const FORM_WORDS = /unsupported_grant_type|grant_?type|urlencoded|content[- ]?type|media type/i;

/** Errors of OAuth that may pass. */
const TEMPORARY = /\b(temporarily_unavailable|server_error)\b/;

/** Returns what may be wrong with values, in sentences that begin with a space; empty if nothing shows. */
function hintsAt(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => ({ name, hint: valueHint(value) }))
    .map(({ name, hint }) => (hint === null ? '' : ` ${name} ${hint}`))
    .join('');
}

function describeRefusal(
  refused: Excerpt,
  { status, headers }: HttpResponse,
  { authUrl, clientId, clientSecret, secretName }: RequestCredentials,
  scope: TokenScope,
  hasIssued: boolean,
): ConnectorError {
  const said = serverSays(refused);
  const request = describeRequest(clientId, scope);
  const unavailable = `auth_url: the token endpoint returned status ${status} for ${request}.${said} Try again later.`;
  const isBusy = status >= 500 || status === 408 || status === 425;
  const isRedirect = status >= 300 && status < 400;
  const isElsewhere = isRedirect || status === 404 || status === 405;
  if (isBusy || TEMPORARY.test(refused.text) || (hasIssued && isElsewhere))
    return transientError('API_UNAVAILABLE', unavailable, null);
  const url = new URL(authUrl);
  const target = redirectTarget(headers, url);
  const redirect = isRedirect && target !== null ? `It redirects to ${target}, which is not followed. ` : '';
  const problem = `status ${status} instead of a token; the address ${displayUrl(url)} is probably wrong.`;
  if (isElsewhere)
    return configError(
      'TOKEN_REFUSED',
      `auth_url: ${problem}${redirect === '' ? '' : ` ${redirect.trim()}`}${said}`,
    );
  const rejected = `auth_url: the token request was rejected (${status}) for ${request}.`;
  if ((status >= 400 && !ABOUT_CREDENTIALS.includes(status)) || FORM_WORDS.test(refused.text)) {
    const sent = 'It is a POST of JSON with clientId, clientSecret and audience.';
    const advice = `${sent} Check that ${displayUrl(url)} is the endpoint for such requests.`;
    return configError('TOKEN_REFUSED', `${rejected}${said} ${advice}`);
  }
  const gateway = gatewayHint({ headers, excerpt: refused });
  const codes = [scope.audience, ...(scope.scopes ?? [])];
  const odd = codes.find((code) => valueHint(code) !== null) ?? scope.audience;
  const hints = hintsAt({ client_id: clientId, [secretName]: clientSecret, [scope.key]: odd });
  const advice =
    `Check client_id, ${secretName} and "token" in the config, and that the customer has configured this audience for the integrator.` +
    hints;
  if (status === 403 && gateway !== '')
    return configError('TOKEN_REFUSED', `${rejected} ${gateway}${advice}${said}`);
  if (status !== 401 && status !== 403 && !CLIENT_WORDS.test(refused.text))
    return configError('TOKEN_REFUSED', `${rejected}${said} ${advice}`);
  const message = `auth_url: the credentials were rejected (${status}) for ${request}. ${advice}${said}`;
  return configError('TOKEN_REFUSED', message);
}
