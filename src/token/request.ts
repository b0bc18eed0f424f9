import type { Clock } from '../clock.ts';
import { isObject } from '../config/files.ts';
import { configError, isConnectorError, transientError, type ConnectorError } from '../errors.ts';
import { askedWaitMs, failureWaitMs } from '../http/asked-wait.ts';
import { HttpExchangeError, adviceFor, mayHaveArrived, mayPass } from '../http/exchange-error.ts';
import type { Exchange } from '../http/request.ts';
import { displayUrl, isRateLimit, serverTimeOf, type HttpResponse } from '../http/response.ts';
import { TOKEN } from '../limits.ts';
import type { CachedToken } from './cache.ts';
import {
  describeRefusal,
  describeStatedLimit,
  isSuccess,
  refusalIn,
  type RequestCredentials,
} from './refused-request.ts';
import { expiresAt, tokenRules, type TokenScope } from './rules.ts';
import { describeNoToken, tokenIn, valueOf } from './token-body.ts';

/**
 * `limited`: the endpoint issues no more tokens for now. `ended`, `hasEnded`: the token had no validity left when it arrived.
 * `mayHaveIssued`: a token may have been issued all the same, for example if the response is incomplete. `retryAfterMs`: from the
 * response, in ms.
 */
export type Failure =
  | Readonly<{ kind: 'limited'; error: ConnectorError; retryAfterMs: number | undefined }>
  | Readonly<{
      kind: 'failed' | 'ended';
      error: ConnectorError;
      mayHaveIssued: boolean;
      retryAfterMs: number | undefined;
    }>;
export type TokenOutcome = Failure | Readonly<{ kind: 'issued'; token: CachedToken; hasEnded: boolean }>;

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
  if (typeof token === 'object' && token !== null)
    return { kind: 'issued', token, hasEnded: token.endMs <= now() };
  const refusal = refusalIn(response, redact);
  // a refusal with a successful status is judged by its words
  const status = refusal === null || isSuccess(refusal) ? 400 : refusal.status;
  const isLimited = refusal !== null && isRateLimit(status, refusal.headers, refusal.excerpt);
  const waitMs =
    refusal === null ? askedWaitMs(response.headers, now()) : failureWaitMs(refusal, isLimited, now());
  if (isLimited) {
    const message = describeStatedLimit(clientId, scope, response.status, refusal.excerpt);
    return { kind: 'limited', error: transientError('TOKEN_LIMIT', message, null), retryAfterMs: waitMs };
  }
  if (refusal !== null) return failed(describeRefusal(refusal, credentials, scope, hasIssued), false, waitMs);
  return failed(describeNoToken(token, response, { url, redact, hasIssued }), true, waitMs);
}

function failed(error: ConnectorError, mayHaveIssued: boolean, waitMs: number | undefined): TokenOutcome {
  return { kind: 'failed', error, mayHaveIssued, retryAfterMs: waitMs };
}

function noResponse(error: HttpExchangeError, url: URL): ConnectorError {
  const advice = adviceFor(error, 'auth_url') || 'Check the address and the network.';
  const message = `auth_url: no response from ${displayUrl(url)} (${error.message}). ${advice}`;
  if (mayPass(error)) return transientError('API_UNAVAILABLE', message, error);
  return configError(error.fault === 'tls' ? 'TLS' : 'INVALID_HTTP', `auth_url: ${error.message}. ${advice}`);
}

/** Returns the token in a response, or what is wrong with it; null if there is none. */
function parseToken(
  response: HttpResponse,
  scope: TokenScope,
  requestedAtMs: number,
): CachedToken | string | null {
  const value = valueOf(response);
  const body = isObject(value) ? value : {};
  const given = tokenIn(body);
  const tokenType = body['tokenType'] ?? body['token_type'];
  if (given === null) return null;
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
