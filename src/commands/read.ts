import { loadConfig } from '../config/config.ts';
import { loadCatalog } from '../protocol/catalog-input.ts';
import type { Selection } from '../protocol/catalog-input.ts';
import { loadState } from '../protocol/state-input.ts';
import type { StreamStates } from '../protocol/state-forms.ts';
import type { SourceStream } from '../streams/stream.ts';
import { runStreams } from '../sync/run.ts';
import { PATIENTLY, createConnector } from './connector.ts';
import type { ConfigOptions } from './connector.ts';
import type { Environment } from './environment.ts';
import { warnUnknownKeys } from './unknown-keys.ts';

export interface ReadOptions extends ConfigOptions {
  /** Null by hand: then every configured stream is read, incremental where it can be. */
  readonly catalog: string | null;
  readonly state: string | null;
  /** ms between two states of a stream at least, while rows flow. */
  readonly stateEveryMs: number;
}

/**
 * `read`: records and states of the selected streams. Exit code 0 only if every one of them is complete.
 *
 * @throws ConnectorError if an input file is invalid; then nothing has been read
 */
export async function runRead(options: ReadOptions, environment: Environment): Promise<number> {
  const { stateEveryMs, tokenCache } = options;
  const loaded = await loadConfig(options.config);
  await warnUnknownKeys(options.config, loaded.unknownKeys, environment.log);
  const { streams, statistics } = await createConnector(loaded, { ...PATIENTLY, tokenCache }, environment);
  const names = streams.map(({ name }) => name);
  const selections =
    options.catalog === null ? everything(streams) : await loadCatalog(options.catalog, names);
  const states = await statesFrom(options.state, names, environment);
  const complete = await runStreams(streams, selections, states, statistics, {
    ...environment,
    stateEveryMs,
  });
  return complete ? 0 : 1;
}

function everything(streams: readonly SourceStream[]): readonly Selection[] {
  return streams.map(({ name, catalogEntry }) => ({
    stream: name,
    syncMode: catalogEntry.supported_sync_modes.includes('incremental') ? 'incremental' : 'full_refresh',
  }));
}

async function statesFrom(
  path: string | null,
  known: readonly string[],
  { log }: Environment,
): Promise<StreamStates> {
  if (path === null) return new Map();
  const { states, cutLines } = await loadState(path);
  if (cutLines > 0)
    await log.warn(
      `state ${path}: passed over what was cut off (lines: ${cutLines}); the last whole STATE counts`,
    );
  const others = [...states.keys()].filter((name) => !known.includes(name));
  if (others.length > 0)
    await log.info(`state ${path}: passed over what belongs to other streams: ${others.join(', ')}`);
  return states;
}
