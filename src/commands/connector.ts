import { createListClient } from '../api/list-client.ts';
import type { ListClient } from '../api/list-client.ts';
import { createRequestLimiter } from '../api/request-limiter.ts';
import { createRequestSlots } from '../api/request-slots.ts';
import type { RetryBudget } from '../api/retry-delay.ts';
import type { LoadedConfig } from '../config/config.ts';
import { PATIENT, PROMPT } from '../limits.ts';
import { configuredStreams } from '../streams/registry.ts';
import type { ConfiguredStream } from '../streams/registry.ts';
import type { SourceStream } from '../streams/stream.ts';
import type { Statistics } from '../sync/run.ts';
import { describeScope, tokenScope } from '../token/rules.ts';
import type { Environment } from './environment.ts';
import type { Observer } from './observer.ts';
import { createSleep } from './sleep.ts';
import { createTokens } from './tokens.ts';

/** The parts of a connector, put together. */
export interface Connector {
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

/** For `read`: whatever passes within minutes is waited out. */
export const PATIENTLY = { budget: PATIENT, tokenWaitMs: PATIENT.tokenWaitMs };
/** For `check` and `discover`: somebody waits for the answer. */
export const AT_ONCE = { budget: PROMPT, tokenWaitMs: PROMPT.tokenWaitMs };

/** How a command goes about its requests. */
export interface ConnectorOptions {
  readonly budget: RetryBudget;
  /** ms that an issuance limit is waited out at most. */
  readonly tokenWaitMs: number;
  /** Folder for kept tokens, if one is asked for on the command line. */
  readonly tokenCache: string | null;
  /** Told of all that is asked; null where nobody wants to know. */
  readonly observer: Observer | null;
}

/** Puts the parts together for one config: the one place where they meet. Nothing is requested yet. */
export async function createConnector(
  loaded: LoadedConfig,
  { budget, tokenWaitMs, tokenCache, observer }: ConnectorOptions,
  environment: Environment,
): Promise<Connector> {
  const { config } = loaded;
  const { redactor, log, clock } = environment;
  const sleep = createSleep(clock.wait, log, clock.now);
  const statistics = { requests: 0, retries: 0, tokens: 0 };
  const limiter = createRequestLimiter(config.max_requests_per_minute ?? null, clock.ticks, sleep);
  const slots = createRequestSlots();
  const tokens = await createTokens(
    loaded,
    {
      cacheFolder: tokenCache,
      observer,
      mostWaitMs: tokenWaitMs,
      deadlineMs: budget.deadlineMs,
      sleep,
      turn: limiter.turn,
      count: () => {
        statistics.tokens++;
      },
    },
    environment,
  );
  const clientOf = ({ name: stream, baseUrl, path, audience }: ConfiguredStream): ListClient => {
    const scope = tokenScope(config.token, audience);
    return createListClient({
      endpoint: {
        stream,
        url: listUrl(baseUrl, path),
        baseUrl,
        audience: describeScope(scope),
        isScoped: scope.scopes !== null,
      },
      bearer: (context) => tokens.bearer(scope, context),
      refused: (refusal, signal) => tokens.refused(scope, { stream, ...refusal }, signal),
      exchange: environment.exchange,
      retry: { budget, now: clock.now, random: clock.random, sleep },
      slots,
      turn: limiter.turn,
      ...(observer === null ? {} : { observe: observer.listAsked }),
      count: (what) => {
        if (what === 'request') statistics.requests++;
        else statistics.retries++;
      },
      redact: redactor.redact,
    });
  };
  return {
    streams: configuredStreams(config).map((stream) => stream.open(clientOf(stream))),
    statistics,
  };
}

/** The address of a list; the base may end in a slash and have a path of its own. */
function listUrl(baseUrl: string, path: string): URL {
  return new URL(`${baseUrl.replace(/\/+$/, '')}${path}`);
}
