import type { JsonSchema } from './widen-schema.ts';
import { createSchemaWidener } from './widen-schema.ts';

/** The schema that a base becomes by all of the rows. */
export function widenSchema(base: JsonSchema, rows: readonly string[]): JsonSchema {
  const widener = createSchemaWidener(base, []);
  for (const row of rows) widener.add(row);
  return widener.schema(Infinity);
}
