import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Schema } from './subschemas.ts';

/** The SPEC payload that the repository ships. */
export function readSpec(): { readonly connectionSpecification: Schema } {
  return readJson('spec.json') as { connectionSpecification: Schema };
}

/** The schema of a stream that the repository ships, before discovery adds to it. */
export function readStreamSchema(stream: string): Schema {
  return readJson(`schemas/${stream}.json`) as Schema;
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../..', file), 'utf8'));
}
