import type { Clock } from '../clock.ts';
import { membersOf } from '../config/files.ts';
import { configError, isConnectorError, transientError, type ConnectorError } from '../errors.ts';
import type { Exchange } from '../http/request.ts';
import { HttpExchangeError, retryAfterMs, serverTimeOf, type HttpResponse } from '../http/response.ts';
import { GATEWAY_HINT, displayUrl, excerptOf, serverSays, type Excerpt } from '../http/response.ts';
import { TOKEN } from '../limits.ts';
import type { CachedToken, Credentials } from './cache.ts';
import { describeLimit, describeRequest, expiresAt, tokenRules, type TokenScope } from './rules.ts';

/** `limited`: a 429. `mayHaveIssued`: a token may have been issued all the same, for example if the response is incomplete. */
export type Failure =
  | Readonly<{ kind: 'limited'; error: ConnectorError; retryAfterMs: number | undefined }>
  | Readonly<{ kind: 'failed'; error: ConnectorError; mayHaveIssued: boolean }>;
export type TokenOutcome = Failure | Readonly<{ kind: 'issued'; token: CachedToken }>;

export interface RequestDeps extends Pick<Clock, 'now'> {
  readonly exchange: Exchange;
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  readonly redact: (text: string) => string; // masks secrets in quoted responses
}

/** Network errors that occur before the request is sent, so that no token can have been issued. */
const NOT_SENT =
  /^(the proxy \S+ (cannot be used|refuses)|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EAI_FAIL|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/;

/** Sends exactly one POST to the token endpoint. No error quotes the secret. */
export async function requestToken(
  credentials: Credentials,
  scope: TokenScope,
  { exchange, signal, deadlineMs, now, redact }: RequestDeps,
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
    // an invalid proxy, or one that requires other credentials, forwards nothing
    if (isConnectorError(error, 'PROXY')) return failed(error, false);
    if (!(error instanceof HttpExchangeError)) throw error;
    const message = `auth_url: no response from ${displayUrl(url)} (${error.message}). Check the address and the network.`;
    return failed(transientError('API_UNAVAILABLE', message, error), !NOT_SENT.test(error.message));
  }
  const { status, headers } = response;
  const excerpt = excerptOf(response, redact);
  if (status === 429) {
    const message = describeLimit(clientId, scope, ' (429)') + serverSays(excerpt);
    const error = transientError('TOKEN_LIMIT', message, null);
    return { kind: 'limited', error, retryAfterMs: retryAfterMs(headers, now()) };
  }
  if (status < 200 || status >= 300)
    return failed(refusal(status, url, describeRequest(clientId, scope), excerpt), false);
  const token = parseToken(response, scope, requestedAtMs);
  if (typeof token !== 'string') return { kind: 'issued', token };
  const message = `auth_url: the response with status ${status}${excerpt.requestIds} ${token}. Check that ${displayUrl(url)} is the token endpoint.`;
  return failed(transientError('TOKEN_UNREADABLE', message, null), true);
}

function failed(error: ConnectorError, mayHaveIssued: boolean): TokenOutcome {
  return { kind: 'failed', error, mayHaveIssued };
}

/** Returns the token in a response, or what is wrong with it. */
function parseToken(response: HttpResponse, scope: TokenScope, requestedAtMs: number): CachedToken | string {
  // TextDecoder removes a byte order mark
  const body = membersOf(new TextDecoder().decode(response.body));
  const { accessToken = null, tokenType } = body;
  if (accessToken === null) return 'contains no accessToken';
  // any other character would fail later, in the header of a request
  if (typeof accessToken !== 'string' || !/^[\x21-\x7e]+$/.test(accessToken))
    return 'contains an accessToken that is not valid in a header';
  return {
    accessToken,
    tokenType: typeof tokenType === 'string' ? tokenType : null,
    issuedAtMs: requestedAtMs,
    endMs: expiresAt(body, tokenRules(scope), requestedAtMs, serverTimeOf(response)),
    refusedAtMs: {},
  };
}

function refusal(status: number, url: URL, request: string, excerpt: Excerpt): ConnectorError {
  const said = serverSays(excerpt);
  const unavailable = `auth_url: the token endpoint returned status ${status} for ${request}.${said}`;
  if (status >= 500 || status === 408 || status === 425)
    return transientError('API_UNAVAILABLE', unavailable, null);
  const isElsewhere = status === 404 || status === 405 || (status >= 300 && status < 400);
  const gateway = status === 403 && excerpt.isNotJson ? GATEWAY_HINT : '';
  const message = isElsewhere
    ? `status ${status} instead of a token; the address ${displayUrl(url)} is probably wrong.`
    : `the credentials were rejected (${status}) for ${request}. ${gateway}Check client_id, client_secret and \`token\` in the ` +
      'config, and that the customer has configured this audience for the integrator.';
  return configError('TOKEN_REFUSED', `auth_url: ${message}${said}`);
}
