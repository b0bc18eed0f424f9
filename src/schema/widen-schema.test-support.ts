import { createSchemaWidener, type JsonSchema } from './widen-schema.ts';

/** Returns a base schema, widened by all of the rows. */
export function widenSchema(base: JsonSchema, rows: readonly string[]): JsonSchema {
  const widener = createSchemaWidener(base, []);
  for (const row of rows) widener.add(row);
  return widener.schema(Infinity);
}
