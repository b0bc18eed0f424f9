import { isObject } from '../config/files.ts';
import { valueHint } from '../config/value-hint.ts';
import { configError, transientError, type ConnectorError } from '../errors.ts';
import { errorsIn, failuresIn, remarksIn } from '../http/reported-failure.ts';
import { displayUrl, excerptOf, gatewayHint, printable } from '../http/response.ts';
import {
  SIGN_IN,
  SIGN_IN_ADVICE,
  reasonFirst,
  redirectTarget,
  serverSays,
  wordsOf,
} from '../http/response.ts';
import type { Excerpt, HttpResponse } from '../http/response.ts';
import { saysClientRejected, saysDown, saysForm, saysNoToken, saysOutage } from '../http/server-words.ts';
import { statedStatus } from '../http/stated-status.ts';
import { QUOTED } from '../limits.ts';
import type { Credentials } from './cache.ts';
import { describeRequest, tokenRules, type TokenScope } from './rules.ts';
import { refusalInText } from './text-body.ts';
import { placeOfToken, tokenIn, valueOf } from './token-body.ts';

/** Credentials, and what messages call the secret. */
export type RequestCredentials = Credentials & { readonly secretName: string };

/** A response that issues no token; `status` is the one that its body states, if it states one. */
export type RefusedRequest = Readonly<{ status: number; headers: HttpResponse['headers']; excerpt: Excerpt }>;

export function isSuccess({ status }: Pick<HttpResponse, 'status'>): boolean {
  return status >= 200 && status < 300;
}

/**
 * The refusal in a response; null if it may have issued a token. With a successful status, only members that name an error are
 * quoted, because the others might hold a token, and of other texts only words.
 */
export function refusalIn(response: HttpResponse, redact: (text: string) => string): RefusedRequest | null {
  const { status, headers, body } = response;
  const excerpt = excerptOf(response, redact);
  if (!isSuccess(response)) return { status, headers, excerpt };
  const members = valueOf(response);
  if (members === undefined) {
    const text = refusalInText(body, redact);
    return text === null ? null : { status, headers, excerpt: { ...excerpt, text } };
  }
  if (!isObject(members) || tokenIn(members) !== null || placeOfToken(members) !== null) return null;
  const errors = [...errorsIn(members), ...remarksIn(members), ...failuresIn(members)];
  const said = errors.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ');
  const text = printable(redact(said.slice(0, QUOTED.maskedChars))).slice(0, 2 * QUOTED.chars);
  const stated = statedStatus(body, text);
  if (stated === null) return errors.length === 0 ? null : { status, headers, excerpt: { ...excerpt, text } };
  const requestIds = ` (stated in a response with status ${status})${excerpt.requestIds}`;
  return { status: stated, headers, excerpt: { ...excerpt, text, requestIds } };
}

/** Statuses with which endpoints reject credentials or audiences; others are about the request itself. */
const ABOUT_CREDENTIALS = [400, 401, 402, 403, 422];
/** Those that need no words to say so. */
const REJECTED = [401, 403];

/** Errors of OAuth that may pass. */
const TEMPORARY = /\b(temporarily_unavailable|server_error)\b/;

/** Returns what may be wrong with values, in sentences that begin with a space; empty if nothing shows. */
function hintsAt(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => ({ name, hint: valueHint(value) }))
    .map(({ name, hint }) => (hint === null ? '' : ` ${name} ${hint}`))
    .join('');
}

/** The error for a refusal: what the endpoint rejects, and what a person can do about it. Never quotes the secret. */
export function describeRefusal(
  refusal: RefusedRequest,
  credentials: RequestCredentials,
  scope: TokenScope,
  hasIssued: boolean,
): ConnectorError {
  const { status, headers, excerpt } = refusal;
  const said = serverSays(excerpt);
  const request = describeRequest(credentials.clientId, scope);
  const isSignIn = status === SIGN_IN && !hasIssued;
  if (isSignIn) return configError('TOKEN_REFUSED', `auth_url: ${SIGN_IN_ADVICE}${said}`);
  const isRedirect = status >= 300 && status < 400;
  const isElsewhere = isRedirect || status === 404 || status === 405;
  if (isBusy(refusal) || TEMPORARY.test(excerpt.text) || (hasIssued && isElsewhere)) {
    const problem = `the token endpoint returned status ${status} for ${request}.${said}`;
    return transientError('API_UNAVAILABLE', `auth_url: ${problem} Try again later.`, null);
  }
  const url = new URL(credentials.authUrl);
  if (isElsewhere) {
    const target = isRedirect ? redirectTarget(headers, url) : null;
    const redirect = target === null ? '' : ` It redirects to ${target}, which is not followed.`;
    const problem = `status ${status} instead of a token; the address ${displayUrl(url)} is probably wrong.`;
    return configError('TOKEN_REFUSED', `auth_url: ${problem}${redirect}${said}`);
  }
  const rejected = `auth_url: the token request was rejected (${status}) for ${request}.`;
  const cause = causeOf(refusal);
  if (cause === 'form') {
    const sent = 'It is a POST of JSON with clientId, clientSecret and audience.';
    const advice = `${sent} Check that ${displayUrl(url)} is the endpoint for such requests.`;
    return configError('TOKEN_REFUSED', `${rejected}${said} ${advice}`);
  }
  const advice = credentialsAdvice(credentials, scope);
  if (cause === 'gateway')
    return configError('TOKEN_REFUSED', `${rejected} ${gatewayHint(refusal)}${advice}${said}`);
  if (cause === 'else')
    return configError('TOKEN_REFUSED', `${rejected} ${reasonFirst(refusal, 'credentials')}${advice}`);
  if (cause === 'unknown') return configError('TOKEN_REFUSED', `${rejected}${said} ${advice}`);
  const lead = `auth_url: the credentials were rejected (${status}) for ${request}.`;
  return configError('TOKEN_REFUSED', `${lead} ${advice}${said}`);
}

/** The message when the endpoint says that a limit is reached: in its words, because it may be another one than that of tokens. */
export function describeStatedLimit(
  clientId: string,
  scope: TokenScope,
  status: number,
  excerpt: Excerpt,
): string {
  const lead = `auth_url: the token request limit has been reached (${status}) for ${describeRequest(clientId, scope)}.`;
  const documented = ` The response does not say which limit; the documented one is ${tokenRules(scope).limit}.`;
  return `${lead}${excerpt.text === '' ? documented : ''}${serverSays(excerpt)}`;
}

const isPassing = (status: number): boolean => status >= 500 || status === 408 || status === 425;

/**
 * True for a failure that may pass by its status, or by what a success says. Not if its words reject the client: repeating it could lock
 * the account. They do not count if the endpoint could not check the client.
 */
function isBusy(refusal: RefusedRequest): boolean {
  const words = wordsOf(refusal);
  // a success that is a failure says so only in words
  if (!isPassing(refusal.status) && !(isSuccess(refusal) && saysDown(words))) return false;
  return !saysClientRejected(words) || saysOutage(words);
}

/** Why a request was refused: its form, a gateway that may have blocked it, the credentials, something else that the server states, or unknown. */
function causeOf(refusal: RefusedRequest): 'form' | 'gateway' | 'credentials' | 'else' | 'unknown' {
  const { status, headers } = refusal;
  const words = wordsOf(refusal);
  const isOther = status >= 400 && !isPassing(status) && !ABOUT_CREDENTIALS.includes(status);
  if (isOther || saysForm(words)) return 'form';
  const isSuspicious = status === 403 || (status === 401 && headers['www-authenticate'] !== undefined);
  const isRejected = saysClientRejected(words);
  if (isSuspicious && (refusal.excerpt.isNotJson || !isRejected) && gatewayHint(refusal) !== '')
    return 'gateway';
  if (isRejected) return 'credentials';
  // the request for a token bears none
  if (saysNoToken(words)) return 'form';
  if (!REJECTED.includes(status)) return 'unknown';
  return reasonFirst(refusal, 'credentials') === '' ? 'credentials' : 'else';
}

function credentialsAdvice({ clientId, clientSecret, secretName }: RequestCredentials, scope: TokenScope) {
  const codes = [scope.audience, ...(scope.scopes ?? [])];
  const odd = codes.find((code) => valueHint(code) !== null) ?? scope.audience;
  const hints = hintsAt({ client_id: clientId, [secretName]: clientSecret, [scope.key]: odd });
  return `Check client_id, ${secretName} and "token" in the config, and that the customer has configured this audience for the integrator.${hints}`;
}
