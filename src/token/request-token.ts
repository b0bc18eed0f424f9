import { configError, messageOf, transientError } from '../errors.ts';
import { excerptOf } from '../http/excerpt.ts';
import { HttpExchangeError, exchange } from '../http/request.ts';
import type { HttpResponse } from '../http/request.ts';
import { describeScope } from './audience.ts';
import type { TokenScope } from './audience.ts';

const DEADLINE_MS = 60_000;
const MAX_BYTES = 1024 * 1024;

export interface Credentials {
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * Asks the token endpoint for a token (API document 2.1, 2.2, 5): POST with a JSON body. One request and no more,
 * whatever happens: each one may count against the issuance limit (API document 8).
 *
 * @throws config_error TOKEN_REFUSED if the credentials are not accepted: client_id and audience are named, the secret never
 * @throws transient_error API_UNAVAILABLE on 429, 5xx or no answer
 * @throws transient_error TOKEN_UNREADABLE if the answer holds no token
 */
export async function requestToken(
  credentials: Credentials,
  scope: TokenScope,
  signal: AbortSignal,
  redact: (text: string) => string,
): Promise<string> {
  const { status, body } = await post(credentials, scope, signal);
  if (status >= 200 && status < 300) return readToken(body, credentials, status);
  const excerpt = excerptOf(body, redact);
  const said = excerpt === '' ? '' : ` The server says: ${excerpt}`;
  const asked = `client_id ${credentials.clientId}, audience ${describeScope(scope)}`;
  if (status === 429)
    throw transientError(
      'API_UNAVAILABLE',
      `auth_url: the limit of token requests is reached (429) for ${asked}. Tokens may be issued 3 times an hour per ` +
        `module audience, 15 times a day for API; try again later.${said}`,
      null,
    );
  if (status >= 500 || status === 408 || status === 425)
    throw transientError(
      'API_UNAVAILABLE',
      `auth_url: no token, status ${status} for ${asked}.${said}`,
      null,
    );
  if (status === 404 || status === 405 || (status >= 300 && status < 400))
    throw configError(
      'TOKEN_REFUSED',
      `auth_url: status ${status} instead of a token; the address is probably wrong, now: ${credentials.authUrl}.${said}`,
    );
  throw configError(
    'TOKEN_REFUSED',
    `auth_url: the token is refused (${status}) for ${asked}. Check client_id, client_secret and \`token\` in the ` +
      `config, and that the customer has configured this audience for the integrator.${said}`,
  );
}

async function post(credentials: Credentials, scope: TokenScope, signal: AbortSignal): Promise<HttpResponse> {
  const body = JSON.stringify({
    clientId: credentials.clientId,
    clientSecret: credentials.clientSecret,
    audience: scope.audience,
    ...(scope.scopes === null ? {} : { scopes: scope.scopes }),
  });
  try {
    return await exchange({
      method: 'POST',
      url: new URL(credentials.authUrl),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'accept-encoding': 'identity',
      },
      body,
      deadlineMs: DEADLINE_MS,
      maxBytes: MAX_BYTES,
      signal,
    });
  } catch (error) {
    if (!(error instanceof HttpExchangeError)) throw error;
    throw transientError(
      'API_UNAVAILABLE',
      `auth_url: no answer from ${credentials.authUrl} (${messageOf(error)}). Check the address and the network.`,
      error,
    );
  }
}

function readToken(body: Buffer, { authUrl }: Credentials, status: number): string {
  const token = accessToken(body);
  // a header cannot hold anything else: it would fail there, far from its cause
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token;
  const words =
    token === undefined
      ? 'holds no accessToken; is this the token endpoint'
      : 'holds an accessToken that cannot stand in a header; is this the right token endpoint';
  throw transientError(
    'TOKEN_UNREADABLE',
    `auth_url: the answer (status ${status}) ${words}? ${authUrl}`,
    null,
  );
}

/** `accessToken` (API document 2.2), undefined where the body is no JSON object that has it. */
function accessToken(body: Buffer): unknown {
  try {
    const answer: unknown = JSON.parse(body.toString('utf8').replace(/^\uFEFF/, ''));
    return (answer as { accessToken?: unknown } | null)?.accessToken ?? undefined;
  } catch {
    return undefined;
  }
}
