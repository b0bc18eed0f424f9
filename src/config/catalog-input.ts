import { configError, type ConnectorError } from '../errors.ts';
import type { ConfiguredCatalog } from '../generated/configured-catalog.generated.ts';
import type { SyncMode } from '../generated/protocol.generated.ts';
import { validate } from '../generated/validators/configured-catalog.generated.ts';
import { plain, quoted } from '../protocol/messages.ts';
import { describeFaults } from './faults.ts';
import { readJsonFile, type OpenFile } from './files.ts';

/** A stream to be read. */
export interface Selection {
  readonly stream: string;
  readonly syncMode: SyncMode;
  /** The schemas of top-level fields in the catalog, by name; null if it has no schema. */
  readonly declared: Readonly<Record<string, unknown>> | null;
  readonly missing?: ConnectorError; // why it cannot be read: config_error CATALOG_INVALID if the config has no such stream
}

/**
 * Reads a configured catalog. CATALOG_INVALID names the file, the path in it and what is expected there. `incremental` is accepted
 * for every stream, because some platforms always request it. A stream that is not in `known` does not affect the others.
 */
export async function loadCatalog(path: string, known: readonly string[], open: OpenFile) {
  const document = await readJsonFile('catalog', path, open);
  const faults = describeFaults(document, validate);
  if (faults !== null) throw configError('CATALOG_INVALID', `catalog ${path}: ${faults}.`);
  const { streams } = document as ConfiguredCatalog;
  const named = new Set<string>();
  return streams.map(
    ({ stream: { name, namespace, json_schema: schema }, sync_mode: mode }, index): Selection => {
      const invalid = (place: string, problem: string): ConnectorError =>
        configError('CATALOG_INVALID', `catalog ${path}: streams[${index}].${place} ${problem}.`);
      if (named.has(name)) throw invalid('stream.name', `names ${plain(name)} a second time`);
      named.add(name);
      if (!known.includes(name)) {
        const problem = `must be one of the streams in the config (${known.join(', ')}), not ${quoted(name)}`;
        const missing = invalid('stream.name', problem);
        return { stream: name, syncMode: 'full_refresh', declared: null, missing };
      }
      if ((namespace ?? '') !== '')
        throw invalid('stream.namespace', 'must be absent: the streams have no namespaces');
      if (mode !== 'full_refresh' && mode !== 'incremental')
        throw invalid('sync_mode', `must be "full_refresh" or "incremental", not ${quoted(mode)}`);
      return { stream: name, syncMode: mode, declared: declaredIn(schema) };
    },
  );
}

function declaredIn(jsonSchema: unknown): Selection['declared'] {
  const properties = (jsonSchema as { properties?: unknown } | null | undefined)?.properties;
  const hasNames = typeof properties === 'object' && properties !== null && !Array.isArray(properties);
  return hasNames ? { ...properties } : null;
}
