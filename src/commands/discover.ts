import { setImmediate as nextTurn } from 'node:timers/promises';

import type { AirbyteStream } from '../generated/protocol.generated.ts';
import { INTERACTIVE_BUDGET } from '../limits.ts';
import { partsOf } from '../rows/row.ts';
import { createSchemaWidener } from '../schema/widen-schema.ts';
import type { JsonSchema } from '../schema/widen-schema.ts';
import type { SourceStream } from '../streams/stream.ts';
import { openConnector, promptContext } from './connector.ts';
import type { ConfigOptions, Environment } from './connector.ts';

const MIB = 1024 * 1024;
const MAX_CATALOG_BYTES = 3.7 * MIB; // of all schemas: platforms refuse catalogs beyond 4 MB
const MAX_PART_BYTES = MIB; // of a row that are parsed at once, in many times their size

/**
 * `discover`: the CATALOG of the configured streams, with the schemas in `schemas/` widened by what rows from both ends of
 * each list show. Throws if a sample cannot be had: a smaller schema would silently drop columns.
 */
export async function runDiscover(options: ConfigOptions, environment: Environment): Promise<number> {
  const { streams, config } = await openConnector(options, INTERACTIVE_BUDGET, null, environment);
  const sampleRows = config.sample_rows;
  const { signal, writer } = environment;
  const widenedEntry = async (stream: SourceStream): Promise<AirbyteStream> => {
    const entry = stream.catalogEntry;
    if (sampleRows === 0) return entry;
    // what is only assumed of a field gives way to what the rows show
    const widener = createSchemaWidener(entry.json_schema as JsonSchema, stream.assumedFields);
    const context = promptContext(stream.name, environment);
    let parsed = 0;
    for await (const rows of stream.sample(sampleRows, context))
      for (const row of rows)
        for (const part of partsOf(row, MAX_PART_BYTES)) {
          widener.add(part);
          parsed += part.length;
          if (parsed < MAX_PART_BYTES) continue;
          parsed = 0;
          // signals are heeded meanwhile
          await nextTurn();
          signal.throwIfAborted();
        }
    const schema = widener.schema(MAX_CATALOG_BYTES / streams.length);
    const leftOut = widener.leftOut().join('; ');
    const words = `${stream.name}: the schema leaves out ${leftOut}; records hold them all the same`;
    if (leftOut !== '') await writer.warn(words);
    return { ...entry, json_schema: schema as AirbyteStream['json_schema'] };
  };
  const entries = await Promise.all(streams.map(widenedEntry));
  await writer.send({ type: 'CATALOG', catalog: { streams: entries } });
  return 0;
}
