import { createListClient } from '../api/client.ts';
import type { ListClient, ListExchange } from '../api/client.ts';
import { createConcurrencyLimit, createRequestLimiter } from '../api/request-limits.ts';
import type { RetryBudget } from '../api/retry.ts';
import { createSleep } from '../clock.ts';
import { loadConfig } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import { configuredStreams } from '../streams/registry.ts';
import type { ConfiguredStream } from '../streams/registry.ts';
import type { SourceStream } from '../streams/stream.ts';
import type { Statistics } from '../sync/run.ts';
import { describeScope, tokenScope } from '../token/rules.ts';
import type { Environment } from './environment.ts';
import { createTokens } from './tokens.ts';
import type { TokenObserver } from './tokens.ts';

/** The parts of a connector, put together. */
export interface Connector {
  readonly config: Config;
  /** The configured streams, in the order of the catalog. */
  readonly streams: readonly SourceStream[];
  readonly statistics: Statistics;
}

/** What each command that needs a config is given on its command line. */
export interface ConfigOptions {
  /** Path of the config. */
  readonly config: string;
  /** Folder for kept tokens; null for the usual one. */
  readonly tokenCache: string | null;
}

/** How long a command bears with what may pass (see `PATIENT` and `PROMPT`). */
export interface Patience extends RetryBudget {
  /** ms that an issuance limit is waited out at most. */
  readonly tokenWaitMs: number;
}

/** Told of all that a command asks of the API, as it is answered. */
export interface Observer extends TokenObserver {
  readonly listAsked: (exchange: ListExchange) => void;
}

/**
 * Loads a config and puts the parts together for it: the one place where they meet. Nothing is requested yet. Keys of the
 * config that mean nothing are named: most often they are a slip of the pen.
 */
export async function openConnector(
  { config: path, tokenCache }: ConfigOptions,
  patience: Patience,
  observer: Observer | null,
  environment: Environment,
): Promise<Connector> {
  const { redactor, log, clock } = environment;
  const loaded = await loadConfig(path, environment.openFile);
  const { config, unknownKeys } = loaded;
  if (unknownKeys.length > 0)
    await log.warn(`config ${path}: unknown keys, which change nothing: ${unknownKeys.join(', ')}`);
  const sleep = createSleep(clock, log.info);
  const statistics = { requests: 0, retries: 0, tokens: 0 };
  const turn = createRequestLimiter(config.max_requests_per_minute ?? null, clock.ticks, sleep);
  const concurrency = createConcurrencyLimit();
  const countToken = (): void => {
    statistics.tokens++;
  };
  const tokens = await createTokens(
    loaded,
    { cacheFolder: tokenCache, patience, observer, sleep, turn, count: countToken },
    environment,
  );
  const clientOf = ({ name: stream, baseUrl, path: listPath, audience }: ConfiguredStream): ListClient => {
    const scope = tokenScope(config.token, audience);
    return createListClient({
      endpoint: {
        stream,
        url: listUrl(baseUrl, listPath),
        baseUrl,
        audience: describeScope(scope),
        isScoped: scope.scopes !== null,
      },
      bearer: (context) => tokens.bearer(scope, context),
      refused: (refusal, signal) => tokens.refused(scope, { stream, ...refusal }, signal),
      exchange: environment.exchange,
      retry: { budget: patience, now: clock.now, random: clock.random, sleep },
      concurrency,
      turn,
      ...(observer === null ? {} : { observe: observer.listAsked }),
      count: (what) => {
        if (what === 'request') statistics.requests++;
        else statistics.retries++;
      },
      redact: redactor.redact,
    });
  };
  return {
    config,
    streams: configuredStreams(config).map((stream) => stream.open(clientOf(stream))),
    statistics,
  };
}

/** The address of a list; the base may end in a slash and have a path of its own. */
function listUrl(baseUrl: string, path: string): URL {
  return new URL(`${baseUrl.replace(/\/+$/, '')}${path}`);
}
