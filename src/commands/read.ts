import { configError } from '../errors.ts';
import { PATIENT } from '../limits.ts';
import { loadCatalog } from '../protocol/catalog-input.ts';
import type { Selection } from '../protocol/catalog-input.ts';
import { loadState } from '../protocol/state-input.ts';
import type { SourceStream } from '../streams/stream.ts';
import { startProgress } from '../sync/progress.ts';
import type { RunContext } from '../sync/read-stream.ts';
import { runStreams } from '../sync/run.ts';
import { openConnector } from './connector.ts';
import type { ConfigOptions, Environment } from './connector.ts';

export interface ReadOptions extends ConfigOptions, Pick<RunContext, 'stateEveryMs' | 'limitRows'> {
  /** Null by hand: then every configured stream is read, incremental where it can be. */
  readonly catalog: string | null;
  readonly state: string | null;
  /** The streams that shall be read, of those in the config or the catalog; null for all. */
  readonly streams: readonly string[] | null;
  /** Whether people see a progress line on stderr; `auto`: if it is a terminal. */
  readonly progress: 'auto' | 'always' | 'never';
}

/** `read`: records and states; exit code 0 only if every stream is complete. An invalid input throws before any row. */
export async function runRead(options: ReadOptions, environment: Environment): Promise<number> {
  const { progress: choice, limitRows } = options;
  const { stderr } = environment;
  if (choice === 'never' || (choice === 'auto' && !stderr.isTerminal))
    return read(options, environment, (stream) => stream);
  const progress = startProgress(stderr, limitRows, environment);
  try {
    return await read(options, environment, progress.watch);
  } finally {
    progress.end();
  }
}

type Watch = ReturnType<typeof startProgress>['watch'];

async function read(options: ReadOptions, environment: Environment, watch: Watch): Promise<number> {
  const { catalog, stateEveryMs, limitRows } = options;
  const { streams, statistics } = await openConnector(options, PATIENT, null, environment);
  const names = streams.map(({ name }) => name);
  const selectable =
    catalog === null ? streams.map(everythingOf) : await loadCatalog(catalog, names, environment.openFile);
  const selections = chosen(selectable, options.streams);
  const states = await statesFrom(options.state, names, environment);
  const run = { ...environment, stateEveryMs, limitRows };
  return (await runStreams(streams.map(watch), selections, states, statistics, run)) ? 0 : 1;
}

function everythingOf({ name: stream, catalogEntry }: SourceStream): Selection {
  const isIncremental = catalogEntry.supported_sync_modes.includes('incremental');
  return { stream, syncMode: isIncremental ? 'incremental' : 'full_refresh', declared: null };
}

function chosen(selectable: readonly Selection[], wanted: readonly string[] | null): readonly Selection[] {
  const names = selectable.map(({ stream }) => stream);
  const unknown = (wanted ?? []).filter((name) => !names.includes(name)).join(', ');
  const words = `--streams names ${unknown}; there is ${names.join(', ') || 'none'} to choose from.`;
  if (unknown !== '') throw configError('USAGE', words);
  return selectable.filter(({ stream }) => wanted?.includes(stream) ?? true);
}

async function statesFrom(path: string | null, known: readonly string[], { log, openFile }: Environment) {
  if (path === null) return new Map<string, never>();
  const { states, cutLines } = await loadState(path, openFile);
  const cut = `skipped what was cut off (lines: ${cutLines}); the last whole STATE counts`;
  if (cutLines > 0) await log.warn(`state ${path}: ${cut}`);
  const others = [...states.keys()].filter((name) => !known.includes(name)).join(', ');
  if (others !== '') await log.info(`state ${path}: skipped what belongs to other streams: ${others}`);
  return states;
}
