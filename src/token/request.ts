import type { Clock } from '../clock.ts';
import { configError, isConnectorError, transientError } from '../errors.ts';
import type { ConnectorError } from '../errors.ts';
import { HttpExchangeError, asSaid, retryAfterMs, shownAddress, wordsOf } from '../http/answer.ts';
import type { AnswerWords } from '../http/answer.ts';
import { serverTimeOf } from '../http/request.ts';
import type { Exchange, HttpRequest, HttpResponse } from '../http/request.ts';
import { TOKEN } from '../limits.ts';
import type { CachedToken, Credentials } from './cache.ts';
import { describeRequest, endOfLife, limitWords, membersOf, tokenRules } from './rules.ts';
import type { TokenScope } from './rules.ts';

/** What became of one token request. */
export type TokenOutcome =
  | { readonly kind: 'issued'; readonly token: CachedToken }
  /** 429: the issuance limit is reached. */
  | { readonly kind: 'limited'; readonly error: ConnectorError; readonly retryAfterMs: number | undefined }
  /** `mayHaveIssued`: a token may have been issued all the same, and counts: where no whole answer came, for one. */
  | { readonly kind: 'failed'; readonly error: ConnectorError; readonly mayHaveIssued: boolean };

export interface RequestParts extends Pick<Clock, 'now'>, Pick<HttpRequest, 'signal' | 'deadlineMs'> {
  readonly exchange: Exchange;
  /** Keeps secrets out of what is quoted of an answer. */
  readonly redact: (text: string) => string;
}

/** Failures before anything was sent: nothing can have been issued. */
const NOT_SENT =
  /^(the proxy \S+ (cannot be used|refuses)|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EAI_FAIL|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/;

/**
 * Asks the token endpoint for a token: one POST and no more, whatever happens. The errors: config_error TOKEN_REFUSED if the
 * credentials are not accepted (client_id and audience are named, the secret never), transient_error TOKEN_LIMIT on 429,
 * API_UNAVAILABLE on 5xx or no answer, TOKEN_UNREADABLE without a token in it.
 */
export async function requestToken(
  credentials: Credentials,
  scope: TokenScope,
  { exchange, signal, deadlineMs, now, redact }: RequestParts,
): Promise<TokenOutcome> {
  const { authUrl, clientId, clientSecret } = credentials;
  const { audience, scopes } = scope;
  const url = new URL(authUrl);
  const askedAtMs = now();
  let response: HttpResponse;
  try {
    response = await exchange({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ clientId, clientSecret, audience, ...(scopes === null ? {} : { scopes }) }),
      deadlineMs,
      maxBytes: TOKEN.mostBytes,
      signal,
    });
  } catch (error) {
    // a proxy that asks for other credentials, or is none, hands nothing on
    if (isConnectorError(error, 'PROXY')) return failed(error, false);
    if (!(error instanceof HttpExchangeError)) throw error;
    const words = `auth_url: no answer from ${shownAddress(url)} (${error.message}). Check the address and the network.`;
    return failed(transientError('API_UNAVAILABLE', words, error), !NOT_SENT.test(error.message));
  }
  const { status, headers } = response;
  const words = wordsOf(response, redact);
  if (status === 429) {
    const what = limitWords(clientId, scope, ' (429)') + asSaid(words);
    const error = transientError('TOKEN_LIMIT', what, null);
    return { kind: 'limited', error, retryAfterMs: retryAfterMs(headers, now()) };
  }
  if (status < 200 || status >= 300)
    return failed(refusal(status, url, describeRequest(clientId, scope), words), false);
  const token = readToken(response, scope, askedAtMs);
  if (typeof token !== 'string') return { kind: 'issued', token };
  const ids = words.requestIds === '' ? '' : `, ${words.requestIds}`;
  const what = `auth_url: the answer (status ${status}${ids}) ${token}? ${shownAddress(url)}`;
  return failed(transientError('TOKEN_UNREADABLE', what, null), true);
}

function failed(error: ConnectorError, mayHaveIssued: boolean): TokenOutcome {
  return { kind: 'failed', error, mayHaveIssued };
}

/** The token in an answer, or in words what is wrong with it. */
function readToken(response: HttpResponse, scope: TokenScope, askedAtMs: number): CachedToken | string {
  // without the byte order mark
  const body = membersOf(new TextDecoder().decode(response.body));
  const { accessToken = null, tokenType } = body;
  if (accessToken === null) return 'holds no accessToken; is this the token endpoint';
  // a header cannot hold anything else: it would fail there, far from its cause
  if (typeof accessToken !== 'string' || !/^[\x21-\x7e]+$/.test(accessToken))
    return 'holds an accessToken that cannot stand in a header; is this the right token endpoint';
  return {
    accessToken,
    tokenType: typeof tokenType === 'string' ? tokenType : null,
    issuedAtMs: askedAtMs,
    endMs: endOfLife(body, tokenRules(scope), askedAtMs, serverTimeOf(response)),
    refusedAtMs: {},
  };
}

/** What comes first where a refusal is not in the form of an API. */
const GATEWAY =
  'The answer is no JSON, so a gateway or firewall on the way may be what refuses: check that this machine may reach the ' +
  'address. If it is the API itself: ';

function refusal(status: number, url: URL, asked: string, words: AnswerWords): ConnectorError {
  const said = asSaid(words);
  const passes = `auth_url: no token, status ${status} for ${asked}.${said}`;
  if (status >= 500 || status === 408 || status === 425)
    return transientError('API_UNAVAILABLE', passes, null);
  const isElsewhere = status === 404 || status === 405 || (status >= 300 && status < 400);
  const gateway = status === 403 && words.isForeign ? GATEWAY : '';
  const what = isElsewhere
    ? `status ${status} instead of a token; the address is probably wrong, now: ${shownAddress(url)}.`
    : `the token is refused (${status}) for ${asked}. ${gateway}Check client_id, client_secret and \`token\` in the ` +
      'config, and that the customer has configured this audience for the integrator.';
  return configError('TOKEN_REFUSED', `auth_url: ${what}${said}`);
}
