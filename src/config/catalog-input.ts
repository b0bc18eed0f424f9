import type { ConnectorError } from '../errors.ts';
import type { ConfiguredCatalog } from '../generated/configured-catalog.generated.ts';
import type { SyncMode } from '../generated/protocol.generated.ts';
import { quoted } from '../protocol/messages.ts';
import catalogSchema from './configured-catalog.schema.json' with { type: 'json' };
import { describeFaults, jsonDocuments } from './faults.ts';
import { isOtherText, withoutLead } from './lines.ts';
import {
  invalidInput,
  isObject,
  jsonIn,
  parsedJson,
  readTextFile,
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
  readonly isDiscovered: boolean; // it is the output of discover: every stream is read, incrementally where it can be
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
  const { catalog: member, syncCatalog } = Object(document) as JsonObject;
  const inner = [member, syncCatalog].find(isObject) ?? document;
  const discovered = discoveredStreams(inner, inner !== document);
  const catalog = discovered === null ? withoutConfigs(inner) : { streams: discovered.map(withSyncMode) };
  return { selections: selectionsIn(catalog, path, known), isDiscovered: discovered !== null };
}

/** Returns the JSON document of a catalog file, or the last CATALOG message in output of the connector, also as other tools write it. */
function documentIn(text: string, path: string): unknown {
  const messages = messagesIn(text) ?? messagesAmong(jsonDocuments(text));
  if (messages === null) return jsonIn('catalog', path, text);
  const catalog = messages.findLast(({ type }) => type === 'CATALOG');
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

/** Returns a catalog with the selected streams of one that the API of Airbyte returns, where each has a `config`; any other unchanged. */
function withoutConfigs(catalog: unknown): unknown {
  const { streams } = Object(catalog) as JsonObject;
  if (!Array.isArray(streams)) return catalog;
  const selected = streams.flatMap((entry: unknown) => {
    const { stream, config } = Object(entry) as JsonObject;
    if (!isObject(config) || !isObject(stream)) return [entry];
    const { selected: isSelected, syncMode, primaryKey } = config;
    const own = { ...stream, json_schema: stream['jsonSchema'] ?? undefined };
    return isSelected === false ? [] : [{ stream: own, sync_mode: syncMode, primary_key: primaryKey }];
  });
  return { streams: selected };
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
  return isObject(value) && typeof value['type'] === 'string';
}

function withSyncMode(stream: unknown): JsonObject {
  const { supported_sync_modes: modes, sync_mode: own } = Object(stream) as JsonObject;
  // every stream accepts it
  const canIncrement = !Array.isArray(modes) || modes.includes('incremental');
  return { stream, sync_mode: own ?? (canIncrement ? 'incremental' : 'full_refresh') };
}

function selectionsIn(document: unknown, path: string, known: readonly string[]): readonly Selection[] {
  const faults = describeFaults(document, catalogSchema);
  if (faults !== null) throw invalidInput('catalog', path, faults);
  const named = new Set<string>();
  return (document as ConfiguredCatalog).streams.map((configured, index): Selection => {
    const { stream, sync_mode: syncMode } = configured;
    const { name, namespace, json_schema: schema } = stream;
    const invalid = (place: string, problem: string): ConnectorError =>
      invalidInput('catalog', path, `"streams[${index}].${place}" ${problem}`);
    if (named.has(name)) throw invalid('stream.name', `names ${quoted(name)} a second time`);
    named.add(name);
    if (!known.includes(name)) {
      const problem = `must be one of the streams in the config (${known.map(quoted).join(', ')}), not ${quoted(name)}; discover the schema again, deselect this stream, or add it to the config`;
      const missing = invalid('stream.name', problem);
      return { stream: name, syncMode: 'full_refresh', declared: null, missing };
    }
    if ((namespace ?? '') !== '')
      throw invalid('stream.namespace', 'must be absent: the streams have no namespaces');
    if (syncMode !== 'full_refresh' && syncMode !== 'incremental')
      throw invalid('sync_mode', `must be "full_refresh" or "incremental", not ${quoted(syncMode)}`);
    const properties = isObject(schema) ? schema['properties'] : null;
    const declared = isObject(properties) ? properties : null;
    return { stream: name, syncMode, declared, ...keyIn(configured) };
  });
}

/** The key that a destination merges by: a list of paths, of which the first steps are fields of a row. */
function keyIn(configured: object): Pick<Selection, 'primaryKey'> {
  const { primary_key: paths } = configured as JsonObject;
  if (!Array.isArray(paths)) return {};
  const fields = paths.map((path: unknown) => (Array.isArray(path) ? (path[0] as unknown) : path));
  return { primaryKey: fields.filter((field) => typeof field === 'string') };
}
