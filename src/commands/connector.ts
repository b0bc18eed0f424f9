import { createListClient } from '../api/client.ts';
import { createPageMemory, type ListMemory } from '../api/page-memory.ts';
import { createConcurrencyLimit, createRequestLimiter } from '../api/request-limits.ts';
import { createSleep, duration, steadyNow, type Sleep } from '../clock.ts';
import { loadConfig, type Config, type LoadedConfig } from '../config/config.ts';
import { unexpandedHint, type OpenFile } from '../config/files.ts';
import { createInputs } from '../config/open-file.ts';
import { secretParts, secretsInQuery } from '../config/secret-parts.ts';
import { describeUnknown } from '../config/unknown-keys.ts';
import { configError } from '../errors.ts';
import { createPatience, type Patience } from '../http/patience.ts';
import { exchange } from '../http/request.ts';
import { trimSlashes } from '../http/response.ts';
import { PAGE, type RetryBudget } from '../limits.ts';
import { configMessage, listed, quoted } from '../protocol/messages.ts';
import type { Redactor } from '../protocol/redactor.ts';
import type { StandardError } from '../standard-streams.ts';
import { configuredStreams } from '../streams/registry.ts';
import type { SourceStream, StreamContext } from '../streams/stream.ts';
import type { RunContext } from '../sync/read-stream.ts';
import { cacheText, credentialKey, emptyCache, fileKey, parseCache } from '../token/cache.ts';
import type { Credentials, TokenCache } from '../token/cache.ts';
import { createTokenProvider, type TokenProvider } from '../token/provider.ts';
import type { TokenDeps } from '../token/acquire.ts';
import { requestToken } from '../token/request.ts';
import { describeScope, tokenScope } from '../token/rules.ts';
import { CACHE, createMemoryStore, openFileStore } from '../token/store.ts';

/** What a command gets from its process. */
export interface ProcessContext extends Omit<RunContext, 'stateEveryMs' | 'limitRows' | 'progress'> {
  readonly stderr: StandardError;
}

/** Access to the network and to files, until `signal` is aborted. */
export function systemIo(signal: AbortSignal) {
  const openFile: OpenFile = createInputs(signal);
  return { exchange, openFile, openTokenStore: openFileStore };
}

/** What every command with a config needs; tests replace parts of it. */
export type Environment = ProcessContext & Readonly<ReturnType<typeof systemIo>>;

/** The options of every command with a config. */
export interface ConfigOptions {
  readonly config: string;
  readonly tokenCache: string | null; // directory for cached tokens; null for the default
  readonly verbose: boolean; // logs each request to a list, and each token
}

/** What tokens and streams share. */
interface Shared extends Environment {
  readonly patience: Patience;
  readonly log: ((message: string) => void) | null; // logs requests to lists, and tokens
  readonly sleep: Sleep;
  readonly limitRate: ReturnType<typeof createRequestLimiter>;
  readonly statistics: Record<'requests' | 'retries' | 'tokens', number>; // requests to lists, retries among them
}

/** Loads a config, warns about unknown keys, and connects all parts of the connector; nothing else does. */
export async function openConnector(
  { config: path, tokenCache, verbose }: ConfigOptions,
  budget: RetryBudget,
  environment: Environment,
) {
  const { writer, clock, openFile } = environment;
  expectWholePath(tokenCache);
  // not awaited: a failure of stdout ends the command elsewhere
  const info = (message: string): void => void writer.info(message).catch(() => undefined);
  const log = verbose ? info : null;
  const loaded = await loadConfig(path, openFile, process.env);
  const { config, unknownKeys, misspelledLists } = loaded;
  if (unknownKeys.length > 0)
    await writer.warn(`config ${path}: ignoring unknown keys: ${listed(unknownKeys, describeUnknown)}`);
  const statistics = { requests: 0, retries: 0, tokens: 0 };
  const sleep = createSleep(clock, writer.info);
  const limitRate = createRequestLimiter(config.max_requests_per_minute ?? null, clock.ticks, sleep);
  const patience = createPatience(budget);
  const shared = { ...environment, patience, log, sleep, limitRate, statistics };
  const tokens = await openTokens(loaded, tokenCache, shared);
  return { config, misspelledLists, streams: openStreams(config, tokens, shared), statistics };
}

/** Throws USAGE if a directory for tokens is no whole path: it would be created below the current one, and be lost with it. */
function expectWholePath(option: string | null): void {
  const [name, path] =
    option === null ? ([CACHE, process.env[CACHE] ?? ''] as const) : ['--token-cache', option];
  const hint = unexpandedHint(path);
  if (hint !== null) throw configError('USAGE', `${name} is ${quoted(path)}: ${hint}.`);
}

function openStreams(config: Config, tokens: TokenProvider, shared: Shared) {
  const { exchange: send, redactor, clock, patience, log, sleep, limitRate, statistics } = shared;
  const limitConcurrency = createConcurrencyLimit();
  const pages = createPageMemory(PAGE.maxHeldBytes);
  const memories = new Map<string, ListMemory>();
  const now = steadyNow(clock);
  const streams = configuredStreams(config, ({ name: stream, place, base_url: baseUrl, path, audience }) => {
    const scope = tokenScope(config.token, audience, place);
    // not resolved against the base, which may have a path
    const url = new URL(`${trimSlashes(baseUrl)}${path}`);
    const memory = pages.openList();
    memories.set(stream, memory);
    return createListClient({
      exchange: send,
      redact: redactor.redact,
      ...tokens(stream, scope),
      log,
      endpoint: { stream, place, url, baseUrl, scope },
      retry: { ...clock, now, patience, sleep, count: (what) => statistics[what]++ },
      memory,
      limitConcurrency,
      limitRate,
    });
  });
  return streams.map((stream) => inTurn(stream, memories.get(stream.name) ?? pages.openList()));
}

/** The stream, which begins when there is memory for its pages. */
function inTurn(stream: SourceStream, memory: ListMemory): SourceStream {
  const begin = ({ signal, info }: StreamContext): Promise<void> =>
    memory.begin(signal, () => info('waiting until other lists with large pages have been read'));
  return {
    ...stream,
    probe: async (context) => {
      await begin(context);
      return stream.probe(context).finally(memory.end);
    },
    sample: async function* (count, context) {
      await begin(context);
      try {
        yield* stream.sample(count, context);
      } finally {
        memory.end();
      }
    },
    read: async function* (context) {
      await begin(context);
      try {
        yield* stream.read(context);
      } finally {
        memory.end();
      }
    },
  };
}

async function openTokens(loaded: LoadedConfig, cacheDirectory: string | null, shared: Shared) {
  const { exchange: send, redactor, clock, patience, log, sleep, limitRate, statistics } = shared;
  const { auth_url: authUrl, client_id: clientId, client_secret: clientSecret } = loaded.config;
  const credentials = { authUrl, clientId, clientSecret };
  const { redact } = redactor;
  const onSent = (): void => void statistics.tokens++;
  const context = { exchange: send, redact, deadlineMs: patience.budget.deadlineMs, now: clock.now, onSent };
  const { placeOfTokens, ...caches } = await openCaches(loaded, credentials, cacheDirectory, shared);
  let latest = clientSecret;
  const request: TokenDeps['request'] = async (scope, hasIssued, signal) => {
    // while it is rotated, its file may be missing for a moment
    latest = (await loaded.currentSecret().catch(() => null)) ?? latest;
    secretParts(latest).forEach(redactor.hide);
    const current = { ...credentials, clientSecret: latest, secretName: loaded.secretName };
    const outcome = await requestToken(current, scope, { ...context, hasIssued, signal });
    const isKept = outcome.kind === 'issued' && !outcome.hasEnded;
    const place = isKept ? placeOfTokens() : null;
    if (place !== null)
      await shared.writer.info(`requested a token for audience ${describeScope(scope)}; ${place}`);
    return outcome;
  };
  return createTokenProvider({
    ...clock,
    ...caches,
    credentials,
    request,
    warn: shared.writer.warn,
    log,
    limitRate,
    patience,
    sleep,
  });
}

/** Only platforms that pass a changed config to the next process set these environment variables, and each sets one of them. */
const PLATFORM = ['WORKER_JOB_ID', 'WORKER_CONNECTOR_IMAGE'];

const NO_CACHE =
  '"token_cache" in the config contains no tokens, so it is replaced. It is written by the connector: set it to "" to have tokens ' +
  'passed on in CONTROL messages, or name a directory for them with --token-cache.';

/** Whether tokens are passed on in the config. */
function passesTokensOn(config: Config): boolean {
  return config.token_cache !== undefined || PLATFORM.some((name) => (process.env[name] ?? '') !== '');
}

/** Returns the tokens that the config has, and hides them. */
async function tokensIn(
  config: Config,
  credential: string,
  { writer, redactor: { hide } }: Pick<Shared, 'writer' | 'redactor'>,
): Promise<TokenCache> {
  const kept = config.token_cache ?? '';
  if (kept !== '' && !kept.trimStart().startsWith('{')) await writer.warn(NO_CACHE);
  const known = parseCache(kept, credential) ?? emptyCache(credential);
  for (const { accessToken } of Object.values(known.tokens)) hide(accessToken);
  return known;
}

/** Masks credentials, but not what messages need to name them. */
function hideCredentials(
  { clientId, clientSecret, authUrl }: Credentials,
  secretName: string,
  { hide, expose }: Redactor,
): void {
  // a secret that was not filled in may be its own name
  [clientId, secretName, 'client_secret', 'clientSecret'].forEach(expose);
  // the query may contain a key, which a server may echo
  [...secretParts(clientSecret), ...secretsInQuery(new URL(authUrl))].forEach(hide);
}

/** Opens the token caches: a file and, where needed, the config, whose changes are announced by CONTROL messages. */
async function openCaches(
  { config, document, secretName }: LoadedConfig,
  credentials: Credentials,
  cacheDirectory: string | null,
  { writer, redactor, clock, sleep, openTokenStore }: Shared,
) {
  const { hide } = redactor;
  hideCredentials(credentials, secretName, redactor);
  const credential = credentialKey(credentials);
  const known = await tokensIn(config, credential, { writer, redactor });
  const isRequested = passesTokensOn(config);
  const elsewhere = isRequested
    ? 'they are passed on in the config'
    : 'each run requests another one; name a writable directory with --token-cache, or set "token_cache": "" in the config ' +
      'to have tokens passed on in CONTROL messages';
  let isWritable = true;
  const onUnwritable = (reason: string): Promise<void> => {
    isWritable = false;
    return writer.warn(`tokens cannot be kept in a file (${reason}): ${elsewhere}`);
  };
  const file = await openTokenStore(cacheDirectory, {
    ...clock,
    credential,
    fileKey: fileKey(credentials),
    secret: credentials.clientSecret,
    sleep,
    warn: writer.warn,
    onLocked: writer.info,
    onUnwritable,
  });
  const announce = (cache: TokenCache): Promise<void> =>
    writer.send(configMessage({ ...document, token_cache: cacheText(cache, clock.now()) }, clock.now()));
  const store = file ?? createMemoryStore(credential);
  // what cannot be written was said already
  const placeOfTokens = (): string | null => {
    if (isRequested) return 'it is passed on in the config';
    return isWritable
      ? `later runs find it in ${store.file}, if that is kept (in a container: on a volume)`
      : null;
  };
  return { known, store, announce: isRequested ? announce : null, onSecret: hide, placeOfTokens };
}

/** The context of requests of `check` and `discover`, which log retries for the person who is waiting. */
export function interactiveContext(stream: string, { signal, writer }: Environment): StreamContext {
  const info = (message: string): Promise<void> => writer.info(`${stream}: ${message}`);
  const onWait: StreamContext['onWait'] = ({ reason, waitMs }) =>
    info(`an attempt failed; retrying in ${duration(waitMs)} (${reason})`);
  return { signal, info, onWait };
}
