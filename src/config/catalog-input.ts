import type { ConnectorError } from '../errors.ts';
import type { ConfiguredCatalog } from '../generated/configured-catalog.generated.ts';
import type { SyncMode } from '../generated/protocol.generated.ts';
import { validate } from '../generated/validators/configured-catalog.generated.ts';
import { plain, quoted } from '../protocol/messages.ts';
import { describeFaults } from './faults.ts';
import { invalidInput, isObject, readJsonFile, type JsonObject, type OpenFile } from './files.ts';

/** A stream to be read. */
export interface Selection {
  readonly stream: string;
  readonly syncMode: SyncMode;
  readonly declared: JsonObject | null; // schemas of top-level fields in the catalog; null if it has none
  readonly missing?: ConnectorError; // why it cannot be read: the config has no such stream
}

/**
 * Reads a configured catalog. CATALOG_INVALID names the file, the path in it and what is expected there. `incremental` is accepted
 * for every stream, because some platforms always request it. A stream that is not in `known` does not affect the others.
 */
export async function loadCatalog(path: string, known: readonly string[], open: OpenFile) {
  const document = await readJsonFile('catalog', path, open);
  const faults = describeFaults(document, validate);
  if (faults !== null) throw invalidInput('catalog', path, faults);
  const named = new Set<string>();
  return (document as ConfiguredCatalog).streams.map(({ stream, sync_mode: syncMode }, index): Selection => {
    const { name, namespace, json_schema: schema } = stream;
    const invalid = (place: string, problem: string): ConnectorError =>
      invalidInput('catalog', path, `streams[${index}].${place} ${problem}`);
    if (named.has(name)) throw invalid('stream.name', `names ${plain(name)} a second time`);
    named.add(name);
    if (!known.includes(name)) {
      const problem = `must be one of the streams in the config (${known.join(', ')}), not ${quoted(name)}`;
      const missing = invalid('stream.name', problem);
      return { stream: name, syncMode: 'full_refresh', declared: null, missing };
    }
    if ((namespace ?? '') !== '')
      throw invalid('stream.namespace', 'must be absent: the streams have no namespaces');
    if (syncMode !== 'full_refresh' && syncMode !== 'incremental')
      throw invalid('sync_mode', `must be "full_refresh" or "incremental", not ${quoted(syncMode)}`);
    const properties = isObject(schema) ? schema['properties'] : null;
    return { stream: name, syncMode, declared: isObject(properties) ? properties : null };
  });
}
