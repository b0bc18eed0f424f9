import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { loadCatalog, type Selection } from '../config/catalog-input.ts';
import { firstNearName, nearName } from '../config/near-name.ts';
import { loadState, type LoadedState } from '../config/state-input.ts';
import { configError } from '../errors.ts';
import { READ_BUDGET } from '../limits.ts';
import { writeTime } from '../paging/instant.ts';
import { alternatives, counted, listed, plain, quoted } from '../protocol/messages.ts';
import { isStandardOutput } from '../standard-streams.ts';
import { latenessText } from '../streams/messages/late-rows.ts';
import type { SourceStream } from '../streams/stream.ts';
import { drawProgress, type StreamProgress } from '../sync/progress.ts';
import { readStream, type RunContext } from '../sync/read-stream.ts';
import { openConnector, type ConfigOptions, type Environment } from './connector.ts';

export interface ReadOptions extends ConfigOptions, Pick<RunContext, 'stateEveryMs' | 'limitRows'> {
  readonly catalog: string | null; // null reads every configured stream, incrementally if possible
  readonly state: string | null;
  readonly streams: readonly string[] | null; // a selection of those in the config or the catalog; null for all
  readonly progress: 'auto' | 'always' | 'never'; // `auto`: a progress line if stderr is a terminal; never if stdout is one
}

/**
 * `read`: emits the records and states of all streams concurrently, and a summary line at the end. Returns the exit code: 0 only if
 * no stream has failed; `limitRows` is not a failure. Throws before the first record if the config, the catalog or
 * the form of the state file is invalid; a stream whose state is invalid fails alone.
 */
export async function runRead(options: ReadOptions, environment: Environment): Promise<number> {
  const { catalog, stateEveryMs, limitRows } = options;
  const { stderr, clock, writer } = environment;
  const { streams, statistics } = await openConnector(options, READ_BUDGET, environment);
  const names = streams.map(({ name }) => name);
  const configured = streams.map((stream): Selection => {
    const syncMode = isIncremental(stream) ? 'incremental' : 'full_refresh';
    return { stream: stream.name, syncMode, declared: null };
  });
  const selectable = catalog === null ? configured : await loadSelections(catalog, names, environment);
  const selections = selectNamed(selectable, options.streams, names, catalog);
  const states = await loadStates(options.state, streams, environment);
  const startedTicks = clock.ticks();
  const progress: StreamProgress[] = [];
  const isWanted = options.progress === 'always' || (options.progress === 'auto' && stderr.isTerminal);
  // otherwise it could end up between the messages
  const isShown = isWanted && !stderr.isStdoutTerminal;
  const endProgress = isShown ? drawProgress(stderr, progress, environment) : null;
  const run = { ...environment, stateEveryMs, limitRows, stateFile: options.state, progress };
  try {
    const reading = selections.map((selection) => {
      const stream = streams.find(({ name }) => name === selection.stream) ?? null;
      return readStream(stream, selection, states.get(selection.stream) ?? null, run);
    });
    const results = await Promise.all(reading);
    const { requests, retries, tokens } = statistics;
    const costs = [
      counted(requests, 'request', 'requests'),
      counted(retries, 'retry', 'retries'),
      `${counted(tokens, 'token', 'tokens')} requested`,
      `${((clock.ticks() - startedTicks) / 1000).toFixed(1)} s`,
    ];
    await writer.info(`${results.map(rowsRead).join(', ') || 'no stream was selected'}; ${costs.join(', ')}`);
    return exitCodeFor(results);
  } finally {
    endProgress?.();
  }
}

/** `EX_TEMPFAIL` of sysexits.h. */
const TRY_AGAIN = 75;

/** 0 if every stream is done; 75 if all failures are temporary, so that a scheduler knows that another attempt may succeed. */
function exitCodeFor(results: readonly Pick<StreamProgress, 'failure'>[]): number {
  const failures = results.flatMap(({ failure }) => (failure === null ? [] : [failure]));
  if (failures.length === 0) return 0;
  return failures.every((failure) => failure === 'transient_error') ? TRY_AGAIN : 1;
}

/** For example `trips 1,000 rows (incomplete, newest 2026-01-31T10:00:00.125Z, a late row appeared 287 s after it was created)`. */
function rowsRead({ name, rows, phase, newest, late, remark }: StreamProgress): string {
  const remarks = phase === 'done' ? [] : ['incomplete'];
  // the newest row of a batch that was cut may not have been emitted
  if (newest !== null && phase !== 'cut short')
    remarks.push(`newest ${writeTime(newest, null).replace(/\.?0*Z$/, 'Z')}`);
  if (remark !== null) remarks.push(remark);
  if (late !== null) remarks.push(latenessText(late.rows, late.latest));
  return `${name} ${counted(rows, 'row', 'rows')}${remarks.length === 0 ? '' : ` (${remarks.join(', ')})`}`;
}

function isIncremental({ catalogEntry }: SourceStream): boolean {
  return catalogEntry.supported_sync_modes.includes('incremental');
}

/** Returns the selections of a catalog, and logs what the output of discover is taken for. */
async function loadSelections(
  path: string,
  known: readonly string[],
  { writer, openFile }: Environment,
): Promise<readonly Selection[]> {
  const { selections, isDiscovered } = await loadCatalog(path, known, openFile);
  if (selections.length === 0) await writer.warn(`catalog ${path}: contains no streams, so nothing is read`);
  const modes = selections.map(({ stream, syncMode }) => `${plain(stream)} (${syncMode})`).join(', ');
  if (isDiscovered)
    await writer.info(`catalog ${path}: is the output of discover; reading all of its streams: ${modes}`);
  return selections;
}

/** Returns the selections that `--streams` names; throws USAGE if one is neither configured nor selected by the catalog. */
function selectNamed(
  selectable: readonly Selection[],
  wanted: readonly string[] | null,
  configured: readonly string[],
  catalog: string | null,
): readonly Selection[] {
  if (wanted === null) return selectable;
  const names = selectable.map(({ stream }) => stream);
  const absent = wanted.filter((name) => !names.includes(name));
  const unknown = absent.filter((name) => !configured.includes(name));
  const near = firstNearName(unknown, configured);
  const available = names.length === 0 ? 'there is none' : `there are ${listed(names, quoted)}`;
  if (unknown.length > 0)
    throw configError(
      'USAGE',
      `--streams: there is no stream ${listed(unknown, quoted)}; ${available}${near === null ? '.' : `. Did you mean ${near}?`}`,
    );
  if (absent.length > 0)
    throw configError(
      'USAGE',
      `--streams: the config has ${listed(absent, quoted)}, but the catalog ${catalog} does not select it. Select it there, or leave out --catalog.`,
    );
  return selectable.filter(({ stream }) => wanted.includes(stream));
}

/** Returns the state of each stream, and logs what it skips. */
async function loadStates(
  path: string | null,
  streams: readonly SourceStream[],
  { writer, openFile }: Environment,
): Promise<LoadedState['states']> {
  if (path === null) return new Map();
  const known = streams.map(({ name }) => name);
  const { states, truncatedLines, isOutput } = await loadState(path, known, openFile);
  if (states.size === 0 && !isOutput && isStandardOutput(path))
    await writer.warn(
      `state ${path}: contains no state, so every stream is read from its start. Stdout goes to the same file, which a shell empties ` +
        'first unless it appends with >>: write each output to a file of its own.',
    );
  const skipped = `skipped ${counted(truncatedLines, 'truncated line', 'truncated lines')}`;
  if (truncatedLines > 0) await writer.warn(`state ${path}: ${skipped}; only complete states are used`);
  const owned = new Map([...states].map(([name, state]) => [name ?? ownerOfUnnamed(path, streams), state]));
  const others = [...owned.keys()].filter((name) => !known.includes(name));
  if (owned.size === 0 && isOutput)
    await writer.warn(`state ${path}: contains no state of a stream, so every stream is read from its start`);
  if (others.length > 0 && others.length === owned.size) throw foreignState(path, others, known);
  expectNoMisspelled(
    path,
    others,
    known.filter((name) => !owned.has(name)),
  );
  if (others.length > 0)
    await writer.info(`state ${path}: skipped states of other streams: ${listed(others, quoted)}`);
  return owned;
}

/** Throws if a state of another stream is most likely that of one in the config without a state, which would start over. */
function expectNoMisspelled(path: string, others: readonly string[], without: readonly string[]): void {
  const name = others.find((other) => nearName(other, without) !== null);
  if (name === undefined) return;
  const meant = nearName(name, without) ?? '';
  throw configError(
    'STATE_INVALID',
    `state ${path}: has a state of ${quoted(name)}, and none of ${quoted(meant)}, which the config has. Write ${quoted(meant)} if that is ` +
      'meant, or remove the state.',
  );
}

/** No state belongs to a stream of the config: reading from the start would look as if it had been used. */
function foreignState(path: string, others: readonly string[], known: readonly string[]): Error {
  const near = firstNearName(others, known);
  const meant = near === null ? '' : ` (did you mean ${quoted(near)}?)`;
  const problem = `contains only states of ${listed(others, quoted)}${meant}, and the config has ${listed(known, quoted)}`;
  const cure = 'Pass a state of these streams, or no state to read them from their start.';
  return configError('STATE_INVALID', `state ${path}: ${problem}. ${cure}`);
}

/** Returns the stream of a bare `{"created_since": …}`: the only one in the config that is read by created time. */
function ownerOfUnnamed(path: string, streams: readonly SourceStream[]): string {
  const names = streams.filter(isIncremental).map(({ name }) => name);
  const [only] = names;
  if (only === undefined)
    throw configError(
      'STATE_INVALID',
      `state ${path}: created_since is of no use: the config has no list by cursor.`,
    );
  const problem = `names no stream, and could be for ${alternatives(names.map(quoted))}; write {"${only}": {"created_since": …}}`;
  if (names.length > 1) throw configError('STATE_INVALID', `state ${path}: ${problem}.`);
  return only;
}

const YOUNG_BYTES = 8 * 1024 * 1024; // size of the young generation, enough for pages of any size

/**
 * Makes V8 collect garbage less often, which saves a fifth of the CPU of a read: rows are short-lived, but V8 counts the buffers
 * of their pages as growth of the heap. The heap may grow to five times the size of its live objects, and its young generation
 * stops growing early. V8 reads both flags whenever it resizes the heap.
 */
export function tuneGc(): void {
  setFlagsFromString('--heap-growing-percent=400');
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if ((young?.space_size ?? 0) < YOUNG_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}
