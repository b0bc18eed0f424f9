import type { LoadedConfig } from '../config/config.ts';
import { configMessage } from '../protocol/messages.ts';
import { requestToken } from '../token/request.ts';
import { cacheText, parseCache } from '../token/cache.ts';
import type { TokenCache } from '../token/cache.ts';
import { credentialKey } from '../token/cache.ts';
import { createTokenProvider } from '../token/provider.ts';
import type { TokenProvider } from '../token/provider.ts';
import { createMemoryStore } from '../token/store.ts';
import type { Environment } from './environment.ts';
import type { Observer } from './observer.ts';
import type { Sleep } from './sleep.ts';

/** How a command asks for tokens. */
export interface TokenOptions {
  /** The folder asked for on the command line, if any. */
  readonly cacheFolder: string | null;
  /** ms that an issuance limit is waited out at most. */
  readonly mostWaitMs: number;
  /** Resolves when a request may be sent under the request ceiling. */
  readonly turn: (signal: AbortSignal) => Promise<void>;
  /** Told of each token request. */
  readonly count: () => void;
  readonly observer: Observer | null;
  /** ms that one request may take. */
  readonly deadlineMs: number;
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
  const { observer, sleep } = options;
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
        deadlineMs: options.deadlineMs,
        now,
        redact: redactor.redact,
      });
      observer?.tokenAsked({ url: credentials.authUrl, scope, sentAtMs, ms: now() - sentAtMs, outcome });
      return outcome;
    },
    ...(observer === null ? {} : { onHeld: observer.tokenHeld }),
    turn: options.turn,
    onSecret: redactor.hide,
    mostWaitMs: options.mostWaitMs,
    now,
    sleep,
    random: clock.random,
  });
}
