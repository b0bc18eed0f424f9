import { Readable } from 'node:stream';

import type { Environment } from '../../src/commands/connector.ts';
import { runRead } from '../../src/commands/read.ts';
import { transientError } from '../../src/errors.ts';
import { exitCodeOf } from '../../src/process-end.ts';
import { createRedactor } from '../../src/protocol/redactor.ts';
import { createLog, createWriter } from '../../src/protocol/writer.ts';
import { emptyCache } from '../../src/token/cache.ts';
import type { TokenCache } from '../../src/token/cache.ts';
import { createMemoryLock } from '../../src/token/store.ts';
import type { TokenStore } from '../../src/token/store.ts';
import { createRandom, mix } from '../sandbox/data/random.ts';
import { createNetwork } from './network.ts';
import type { Network, NetworkParts, Traffic } from './network.ts';
import { outputWords } from './output-words.ts';
import { catalogText, configText } from './input-texts.ts';
import type { Scenario } from './scenario.ts';
import { createSink } from './sink.ts';
import type { Sink } from './sink.ts';

/** What a process leaves behind, and what came of it. */
export interface Ended extends Traffic {
  /** `stuck`: nothing was left to wait for; `endless`: too much happened. */
  readonly how: 'exit' | 'killed' | 'reader gone' | 'stuck' | 'endless';
  /** Null unless it ended by itself. */
  readonly exitCode: number | null;
  readonly output: Buffer;
  readonly wasStopped: boolean;
}

export interface ProcessParts extends Omit<NetworkParts, 'plan'> {
  readonly scenario: Scenario;
  /** What is kept of tokens on the disk, by credential. */
  readonly disk: Map<string, TokenCache>;
  /** The content of the state file; null for none. */
  readonly state: Buffer | null;
}

/** Events of one process, more than any read of so few rows needs. */
const MOST_EVENTS = 8000;

/** Runs `read` as the program does, from its options to the bytes on stdout, until it ends or is killed. */
export async function runProcess(parts: ProcessParts): Promise<Ended> {
  const { run, scenario, time, seed, api, tell } = parts;
  const sink = createSink(run.sink, mix(seed, 1), time, (bytes) => tell(() => outputWords(bytes, api)));
  const network = createNetwork({ ...parts, plan: scenario.network, seed: mix(seed, 2) });
  const stop = new AbortController();
  if (run.stopAfterMs !== null)
    time.after(run.stopAfterMs, () => {
      tell(() => 'told to stop');
      stop.abort(transientError('ABORTED', 'the connector was told to stop (SIGTERM) before the end.', null));
    });
  const environment = environmentOf(parts, sink, stop.signal, network);
  let exitCode: number | null = null;
  const read = async (): Promise<void> => {
    exitCode = await exitCodeOf(() => runRead(optionsOf(parts), environment), environment);
  };
  void read();
  const passed = await time.pass(() => exitCode !== null || sink.isKilled(), MOST_EVENTS);
  return {
    ...network.traffic,
    how: passed !== 'over' ? passed : sink.isKilled() ? 'killed' : sink.isGone() ? 'reader gone' : 'exit',
    exitCode,
    output: sink.output(),
    wasStopped: stop.signal.aborted,
  };
}

function optionsOf({ run, state }: ProcessParts): Parameters<typeof runRead>[0] {
  return {
    config: 'config',
    tokenCache: null,
    catalog: run.hasCatalog ? 'catalog' : null,
    state: state === null ? null : 'state',
    stateEveryMs: run.stateEveryMs,
    streams: run.streams,
    limitRows: run.limitRows,
    progress: 'never',
  };
}

function environmentOf(
  { run, scenario, seed, disk, time, state }: ProcessParts,
  { stdout }: Sink,
  stop: AbortSignal,
  { exchange }: Network,
): Environment {
  const { tokens } = scenario.api;
  const redactor = createRedactor();
  const writer = createWriter(stdout, redactor);
  const random = createRandom(mix(seed, 3));
  const files = new Map<string, string | Buffer | null>([
    ['config', configText(run, tokens)],
    ['catalog', catalogText(run)],
    ['state', state],
  ]);
  const terminal = { isTerminal: false, isSharedWithStdout: false, erases: false, colours: false };
  return {
    writer,
    log: createLog(writer),
    redactor,
    stderr: { ...terminal, columns: () => 80, write: () => undefined },
    signal: AbortSignal.any([writer.gone, stop]),
    clock: {
      now: () => time.now() + scenario.skewMs,
      ticks: time.now,
      wait: time.wait,
      after: time.after,
      random: () => random.bits() / 0x1_0000_0000,
    },
    exchange,
    openFile: (path) => Readable.from([Buffer.from(files.get(path) ?? '')]),
    openTokenStore: async (_folder, { credential }) => (tokens.areKept ? storeOn(disk, credential) : null),
  };
}

/** A file that outlives processes; its lock dies with the one that holds it. */
function storeOn(disk: Map<string, TokenCache>, credential: string): TokenStore {
  const lock = createMemoryLock();
  const read = (): TokenCache => disk.get(credential) ?? emptyCache(credential);
  const write = async (cache: TokenCache): Promise<void> => void disk.set(credential, cache);
  return {
    read: async () => read(),
    exclusively: (work, signal) => lock(() => work(read(), write), signal),
  };
}
