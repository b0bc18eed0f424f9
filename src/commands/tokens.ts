import type { Sleep } from '../clock.ts';
import type { LoadedConfig } from '../config/config.ts';
import { configMessage } from '../protocol/messages.ts';
import { cacheText, credentialKey, parseCache } from '../token/cache.ts';
import type { TokenCache } from '../token/cache.ts';
import { createTokenProvider } from '../token/provider.ts';
import type { HeldToken, TokenProvider } from '../token/provider.ts';
import { requestToken } from '../token/request.ts';
import type { TokenOutcome } from '../token/request.ts';
import type { TokenScope } from '../token/rules.ts';
import { createMemoryStore } from '../token/store.ts';
import type { Environment } from './environment.ts';

/** Told of each request for a token as it is answered, and of each token that is used from now on. */
export interface TokenObserver {
  readonly tokenAsked: (exchange: TokenExchange) => void;
  readonly tokenHeld: (token: HeldToken) => void;
}

/** One request for a token, and what came of it. */
export interface TokenExchange {
  readonly url: string;
  readonly scope: TokenScope;
  /** Local time, ms since the epoch. */
  readonly sentAtMs: number;
  /** ms until the answer was there. */
  readonly ms: number;
  readonly outcome: TokenOutcome;
}

/** How a command asks for tokens. */
export interface TokenOptions {
  /** The folder asked for on the command line, if any. */
  readonly cacheFolder: string | null;
  /** ms that an issuance limit is waited out at most, and that one request may take. */
  readonly patience: { readonly tokenWaitMs: number; readonly deadlineMs: number };
  /** Resolves when a request may be sent under the request ceiling. */
  readonly turn: (signal: AbortSignal) => Promise<void>;
  /** Told of each token request. */
  readonly count: () => void;
  readonly observer: TokenObserver | null;
  readonly sleep: Sleep;
}

/** Environment variables of which a platform sets at least one; it hands a changed config to the next process. */
const PLATFORM = ['WORKER_JOB_ID', 'WORKER_CONNECTOR_IMAGE', 'DEPLOYMENT_MODE', 'OPERATION_TYPE'];

/**
 * The tokens of a config's credential: kept in a file between processes, and, where it serves, in the config itself,
 * which is then announced to the platform with a CONTROL message whenever a token is new in it.
 */
export async function createTokens(
  { config, document }: LoadedConfig,
  options: TokenOptions,
  { writer, log, redactor, clock, exchange, openTokenStore }: Environment,
): Promise<TokenProvider> {
  const credentials = {
    authUrl: config.auth_url,
    clientId: config.client_id,
    clientSecret: config.client_secret,
  };
  const { observer, patience, sleep } = options;
  const { now } = clock;
  redactor.hide(config.client_secret);
  // it may hold a key, which a server may repeat
  redactor.hide(new URL(config.auth_url).search.slice(1));
  const credential = credentialKey(credentials);
  const known = parseCache(config.token_cache ?? '', credential);
  for (const { accessToken } of Object.values(known.tokens)) redactor.hide(accessToken);

  const store = await openTokenStore(options.cacheFolder, {
    credential,
    now,
    sleep,
    ticks: clock.ticks,
    onUnwritable: (reason) =>
      log.info(`tokens cannot be kept in a file for later runs (${reason}); see --token-cache`),
  });
  const isAskedFor =
    config.token_cache !== undefined || PLATFORM.some((name) => (process.env[name] ?? '') !== '');
  const announce = async (cache: TokenCache): Promise<void> => {
    const changed = { ...document, token_cache: cacheText(cache, now()) };
    await writer.send(configMessage(changed, now()));
  };
  return createTokenProvider({
    credentials,
    known,
    store: store ?? createMemoryStore(credential),
    announce: isAskedFor || store === null ? announce : null,
    request: async (scope, signal) => {
      options.count();
      const sentAtMs = now();
      const outcome = await requestToken(credentials, scope, {
        signal,
        exchange,
        deadlineMs: patience.deadlineMs,
        now,
        redact: redactor.redact,
      });
      observer?.tokenAsked({ url: credentials.authUrl, scope, sentAtMs, ms: now() - sentAtMs, outcome });
      return outcome;
    },
    ...(observer === null ? {} : { onHeld: observer.tokenHeld }),
    turn: options.turn,
    onSecret: redactor.hide,
    mostWaitMs: patience.tokenWaitMs,
    now,
    sleep,
    random: clock.random,
  });
}
