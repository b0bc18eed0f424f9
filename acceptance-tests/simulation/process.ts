import { Readable } from 'node:stream';
import type { Environment } from '../../src/commands/connector.ts';
import { runRead } from '../../src/commands/read.ts';
import { transientError } from '../../src/errors.ts';
import { exitCodeOf } from '../../src/process-end.ts';
import { createRedactor } from '../../src/protocol/redactor.ts';
import { createWriter } from '../../src/protocol/writer.ts';
import { emptyCache, type TokenCache } from '../../src/token/cache.ts';
import { createMemoryLock, type TokenStore } from '../../src/token/store.ts';
import { createRandom, mix } from '../sandbox/data/random.ts';
import { recordText } from '../support/run-views.ts';
import { catalogText, configText } from './input-texts.ts';
import { createNetwork, type NetworkParts } from './network.ts';
import { streamsOf } from './scenario.ts';
import type { SimulatedApi } from './simulated-api.ts';
import { createSink } from './sink.ts';

/** How a process ended, with its output and its requests. */
export type Ended = Awaited<ReturnType<typeof runProcess>>;

type Sink = ReturnType<typeof createSink>;

interface ProcessParts extends NetworkParts {
  /** The index of its plan. */
  readonly run: number;
  /** The token caches on the disk, by credential. */
  readonly disk: Map<string, TokenCache>;
  /** The content of the state file; null for none. */
  readonly state: Buffer | null;
  /** ms by which the local clock is ahead of the records' clock at the start. */
  readonly skewMs: number;
}

/** More timers per two lists than any read of so few rows needs, even one whose cursors expire as often as it accepts. */
const MAX_EVENTS = 40_000;

/** Runs `read` as the program does, from its options to the bytes on stdout, until it ends or is killed. */
export async function runProcess(parts: ProcessParts) {
  const { plan, scenario, time, seed, api, trace, matters } = parts;
  const onWritten = (bytes: Buffer): void => trace(() => describeOutput(bytes, api));
  const sink = createSink(plan.sink, mix(seed, 1), time, matters, onWritten);
  const { exchange, traffic } = createNetwork(parts, mix(seed, 2));
  const stop = stopOf(parts);
  const clock = localClockOf(parts);
  const environment = { ...environmentOf(parts, sink, stop.signal, clock.now), exchange };
  let exitCode = null as number | null; // null until it exits
  const read = async (): Promise<void> => {
    exitCode = await exitCodeOf(() => runRead(optionsOf(parts), environment), environment);
  };
  void read();
  const result = await time.run(
    () => exitCode !== null || sink.isKilled(),
    MAX_EVENTS * (1 + scenario.further.length),
  );
  const end = sink.isClosed() ? 'stdout closed' : 'exit';
  const howOver = sink.isKilled() ? 'killed' : end;
  const ended = {
    ...traffic,
    how: result === 'over' ? howOver : result,
    exitCode,
    output: sink.output(),
    wasStopped: stop.signal.aborted,
    skewMs: clock.skewMs(),
  };
  // Node.js keeps signals that somebody listens to, and with them the whole simulation, until they are aborted
  stop.abort();
  return ended;
}

function stopOf({ plan, time, trace, matters }: ProcessParts): AbortController {
  const stop = new AbortController();
  if (plan.stopAfterMs !== null)
    time.after(plan.stopAfterMs, () => {
      trace(() => 'SIGTERM');
      matters('stop');
      stop.abort(transientError('ABORTED', 'the connector was told to stop (SIGTERM) before the end.', null));
    });
  return stop;
}

/** The local clock, which is set once in some plans. */
function localClockOf({ plan, time, trace, matters, ...parts }: ProcessParts) {
  let { skewMs } = parts;
  if (plan.clockChange !== null) {
    const { afterMs, byMs } = plan.clockChange;
    time.after(afterMs, () => {
      trace(() => `the local clock is set by ${byMs} ms`);
      matters('clockChange');
      skewMs += byMs;
    });
  }
  return { now: () => time.now() + skewMs, skewMs: () => skewMs };
}

function optionsOf({ plan, scenario, state }: ProcessParts): Parameters<typeof runRead>[0] {
  return {
    config: 'config',
    tokenCache: null,
    verbose: false,
    catalog: plan.hasCatalog ? 'catalog' : null,
    state: state === null ? null : 'state',
    stateEveryMs: plan.stateEveryMs,
    streams: streamsOf(scenario),
    limitRows: plan.limitRows,
    progress: 'never',
  };
}

function environmentOf(
  { plan, run, scenario, seed, disk, time, state }: ProcessParts,
  sink: Sink,
  stop: AbortSignal,
  now: () => number,
): Omit<Environment, 'exchange'> {
  const redactor = createRedactor();
  const writer = createWriter(sink.stdout, redactor);
  const { bits } = createRandom(mix(seed, 3));
  const files = new Map<string, string | Buffer | null>([
    ['config', configText(scenario, plan, run)],
    ['catalog', catalogText(scenario, plan)],
    ['state', state],
  ]);
  const terminal = { isTerminal: false, isStdoutTerminal: false };
  const { areKept } = scenario.api.tokens;
  return {
    writer,
    redactor,
    stderr: { ...terminal, columns: () => 80, write: () => undefined },
    signal: AbortSignal.any([writer.closed, stop]),
    clock: { now, ticks: time.now, wait: time.wait, after: time.after, random: () => bits() / 2 ** 32 },
    openFile: (path) => Readable.from([Buffer.from(files.get(path) ?? '')]),
    openTokenStore: async (_folder, { credential }) => (areKept ? storeOn(disk, credential, sink) : null),
  };
}

/** A file that outlives processes; its lock does not. A killed process writes nothing. */
function storeOn(disk: Map<string, TokenCache>, credential: string, sink: Sink): TokenStore {
  const lock = createMemoryLock();
  const read = (): TokenCache => disk.get(credential) ?? emptyCache(credential);
  const write = async (cache: TokenCache): Promise<void> => {
    if (!sink.isKilled()) disk.set(credential, cache);
  };
  return {
    file: null,
    read: async () => read(),
    exclusively: (work, signal) => lock(() => work(read(), write), signal),
  };
}

/** A write for a trace: the numbers of its rows, and all other messages. */
function describeOutput(bytes: Buffer, api: SimulatedApi): string {
  const lines = bytes.toString().split('\n').slice(0, -1);
  const described = lines.map((line) => {
    const [, stream] = /^\{"type":"RECORD","record":\{"stream":"(\w+)"/.exec(line) ?? [];
    const list = api.lists.get(stream ?? '');
    if (list === undefined) return line.slice(0, 900);
    return `${stream}: row ${list.rowsOf(recordText(Buffer.from(line))).join(' or ')}`;
  });
  return described.map((line) => `    → ${line}`).join('\n');
}
