import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A JSON schema, with the keywords that forms add to it. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema | readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly pattern_descriptor?: string;
  readonly additionalProperties?: unknown;
  readonly order?: number;
  readonly group?: string;
  readonly groups?: readonly { readonly id: string; readonly title?: string }[];
  readonly display_type?: string;
  readonly airbyte_secret?: boolean;
  readonly airbyte_hidden?: boolean;
}

/** A schema and its path: `$` is the root, `$.token[1].scopes` a property of a variant. */
export interface Place {
  readonly path: string;
  readonly name?: string; // of the property; absent for variants, items and the root
  readonly depth: number; // number of properties in the path
  readonly schema: Schema;
}

/** The schema and every schema inside it. */
export function subschemas(schema: Schema): Place[] {
  return below({ path: '$', depth: 0, schema });
}

function below(place: Place): Place[] {
  const { path, depth, schema } = place;
  const properties = Object.entries(schema.properties ?? {}).map(([name, inner]): Place => ({
    path: `${path}.${name}`,
    name,
    depth: depth + 1,
    schema: inner,
  }));
  const variants = (schema.oneOf ?? []).map((inner, index): Place => ({
    path: `${path}[${index}]`,
    depth,
    schema: inner,
  }));
  const items = [schema.items ?? []].flat().map((inner) => ({ path: `${path}[]`, depth, schema: inner }));
  return [place, ...[...properties, ...variants, ...items].flatMap(below)];
}

export const readSpec = () =>
  readJson('spec.json') as { readonly documentationUrl: string; readonly connectionSpecification: Schema };

/** The streams with a bundled schema. */
export const bundledStreams = (): string[] =>
  readdirSync(join(import.meta.dirname, '../../../schemas')).map((file) => basename(file, '.json'));

/** The bundled schema of a stream. */
export const readStreamSchema = (stream: string) => readJson(`schemas/${stream}.json`) as Schema;

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../../..', file), 'utf8'));
}
