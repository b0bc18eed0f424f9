import type { AirbyteStream } from '../generated/protocol.generated.ts';
import { INTERACTIVE_BUDGET } from '../limits.ts';
import { partsOf } from '../rows/row.ts';
import { yieldToEventLoop } from '../rows/slices.ts';
import { createSchemaWidener, type JsonSchema } from '../schema/widen-schema.ts';
import type { SourceStream } from '../streams/stream.ts';
import { openConnector, interactiveContext, type ConfigOptions, type Environment } from './connector.ts';

const MIB = 1024 * 1024;
const MAX_CATALOG_BYTES = 3.7 * MIB; // of all schemas: platforms refuse catalogs beyond 4 MB
const MAX_PART_BYTES = MIB; // of rows parsed in one turn: parsed values take many times as much memory

/**
 * `discover`: sends the CATALOG of the configured streams. The schemas in `schemas/` are extended by rows from both ends of each
 * list. Throws if a list cannot be sampled, because an incomplete schema would silently drop columns.
 */
export async function runDiscover(options: ConfigOptions, environment: Environment): Promise<number> {
  const { streams, config } = await openConnector(options, INTERACTIVE_BUDGET, environment);
  const sampleRows = config.sample_rows;
  const { signal, writer } = environment;
  const widenedEntry = async (stream: SourceStream): Promise<AirbyteStream> => {
    const entry = stream.catalogEntry;
    if (sampleRows === 0) return entry;
    const widener = createSchemaWidener(entry.json_schema as JsonSchema, stream.assumedFields);
    const context = interactiveContext(stream.name, environment);
    let parsed = 0;
    for await (const rows of stream.sample(sampleRows, context))
      for (const row of rows)
        for (const part of partsOf(row, MAX_PART_BYTES)) {
          widener.add(part);
          parsed += part.length;
          if (parsed < MAX_PART_BYTES) continue;
          parsed = 0;
          await yieldToEventLoop(signal);
        }
    const schema = widener.schema(MAX_CATALOG_BYTES / streams.length);
    const omitted = widener.leftOut().join('; ');
    if (omitted !== '')
      await writer.warn(`${stream.name}: the schema omits ${omitted}; records still contain them`);
    return { ...entry, json_schema: schema as AirbyteStream['json_schema'] };
  };
  const entries = await Promise.all(streams.map(widenedEntry));
  await writer.send({ type: 'CATALOG', catalog: { streams: entries } });
  return 0;
}
