import type { AirbyteStream } from '../generated/protocol.generated.ts';
import { PROMPT } from '../limits.ts';
import { rowBytes } from '../protocol/row.ts';
import { createSchemaWidener } from '../schema/widen-schema.ts';
import type { JsonSchema } from '../schema/widen-schema.ts';
import type { SourceStream } from '../streams/stream.ts';
import { openConnector, promptContext } from './connector.ts';
import type { ConfigOptions, Environment } from './connector.ts';

/**
 * `discover`: the CATALOG of the configured streams, with the schemas in `schemas/` widened by what rows from both ends of
 * each list show. Throws if a sample cannot be had: a smaller schema would silently drop columns.
 */
export async function runDiscover(options: ConfigOptions, environment: Environment): Promise<number> {
  const { streams, config } = await openConnector(options, PROMPT, null, environment);
  const sampleRows = config.sample_rows;
  const widenedEntry = async (stream: SourceStream): Promise<AirbyteStream> => {
    const entry = stream.catalogEntry;
    if (sampleRows === 0) return entry;
    // what is only assumed of a field gives way to what the rows show
    const widener = createSchemaWidener(entry.json_schema as JsonSchema, stream.assumedFields);
    for await (const rows of stream.sample(sampleRows, promptContext(stream.name, environment)))
      for (const row of rows) widener.add(rowBytes(row).toString());
    return { ...entry, json_schema: widener.schema() as AirbyteStream['json_schema'] };
  };
  const entries = await Promise.all(streams.map(widenedEntry));
  await environment.writer.send({ type: 'CATALOG', catalog: { streams: entries } });
  return 0;
}
