import { Readable } from 'node:stream';

import type { Environment } from '../../src/commands/environment.ts';
import { runRead } from '../../src/commands/read.ts';
import { transientError } from '../../src/errors.ts';
import { exitCodeOf } from '../../src/process-end.ts';
import { createLog, createWriter } from '../../src/protocol/writer.ts';
import { createRedactor } from '../../src/protocol/redactor.ts';
import { createMemoryLock } from '../../src/token/store.ts';
import { emptyCache } from '../../src/token/cache.ts';
import type { TokenCache } from '../../src/token/cache.ts';
import type { TokenStore } from '../../src/token/store.ts';
import { createRandom, mix } from '../sandbox/data/random.ts';
import type { Fault } from './faults.ts';
import { createNetwork } from './network.ts';
import type { NetworkPlan } from './network.ts';
import { catalogText, configText } from './run-plan.ts';
import type { RunPlan } from './run-plan.ts';
import type { SimulatedApi } from './simulated-api.ts';
import { outputWords } from './output-words.ts';
import { createSink } from './sink.ts';
import type { TokenPlan } from './token-endpoint.ts';
import type { VirtualTime } from './virtual-time.ts';
import type { Tell } from './tell.ts';

/** What a process leaves behind, and what came of it. */
export interface Ended {
  /** `stuck`: nothing was left to wait for; `endless`: too much happened. */
  readonly how: 'exit' | 'killed' | 'reader gone' | 'stuck' | 'endless';
  /** Null unless it ended by itself. */
  readonly exitCode: number | null;
  readonly output: Buffer;
  readonly listRequests: number;
  /** What befell requests whose answer came. */
  readonly faults: readonly Fault[];
  readonly hadOutage: boolean;
  readonly wasStopped: boolean;
}

export interface ProcessParts {
  readonly run: RunPlan;
  /** Of this process. */
  readonly seed: number;
  readonly api: SimulatedApi;
  readonly network: NetworkPlan;
  readonly tokens: TokenPlan;
  /** What is kept of tokens on the disk, by credential. */
  readonly disk: Map<string, TokenCache>;
  readonly time: VirtualTime;
  /** ms that the local clock is ahead of the server's. */
  readonly skewMs: number;
  /** The content of the state file; null for none. */
  readonly state: Buffer | null;
  readonly tell: Tell;
}

/** Events of one process, more than any read of so few rows needs. */
const MOST_EVENTS = 8000;
const CONFIG = 'config.json';
const CATALOG = 'catalog.json';
const STATE = 'state.json';

/** Runs `read` as the program does, from its options to the bytes on stdout, until it ends or is killed. */
export async function runProcess(parts: ProcessParts): Promise<Ended> {
  const { run, time, seed, tell } = parts;
  const sink = createSink(run.sink, mix(seed, 1), time, (bytes) => tell(() => outputWords(bytes, parts.api)));
  const network = createNetwork({
    plan: parts.network,
    seed: mix(seed, 2),
    api: parts.api,
    time,
    isCalm: run.isCalm,
    lists: run.streams.length,
    outage: run.outage,
    isDead: sink.isKilled,
    tell,
  });
  const stop = new AbortController();
  const environment = environmentOf(parts, sink.stdout, stop.signal, network.exchange);
  let exitCode: number | null = null;
  if (run.stopAfterMs !== null)
    time.after(run.stopAfterMs, () => {
      tell(() => 'told to stop');
      stop.abort(transientError('ABORTED', 'the connector was told to stop (SIGTERM) before the end.', null));
    });
  const read = async (): Promise<void> => {
    exitCode = await exitCodeOf(() => runRead(optionsOf(parts), environment), environment);
  };
  void read();
  const passed = await time.pass(() => exitCode !== null || sink.isKilled(), MOST_EVENTS);
  return {
    how: passed !== 'over' ? passed : sink.isKilled() ? 'killed' : sink.isGone() ? 'reader gone' : 'exit',
    exitCode,
    output: sink.output(),
    listRequests: network.listRequests(),
    faults: network.faults(),
    hadOutage: network.hadOutage(),
    wasStopped: stop.signal.aborted,
  };
}

function optionsOf({ run, state }: ProcessParts): Parameters<typeof runRead>[0] {
  return {
    config: CONFIG,
    tokenCache: null,
    catalog: run.hasCatalog ? CATALOG : null,
    state: state === null ? null : STATE,
    stateEveryMs: run.stateEveryMs,
    streams: run.streams,
    limitRows: run.limitRows,
    progress: 'never',
  };
}

function environmentOf(
  { run, seed, tokens, disk, time, skewMs, state }: ProcessParts,
  stdout: Parameters<typeof createWriter>[0],
  stop: AbortSignal,
  exchange: Environment['exchange'],
): Environment {
  const redactor = createRedactor();
  const writer = createWriter(stdout, redactor);
  const random = createRandom(mix(seed, 3));
  const files: Readonly<Record<string, string | Buffer | null>> = {
    [CONFIG]: configText(run, tokens),
    [CATALOG]: catalogText(run),
    [STATE]: state,
  };
  return {
    writer,
    log: createLog(writer),
    redactor,
    stderr: {
      isTerminal: false,
      isSharedWithStdout: false,
      erases: false,
      colours: false,
      columns: () => 80,
      write: () => undefined,
    },
    signal: AbortSignal.any([writer.gone, stop]),
    clock: {
      now: () => time.now() + skewMs,
      ticks: time.now,
      wait: (ms, signal) => waitFor(time, ms, signal),
      after: time.after,
      random: () => random.bits() / 0x1_0000_0000,
    },
    exchange,
    openFile: (path) => Readable.from([Buffer.from(files[path] ?? '')]),
    openTokenStore: async (_folder, { credential }) => (tokens.areKept ? storeOn(disk, credential) : null),
  };
}

function waitFor(time: VirtualTime, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const giveUp = (): void => {
      takeBack();
      reject(signal.reason as Error);
    };
    const takeBack = time.after(ms, () => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    });
    signal.addEventListener('abort', giveUp, { once: true });
  });
}

/** A file that outlives processes; its lock dies with the one that holds it. */
function storeOn(disk: Map<string, TokenCache>, credential: string): TokenStore {
  const lock = createMemoryLock();
  const read = (): TokenCache => disk.get(credential) ?? emptyCache(credential);
  return {
    read: async () => read(),
    exclusively: (work, signal) =>
      lock(
        () =>
          work(read(), async (cache) => {
            disk.set(credential, cache);
          }),
        signal,
      ),
  };
}
