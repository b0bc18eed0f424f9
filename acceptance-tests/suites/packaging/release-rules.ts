import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { AirbyteStream } from '../../../src/generated/protocol.generated.ts';
import type { Schema } from '../conformance/schema.ts';
import { documentationPage, repository, textOf } from './versions.ts';
import type { Metadata } from './versions.ts';

/** What users of a release rely on, beside its states: their saved configs, and their connections. */
export interface ReleaseContract {
  readonly spec: { readonly connectionSpecification: Schema };
  readonly catalog: { readonly streams: readonly AirbyteStream[] };
}

/** By the name of a member: whether going from one value of it to another breaks something. */
type Rules = Readonly<Record<string, (was: unknown, is: unknown) => boolean>>;

const differs = (was: unknown, is: unknown): boolean => !isDeepStrictEqual(was, is);
/** Some of the values that were there are there no more. */
const lacks = (was: unknown, is: unknown): boolean =>
  [was].flat().some((value) => [is].flat().every((other) => differs(value, other)));
const takesFewer = (was: unknown, is: unknown): boolean => is !== undefined && lacks(was, is);
const takesOther = (was: unknown, is: unknown): boolean => is !== undefined && differs(was, is);
const isRaised = (was: unknown, is: unknown): boolean => Number(is) > Number(was ?? -Infinity);
const isLowered = (was: unknown, is: unknown): boolean => Number(is) < Number(was ?? Infinity);
const kinds = (type: unknown): unknown => new Set([type].flat().filter((kind) => kind !== 'null'));

/** What a saved config holds is refused, or passed over in silence. Titles, descriptions and defaults break nothing. */
const CONFIG: Rules = {
  type: takesFewer,
  enum: takesFewer,
  pattern: takesOther,
  format: takesOther,
  minimum: isRaised,
  minLength: isRaised,
  minItems: isRaised,
  maximum: isLowered,
  maxLength: isLowered,
  maxItems: isLowered,
  required: (was, is) => is !== undefined && lacks(is, was ?? []),
  additionalProperties: (was, is) => is === false && was !== false,
  oneOf: (was, is) => was === undefined && is !== undefined,
};

/** What decides on the type of a column. That it may be null does not: each may. */
const COLUMN: Rules = {
  type: (was, is) => differs(kinds(was), kinds(is)),
  format: differs,
  airbyte_type: differs,
};

const STREAM: Rules = {
  supported_sync_modes: lacks,
  source_defined_primary_key: differs,
  default_cursor_field: differs,
  source_defined_cursor: differs,
  namespace: differs,
};

/** What breaks saved configs, or connections that were made with the old catalog. What is new does not. */
export function breakingChanges(before: ReleaseContract, after: ReleaseContract): string[] {
  const [form, newForm] = [before, after].map(({ spec }) => spec.connectionSpecification);
  const inCatalog = before.catalog.streams.flatMap((stream) => {
    const now = after.catalog.streams.find(({ name }) => name === stream.name);
    if (now === undefined) return [`${stream.name} was removed`];
    return [
      ...memberChanges(STREAM, stream, now, stream.name),
      ...schemaChanges(COLUMN, stream.json_schema as Schema, now.json_schema as Schema, stream.name),
    ];
  });
  return [...schemaChanges(CONFIG, form ?? {}, newForm ?? {}, 'config'), ...inCatalog];
}

function schemaChanges(rules: Rules, before: Schema, after: Schema, path: string): string[] {
  const now = partsOf(after);
  const inner = Object.entries(partsOf(before)).flatMap(([name, part]) => {
    const is = now[name];
    return is === undefined
      ? [`${path}${name} was removed`]
      : schemaChanges(rules, part, is, `${path}${name}`);
  });
  return [...memberChanges(rules, valuesAsEnum(before), valuesAsEnum(after), path), ...inner];
}

const words = (value: unknown): string => (value === undefined ? 'not set' : JSON.stringify(value));
const valuesAsEnum = (schema: Schema): Schema =>
  'const' in schema ? { ...schema, enum: [schema.const] } : schema;

function memberChanges(rules: Rules, before: object, after: object, path: string): string[] {
  const [old, now] = [before, after].map((members) => new Map<string, unknown>(Object.entries(members)));
  return Object.entries(rules).flatMap(([name, isBroken]) => {
    const [was, is] = [old?.get(name), now?.get(name)];
    return isBroken(was, is) ? [`${path}: ${name} ${words(was)} → ${words(is)}`] : [];
  });
}

const constantsOf = ({ properties = {} }: Schema): string =>
  Object.entries(properties)
    .flatMap(([name, part]) => ('const' in part ? [`${name}=${String(part.const)}`] : []))
    .join();

/** Keys, variants and items. Variants are told apart by the constants in them, so their order does not matter. */
function partsOf({ properties = {}, oneOf = [], items = [] }: Schema): Readonly<Record<string, Schema>> {
  return Object.fromEntries([
    ...Object.entries(properties).map(([name, part]) => [`.${name}`, part] as const),
    ...oneOf.map((part) => [`(${constantsOf(part)})`, part] as const),
    ...[items].flat().map((part, index) => [`[${index}]`, part] as const),
  ]);
}

/** A version that would be the next release. */
export interface NextRelease {
  /** What breaks, each in words. */
  readonly changes: readonly string[];
  readonly released: string;
  readonly version: string;
  readonly metadata: Pick<Metadata, 'name' | 'releases'>;
}

/** Which rules for breaking changes a version does not keep; each says what to do. Without breaking changes there are none. */
export function rulesFor({ changes, released, version, metadata }: NextRelease): string[] {
  if (changes.length === 0) return [];
  const because = `because of: ${changes.join('; ')}`;
  const major = Number.parseInt(released, 10) + 1;
  if (Number.parseInt(version, 10) < major)
    return [`raise the version ${version} to ${major}.0.0, ${because}`];

  const { message = '', upgradeDeadline = '' } = metadata.releases?.breakingChanges?.[version] ?? {};
  const announcement = `releases.breakingChanges needs ${version} with message and upgradeDeadline`;
  const guide = documentationPage.replace('.md', '-migrations.md');
  const headings = [`# ${metadata.name} Migration Guide`, `## Upgrading to ${version}`];
  const lines = existsSync(join(repository, guide)) ? textOf(guide).split('\n') : [];
  const missing = headings.filter((heading) => !lines.includes(heading));
  return [
    ...(message === '' || upgradeDeadline === '' ? [`metadata.yaml: ${announcement}, ${because}`] : []),
    ...missing.map((heading) => `${guide} needs "${heading}", ${because}`),
  ];
}
