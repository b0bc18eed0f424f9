import { Readable } from 'node:stream';
import type { Environment } from '../../src/commands/connector.ts';
import { runRead } from '../../src/commands/read.ts';
import { transientError } from '../../src/errors.ts';
import { exitCodeOf } from '../../src/process-end.ts';
import { createRedactor } from '../../src/protocol/redactor.ts';
import { createWriter } from '../../src/protocol/writer.ts';
import { emptyCache } from '../../src/token/cache.ts';
import type { TokenCache } from '../../src/token/cache.ts';
import { createMemoryLock } from '../../src/token/store.ts';
import type { TokenStore } from '../../src/token/store.ts';
import { createRandom, mix } from '../sandbox/data/random.ts';
import { recordText } from '../support/run-views.ts';
import { catalogText, configText } from './input-texts.ts';
import { createNetwork } from './network.ts';
import type { NetworkParts } from './network.ts';
import { streamsOf } from './scenario.ts';
import type { SimulatedApi } from './simulated-api.ts';
import { createSink } from './sink.ts';

/** What a process leaves behind, and what came of it. */
export type Ended = Awaited<ReturnType<typeof runProcess>>;

interface ProcessParts extends NetworkParts {
  /** The number of its plan. */
  readonly run: number;
  /** What is kept of tokens on the disk, by credential. */
  readonly disk: Map<string, TokenCache>;
  /** The content of the state file; null for none. */
  readonly state: Buffer | null;
  /** ms by which the local clock is ahead of the records' when the process starts. */
  readonly skewMs: number;
}

/** Events of one process for two lists, more than any read of so few rows needs. */
const MAX_EVENTS = 8000;

/** Runs `read` as the program does, from its options to the bytes on stdout, until it ends or is killed. */
export async function runProcess(parts: ProcessParts) {
  const { plan, scenario, time, seed, api, tell, matters, state } = parts;
  const told = (bytes: Buffer): void => tell(() => outputWords(bytes, api));
  const sink = createSink(plan.sink, mix(seed, 1), time, matters, told);
  const { exchange, traffic } = createNetwork(parts, mix(seed, 2));
  const stop = new AbortController();
  if (plan.stopAfterMs !== null)
    time.after(plan.stopAfterMs, () => {
      tell(() => 'told to stop');
      matters('stop');
      stop.abort(transientError('ABORTED', 'the connector was told to stop (SIGTERM) before the end.', null));
    });
  let { skewMs } = parts;
  if (plan.clockChange !== null) {
    const { afterMs, byMs } = plan.clockChange;
    time.after(afterMs, () => {
      tell(() => `the local clock is set by ${byMs} ms`);
      matters('clockChange');
      skewMs += byMs;
    });
  }
  const now = (): number => time.now() + skewMs;
  const environment = environmentOf(parts, sink.stdout, stop.signal, { exchange, now });
  const options = {
    config: 'config',
    tokenCache: null,
    catalog: plan.hasCatalog ? 'catalog' : null,
    state: state === null ? null : 'state',
    stateEveryMs: plan.stateEveryMs,
    streams: streamsOf(scenario),
    limitRows: plan.limitRows,
    progress: 'never' as const,
  };
  let exitCode: number | null = null; // unless it ended by itself
  const read = async (): Promise<void> => {
    exitCode = await exitCodeOf(() => runRead(options, environment), environment);
  };
  void read();
  // stuck: nothing was left to wait for; endless: too much happened
  const passed = await time.pass(
    () => exitCode !== null || sink.isKilled(),
    MAX_EVENTS * (1 + scenario.further.length),
  );
  const end = sink.isKilled() ? 'killed' : sink.isGone() ? 'reader gone' : 'exit';
  return {
    ...traffic,
    how: passed === 'over' ? end : passed,
    exitCode: exitCode as number | null,
    output: sink.output(),
    wasStopped: stop.signal.aborted,
    skewMs,
  };
}

function environmentOf(
  { plan, run, scenario, seed, disk, time, state }: ProcessParts,
  stdout: Parameters<typeof createWriter>[0],
  stop: AbortSignal,
  { exchange, now }: Pick<Environment, 'exchange'> & { readonly now: () => number },
): Environment {
  const redactor = createRedactor();
  const writer = createWriter(stdout, redactor);
  const random = createRandom(mix(seed, 3));
  const files = new Map<string, string | Buffer | null>([
    ['config', configText(scenario, plan, run)],
    ['catalog', catalogText(scenario, plan)],
    ['state', state],
  ]);
  const terminal = { isTerminal: false, isSharedWithStdout: false, erases: false, colors: false };
  const { areKept } = scenario.api.tokens;
  return {
    writer,
    redactor,
    stderr: { ...terminal, columns: () => 80, write: () => undefined },
    signal: AbortSignal.any([writer.closed, stop]),
    clock: {
      now,
      ticks: time.now,
      wait: time.wait,
      after: time.after,
      random: () => random.bits() / 0x1_0000_0000,
    },
    exchange,
    openFile: (path) => Readable.from([Buffer.from(files.get(path) ?? '')]),
    openTokenStore: async (_folder, { credential }) => (areKept ? storeOn(disk, credential) : null),
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

/** What a write holds, for a person: the numbers of its rows, other messages as they are. */
function outputWords(bytes: Buffer, api: SimulatedApi): string {
  const words = bytes
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [, stream] = /^\{"type":"RECORD","record":\{"stream":"(\w+)"/.exec(line) ?? [];
      const list = api.lists.get(stream ?? '');
      if (list === undefined) return line.slice(0, 900);
      const rows = list.rowsOf(recordText(Buffer.from(line)));
      return `${stream}: row ${rows.join(' or ')}`;
    });
  return words.map((word) => `    → ${word}`).join('\n');
}
