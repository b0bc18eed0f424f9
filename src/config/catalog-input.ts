import type { ConnectorError } from '../errors.ts';
import type { ConfiguredCatalog, ConfiguredStream } from '../generated/configured-catalog.generated.ts';
import type { SyncMode } from '../generated/protocol.generated.ts';
import { quoted } from '../protocol/messages.ts';
import catalogSchema from './configured-catalog.schema.json' with { type: 'json' };
import { describeFaults, jsonDocuments } from './faults.ts';
import { isOtherText, withoutLead } from './lines.ts';
import { nearName } from './near-name.ts';
import { messageType } from './state-forms.ts';
import {
  invalidInput,
  isObject,
  jsonIn,
  parsedJson,
  readTextFile,
  snakeCased,
  type JsonObject,
  type OpenFile,
} from './files.ts';

/** A stream to be read. */
export interface Selection {
  readonly stream: string;
  readonly syncMode: SyncMode;
  readonly declared: JsonObject | null; // schemas of top-level fields in the catalog; null if it has none
  readonly primaryKey?: readonly string[]; // the top-level fields of the key in the catalog
  readonly missing?: ConnectorError; // why it cannot be read: the config has no such stream
}

export interface LoadedCatalog {
  readonly selections: readonly Selection[];
  readonly isDiscovered: boolean; // some stream has no sync mode, as in the output of discover, and is read incrementally where it can be
}

/**
 * Reads a configured catalog, or the output of discover. CATALOG_INVALID names the file, the path in it and what is expected there.
 * `incremental` is accepted for every stream, because some platforms always request it. A stream that is not in `known` does not
 * affect the others.
 */
export async function loadCatalog(
  path: string,
  known: readonly string[],
  open: OpenFile,
): Promise<LoadedCatalog> {
  const text = await readTextFile('catalog', path, open);
  const document = documentIn(text, path);
  const inner = innerCatalog(document, path);
  const discovered = discoveredStreams(inner, inner !== document);
  const isDiscovered = discovered?.some((entry) => settingsIn(entry)['sync_mode'] === undefined) ?? false;
  const catalog = discovered === null ? ofProtocol(inner) : { streams: discovered.map(withSyncMode) };
  return { selections: selectionsIn(catalog, path, known), isDiscovered };
}

/** Members in which messages and APIs wrap a catalog. */
const WRAPPERS = ['catalog', 'sync_catalog', 'configurations'];

/** Returns the catalog that a document wraps, or the document; throws if there are two, because one would not count. */
function innerCatalog(document: unknown, path: string): unknown {
  const own = snakeCased(document);
  const wrapped = WRAPPERS.filter((name) => isObject(own[name]));
  const [name, second] = Array.isArray(own['streams']) ? ['streams', ...wrapped] : wrapped;
  if (second !== undefined)
    throw invalidInput('catalog', path, `has both ${name} and ${second}; only one could count`);
  return name === undefined || name === 'streams' ? document : own[name];
}

/** Returns the JSON document of a catalog file, or the last CATALOG message in output of the connector, also as other tools write it. */
function documentIn(text: string, path: string): unknown {
  const messages = messagesIn(text) ?? messagesAmong(jsonDocuments(text));
  if (messages === null) return jsonIn('catalog', path, text);
  const catalog = messages.findLast((message) => messageType(message) === 'CATALOG');
  if (catalog !== undefined) return catalog;
  throw invalidInput('catalog', path, 'is output of the connector without a CATALOG; discover prints one');
}

/** Returns the messages in the output of the connector; null for any other text. */
function messagesIn(text: string): readonly JsonObject[] | null {
  const messages: JsonObject[] = [];
  for (const line of text.split('\n')) {
    const content = withoutLead(line).trim();
    if (content === '' || isOtherText(content, false)) continue;
    const message = parsedJson(content);
    if (!isMessage(message)) return null;
    messages.push(message);
  }
  return messages.length === 0 ? null : messages;
}

/** Returns the messages that documents, or arrays of them, consist of; null if there is anything else. */
function messagesAmong(documents: readonly unknown[] | string): readonly JsonObject[] | null {
  const messages = typeof documents === 'string' ? [] : documents.flat();
  return messages.length > 0 && messages.every(isMessage) ? messages : null;
}

/** Returns a catalog with the members of the protocol: APIs write them in camel case, and settings of a stream into its `config`. */
function ofProtocol(catalog: unknown): unknown {
  const { streams } = Object(catalog) as JsonObject;
  if (!Array.isArray(streams)) return catalog;
  const entries = streams.map((entry: unknown) => {
    if (!isObject(entry)) return entry;
    const { stream, config, ...settings } = snakeCased(entry);
    const own = isObject(stream) ? snakeCased(stream) : stream;
    return { ...settings, ...snakeCased(config), ...(own === undefined ? {} : { stream: own }) };
  });
  return { streams: entries };
}

/** Returns the streams in the catalog of discover; null for a configured catalog, and for anything else unless it is in a message. */
function discoveredStreams(catalog: unknown, isInMessage: boolean): readonly unknown[] | null {
  const { streams } = Object(catalog) as JsonObject;
  if (!Array.isArray(streams)) return null;
  const isPlain = streams.some((stream) => isObject(stream) && 'name' in stream && !('stream' in stream));
  const isConfigured = streams.some((stream) => isObject(stream) && 'stream' in stream);
  return isPlain || (isInMessage && !isConfigured) ? streams : null;
}

function isMessage(value: unknown): value is JsonObject {
  return messageType(value) !== null;
}

/** The members of a stream that discover prints, and what an API adds to it in its `config`. */
function settingsIn(entry: unknown): JsonObject {
  const { config, ...stream } = snakeCased(entry);
  return { ...stream, ...snakeCased(config) };
}

function withSyncMode(entry: unknown): JsonObject {
  const settings = settingsIn(entry);
  const { supported_sync_modes: modes, sync_mode: own, primary_key, selected } = settings;
  // every stream accepts it
  const canIncrement = !Array.isArray(modes) || modes.includes('incremental');
  return {
    stream: isObject(entry) ? settings : entry,
    sync_mode: own ?? (canIncrement ? 'incremental' : 'full_refresh'),
    primary_key,
    selected,
  };
}

/** The mode by which a stream is read; APIs add to it how it is written, as in `incremental_deduped_history`. */
function syncModeIn(text: string): SyncMode | null {
  const [, mode = ''] = /^(full_refresh|incremental)(?:_|$)/.exec(text.toLowerCase()) ?? [];
  return mode === 'full_refresh' || mode === 'incremental' ? mode : null;
}

function selectionsIn(document: unknown, path: string, known: readonly string[]): readonly Selection[] {
  const faults = describeFaults(document, catalogSchema);
  if (faults !== null) throw invalidInput('catalog', path, faults);
  const named = new Set<string>();
  return (document as ConfiguredCatalog).streams.flatMap((configured, index): readonly Selection[] => {
    const { stream, sync_mode: mode, selected } = configured;
    if (selected === false) return [];
    const { name, namespace, json_schema: schema } = stream;
    const invalid = (place: string, problem: string): ConnectorError =>
      invalidInput('catalog', path, `"streams[${index}].${place}" ${problem}`);
    if (named.has(name)) throw invalid('stream.name', `names ${quoted(name)} a second time`);
    named.add(name);
    if (!known.includes(name)) {
      const near = nearName(name, known);
      const meant = near === null ? '' : ` (did you mean ${quoted(near)}?)`;
      const problem = `must be one of the streams in the config (${known.map(quoted).join(', ')}), not ${quoted(name)}${meant}; discover the schema again, deselect this stream, or add it to the config`;
      const missing = invalid('stream.name', problem);
      return [{ stream: name, syncMode: 'full_refresh', declared: null, missing }];
    }
    if ((namespace ?? '') !== '')
      throw invalid('stream.namespace', 'must be absent: the streams have no namespaces');
    const syncMode = syncModeIn(mode);
    if (syncMode === null)
      throw invalid('sync_mode', `must be "full_refresh" or "incremental", not ${quoted(mode)}`);
    const { properties } = (schema ?? {}) as JsonObject;
    const declared = isObject(properties) ? properties : null;
    return [{ stream: name, syncMode, declared, ...keyIn(configured) }];
  });
}

/** The key that a destination merges by: a list of paths, of which the first steps are fields of a row. */
function keyIn({ primary_key: paths }: ConfiguredStream): Pick<Selection, 'primaryKey'> {
  if (!Array.isArray(paths)) return {};
  const fields = paths.map((path) => (Array.isArray(path) ? path[0] : path));
  return { primaryKey: fields.filter((field) => typeof field === 'string') };
}
