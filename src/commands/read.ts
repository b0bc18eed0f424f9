import { loadCatalog } from '../config/catalog-input.ts';
import type { Selection } from '../config/catalog-input.ts';
import { loadState } from '../config/state-input.ts';
import type { LoadedState } from '../config/state-input.ts';
import { configError } from '../errors.ts';
import { READ_BUDGET } from '../limits.ts';
import { writeTime } from '../paging/instant.ts';
import { counted, listed, plain } from '../protocol/messages.ts';
import type { SourceStream } from '../streams/stream.ts';
import { drawProgress } from '../sync/progress.ts';
import type { Progress } from '../sync/progress.ts';
import { readStream } from '../sync/read-stream.ts';
import type { RunContext, StreamResult } from '../sync/read-stream.ts';
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

/**
 * `read`: records and states of streams side by side, and a last LOG line that sums up; exit code 0 only if every stream is
 * complete, or was cut short as asked. An invalid input throws before any row.
 */
export async function runRead(options: ReadOptions, environment: Environment): Promise<number> {
  const { catalog, stateEveryMs, limitRows } = options;
  const { stderr, clock, writer, openFile } = environment;
  const { streams, statistics } = await openConnector(options, READ_BUDGET, null, environment);
  const names = streams.map(({ name }) => name);
  const selectable =
    catalog === null ? streams.map(everythingOf) : await loadCatalog(catalog, names, openFile);
  const selections = chosen(selectable, options.streams);
  const states = await statesFrom(options.state, streams, environment);
  const startedTicks = clock.ticks();
  const progress: Progress = new Map(names.map((name) => [name, null]));
  const isDrawn = options.progress === 'always' || (options.progress === 'auto' && stderr.isTerminal);
  const endDrawing = isDrawn ? drawProgress(stderr, progress, environment) : null;
  const run = { ...environment, stateEveryMs, limitRows, progress };
  try {
    const reading = selections.map((selection) => {
      const stream = streams.find(({ name }) => name === selection.stream) ?? null;
      return readStream(stream, selection, states.get(selection.stream) ?? null, run);
    });
    const results = await Promise.all(reading);
    const told = results.map((result) => rowsRead(result, progress.get(result.stream)?.newest ?? null));
    const { requests, retries, tokens } = statistics;
    const costs = [
      counted(requests, 'request', 'requests'),
      counted(retries, 'retry', 'retries'),
      `${counted(tokens, 'token', 'tokens')} requested`,
      `${((clock.ticks() - startedTicks) / 1000).toFixed(1)} s`,
    ];
    await writer.info(`${told.join(', ') || 'no stream was selected'}; ${costs.join(', ')}`);
    return results.every(({ outcome }) => outcome !== 'failed') ? 0 : 1;
  } finally {
    endDrawing?.();
  }
}

/** For example `trips 1,000 rows (incomplete, newest 2026-01-31T10:00:00.125Z)`; `newest` in ns since the epoch. */
function rowsRead({ stream, rows, outcome }: StreamResult, newest: bigint | null): string {
  const remarks = outcome === 'complete' ? [] : ['incomplete'];
  if (newest !== null) remarks.push(`newest ${writeTime(newest, null).replace(/\.?0*Z$/, 'Z')}`);
  return `${stream} ${counted(rows, 'row', 'rows')}${remarks.length === 0 ? '' : ` (${remarks.join(', ')})`}`;
}

function everythingOf(stream: SourceStream): Selection {
  const syncMode = isIncremental(stream) ? 'incremental' : 'full_refresh';
  return { stream: stream.name, syncMode, declared: null };
}

function isIncremental({ catalogEntry }: SourceStream): boolean {
  return catalogEntry.supported_sync_modes.includes('incremental');
}

function chosen(selectable: readonly Selection[], wanted: readonly string[] | null): readonly Selection[] {
  const names = selectable.map(({ stream }) => stream);
  const unknown = (wanted ?? []).filter((name) => !names.includes(name)).join(', ');
  const words = `--streams names ${unknown}; there is ${names.join(', ') || 'none'} to choose from.`;
  if (unknown !== '') throw configError('USAGE', words);
  return selectable.filter(({ stream }) => wanted?.includes(stream) ?? true);
}

async function statesFrom(
  path: string | null,
  streams: readonly SourceStream[],
  { writer, openFile }: Environment,
): Promise<LoadedState['states']> {
  if (path === null) return new Map();
  const { states, cutLines } = await loadState(path, openFile);
  const cut = `skipped what was cut off (lines: ${cutLines}); the last whole STATE counts`;
  if (cutLines > 0) await writer.warn(`state ${path}: ${cut}`);
  const owned = new Map([...states].map(([name, state]) => [name ?? ownerOfUnnamed(path, streams), state]));
  const known = streams.map(({ name }) => name);
  const others = [...owned.keys()].filter((name) => !known.includes(name));
  if (others.length > 0)
    await writer.info(`state ${path}: skipped what belongs to other streams: ${listed(others, plain)}`);
  return owned;
}

/** The stream of a bare `{"created_since": …}`: the only one of the config that is read by created time. */
function ownerOfUnnamed(path: string, streams: readonly SourceStream[]): string {
  const names = streams.filter(isIncremental).map(({ name }) => name);
  const [only = 'a stream read by created time'] = names;
  const words = `names no stream, and could be that of ${names.join(' or ')}; write {"${only}": {"created_since": …}}`;
  if (names.length > 1) throw configError('STATE_INVALID', `state ${path}: ${words}.`);
  return only;
}
