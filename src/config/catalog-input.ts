import { configError } from '../errors.ts';
import type { ConnectorError } from '../errors.ts';
import type { ConfiguredCatalog } from '../generated/configured-catalog.generated.ts';
import type { SyncMode } from '../generated/protocol.generated.ts';
import { validate } from '../generated/validators/configured-catalog.generated.ts';
import { plain, quoted } from '../protocol/messages.ts';
import { readJsonFile } from './json-file.ts';
import type { OpenFile } from './json-file.ts';
import { describeFaults } from './validator.ts';

/** One stream that shall be read. */
export interface Selection {
  readonly stream: string;
  readonly syncMode: SyncMode;
  /** The schemas of top-level fields as the catalog has them, by name; null where it has no schema. */
  readonly declared: Readonly<Record<string, unknown>> | null;
  /** Why it cannot be read: config_error CATALOG_INVALID, where the config has no such stream. */
  readonly missing?: ConnectorError;
}

/**
 * Reads a configured catalog; CATALOG_INVALID names file, path and expectation. `incremental` is accepted for every stream:
 * some platforms ask for it everywhere, and one that cannot be incremental is then read in full. A stream that is not in
 * `known`, since the config has lost it, is the others' no concern: it bears its error.
 */
export async function loadCatalog(path: string, known: readonly string[], open: OpenFile) {
  const document = await readJsonFile('catalog', path, open);
  const faults = describeFaults(document, validate);
  if (faults !== null) throw configError('CATALOG_INVALID', `catalog ${path}: ${faults}.`);
  const { streams } = document as ConfiguredCatalog;
  const named = new Set<string>();
  return streams.map(({ stream: { name, namespace, json_schema }, sync_mode: mode }, index): Selection => {
    const wrong = (place: string, words: string): ConnectorError =>
      configError('CATALOG_INVALID', `catalog ${path}: streams[${index}].${place} ${words}.`);
    if (named.has(name)) throw wrong('stream.name', `names ${plain(name)} a second time`);
    named.add(name);
    if (!known.includes(name)) {
      const words = `must be one of the streams in the config (${known.join(', ')}), not ${quoted(name)}`;
      return { stream: name, syncMode: 'full_refresh', declared: null, missing: wrong('stream.name', words) };
    }
    if ((namespace ?? '') !== '') throw wrong('stream.namespace', 'must be absent: streams have none here');
    if (mode !== 'full_refresh' && mode !== 'incremental')
      throw wrong('sync_mode', `must be "full_refresh" or "incremental", not ${quoted(mode)}`);
    return { stream: name, syncMode: mode, declared: declaredIn(json_schema) };
  });
}

function declaredIn(jsonSchema: unknown): Selection['declared'] {
  const properties = (jsonSchema as { properties?: unknown } | null | undefined)?.properties;
  const hasNames = typeof properties === 'object' && properties !== null && !Array.isArray(properties);
  return hasNames ? { ...properties } : null;
}
