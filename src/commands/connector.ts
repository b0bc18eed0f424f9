import { setTimeout as delay } from 'node:timers/promises';

import { createListClient } from '../api/list-client.ts';
import type { ListClient } from '../api/list-client.ts';
import { createRequestLimiter } from '../api/request-limiter.ts';
import type { RetryBudget } from '../api/retry-delay.ts';
import type { Config } from '../config/config.ts';
import type { Redactor } from '../protocol/redactor.ts';
import { alarmsStream } from '../streams/alarms.ts';
import { assetsStream } from '../streams/assets.ts';
import type { SourceStream } from '../streams/stream.ts';
import { createStatistics } from '../sync/statistics.ts';
import type { Statistics } from '../sync/statistics.ts';
import { describeScope, tokenScope } from '../token/audience.ts';
import { createTokenProvider } from '../token/token-provider.ts';

/** The parts of a connector, put together. */
export interface Connector {
  /** The configured streams, in the order of the catalog. */
  readonly streams: readonly SourceStream[];
  readonly statistics: Statistics;
}

/** Puts the parts together for one config: the one place where they meet. Nothing is requested yet. */
export function createConnector(config: Config, budget: RetryBudget, redactor: Redactor): Connector {
  const statistics = createStatistics();
  const limiter = createRequestLimiter(
    config.max_requests_per_minute ?? null,
    () => performance.now(),
    sleep,
  );
  redactor.hide(config.client_secret);
  const tokens = createTokenProvider({
    credentials: { authUrl: config.auth_url, clientId: config.client_id, clientSecret: config.client_secret },
    onRequest: async (signal) => {
      await limiter.turn(signal);
      statistics.tokens++;
    },
    onSecret: redactor.hide,
    redact: redactor.redact,
  });
  const client = (stream: 'assets' | 'alarms', baseUrl: string): ListClient => {
    const scope = tokenScope(config, stream);
    return createListClient({
      endpoint: { stream, url: listUrl(baseUrl, stream), baseUrl, audience: describeScope(scope) },
      bearer: (signal) => tokens.token(scope, signal),
      retry: { budget, now: Date.now, random: Math.random },
      sleep,
      turn: limiter.turn,
      count: (what) => {
        if (what === 'request') statistics.requests++;
        else statistics.retries++;
      },
      redact: redactor.redact,
    });
  };
  const { assets, alarms } = config;
  return {
    streams: [
      ...(assets === undefined
        ? []
        : [assetsStream(client('assets', assets.base_url), assets, config.concurrency)]),
      ...(alarms === undefined ? [] : [alarmsStream(client('alarms', alarms.base_url), alarms)]),
    ],
    statistics,
  };
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal });
}

/** `{base_url}/v1/<list>` (API document 4 and 9); the base may end in a slash and have a path of its own. */
function listUrl(baseUrl: string, list: string): URL {
  return new URL(`${baseUrl.replace(/\/+$/, '')}/v1/${list}`);
}
