import { createListClient } from '../api/client.ts';
import { createConcurrencyLimit, createRequestLimiter } from '../api/request-limits.ts';
import { createSleep, steadyNow } from '../clock.ts';
import type { Sleep } from '../clock.ts';
import { loadConfig } from '../config/config.ts';
import type { LoadedConfig } from '../config/config.ts';
import { openInput } from '../config/files.ts';
import type { OpenFile } from '../config/files.ts';
import { exchange } from '../http/request.ts';
import { trimSlashes } from '../http/response.ts';
import type { RetryBudget } from '../limits.ts';
import { configMessage, listed, plain } from '../protocol/messages.ts';
import type { StandardError } from '../standard-streams.ts';
import { configuredStreams } from '../streams/registry.ts';
import type { StreamContext } from '../streams/stream.ts';
import type { RunContext } from '../sync/read-stream.ts';
import { cacheText, credentialKey, parseCache } from '../token/cache.ts';
import type { Credentials, TokenCache } from '../token/cache.ts';
import { createTokenProvider } from '../token/provider.ts';
import { requestToken } from '../token/request.ts';
import { tokenScope } from '../token/rules.ts';
import { createMemoryStore, openFileStore } from '../token/store.ts';
import type { Observer } from './check-report.ts';

/** What a command has of its process: what a run has of it, and stderr. */
export interface OwnProcess extends Omit<RunContext, 'stateEveryMs' | 'limitRows' | 'progress'> {
  readonly stderr: StandardError;
}

/** What a command meets outside of its process, until `signal` ends it. */
export function systemWorld(signal: AbortSignal) {
  const openFile: OpenFile = (path) => openInput(path, signal);
  return { exchange, openFile, openTokenStore: openFileStore };
}

/** All that a command with a config gets. */
export type Environment = OwnProcess & Readonly<ReturnType<typeof systemWorld>>;

/** What each command that needs a config is given on its command line. */
export interface ConfigOptions {
  readonly config: string;
  /** Folder for kept tokens; null for the usual one. */
  readonly tokenCache: string | null;
}

/** Loads a config, naming keys that mean nothing, and puts the parts together: the one place where they meet. */
export async function openConnector(
  { config: path, tokenCache }: ConfigOptions,
  budget: RetryBudget,
  observer: Observer | null,
  environment: Environment,
) {
  const { writer, clock, redactor } = environment;
  const { now } = clock;
  const common = { exchange: environment.exchange, redact: redactor.redact };
  const loaded = await loadConfig(path, environment.openFile);
  const { config, unknownKeys } = loaded;
  if (unknownKeys.length > 0)
    await writer.warn(`config ${path}: unknown keys, which change nothing: ${listed(unknownKeys, plain)}`);
  /** What it has cost so far: requests to the lists, attempts among them that were repeated, tokens asked for. */
  const statistics = { requests: 0, retries: 0, tokens: 0 };
  const sleep = createSleep(clock, writer.info);
  const limitRate = createRequestLimiter(config.max_requests_per_minute ?? null, clock.ticks, sleep);
  const { auth_url: authUrl, client_id: clientId, client_secret: clientSecret } = config;
  const credentials = { authUrl, clientId, clientSecret };
  const tokens = createTokenProvider({
    ...clock,
    ...(await keptTokens(loaded, credentials, tokenCache, sleep, environment)),
    credentials,
    request: async (scope, signal) => {
      statistics.tokens++;
      const sentAtMs = now();
      const { deadlineMs } = budget;
      const outcome = await requestToken(credentials, scope, { ...common, signal, deadlineMs, now });
      observer?.tokenAsked({ url: new URL(authUrl), sentAtMs, ms: now() - sentAtMs }, scope, outcome);
      return outcome;
    },
    ...(observer === null ? {} : { onHeld: observer.tokenHeld }),
    limitRate,
    maxWaitMs: budget.tokenWaitMs,
    sleep,
  });
  const limitConcurrency = createConcurrencyLimit();
  const streams = configuredStreams(config, (list) => {
    const { name: stream, place, base_url: baseUrl, audience } = list;
    const scope = tokenScope(config.token, audience);
    // the base may end in a slash and have a path of its own
    const url = new URL(`${trimSlashes(baseUrl)}${list.path}`);
    return createListClient({
      ...common,
      ...tokens(stream, scope),
      ...(observer === null ? {} : { observe: observer.listAsked }),
      endpoint: { stream, place, url, baseUrl, scope },
      retry: { ...clock, now: steadyNow(clock), budget, sleep, count: (what) => statistics[what]++ },
      limitConcurrency,
      limitRate,
    });
  });
  return { config, streams, statistics };
}

/** What `check` and `discover` hand down with each request to a stream: a person reads why it takes longer. */
export function promptContext(stream: string, { signal, writer }: Environment): StreamContext {
  const info = (words: string): Promise<void> => writer.info(`${stream}: ${words}`);
  return { signal, info, onWait: ({ reason }) => info(`one more attempt (${reason})`) };
}

/** Environment variables of which a platform sets at least one; it hands a changed config to the next process. */
const PLATFORM = ['WORKER_JOB_ID', 'WORKER_CONNECTOR_IMAGE', 'DEPLOYMENT_MODE', 'OPERATION_TYPE'];

/** Where tokens are kept: in a file, and where it serves in the config, which a CONTROL message then announces. */
async function keptTokens(
  { config, document }: LoadedConfig,
  credentials: Credentials,
  cacheFolder: string | null,
  sleep: Sleep,
  { writer, redactor: { hide, expose }, clock, openTokenStore }: Environment,
) {
  hide(credentials.clientSecret);
  expose(credentials.clientId);
  // it may hold a key, which a server may repeat
  hide(new URL(credentials.authUrl).search.slice(1));
  const credential = credentialKey(credentials);
  const known = parseCache(config.token_cache ?? '', credential);
  for (const { accessToken } of Object.values(known.tokens)) hide(accessToken);

  const onUnwritable = (reason: string): Promise<void> =>
    writer.info(`tokens cannot be kept in a file for later runs (${reason}); see --token-cache`);
  const file = await openTokenStore(cacheFolder, { ...clock, credential, sleep, onUnwritable });
  const isAskedFor =
    config.token_cache !== undefined || PLATFORM.some((name) => (process.env[name] ?? '') !== '');
  const announce = async (cache: TokenCache): Promise<void> => {
    const changed = { ...document, token_cache: cacheText(cache, clock.now()) };
    await writer.send(configMessage(changed, clock.now()));
  };
  const store = file ?? createMemoryStore(credential);
  return { known, store, announce: isAskedFor || file === null ? announce : null, onSecret: hide };
}
