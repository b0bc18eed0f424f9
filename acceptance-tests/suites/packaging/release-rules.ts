import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { AirbyteStream } from '../../../src/generated/protocol.generated.ts';
import type { Schema } from '../conformance/schema.ts';
import { compareVersions, documentationPage, repository, textOf, type Metadata } from './versions.ts';

/** What users of a release depend on besides its states: saved configs, and connections. */
export interface ReleaseContract {
  readonly spec: { readonly connectionSpecification: Schema };
  readonly catalog: { readonly streams: readonly AirbyteStream[] };
}

/** By member: whether a change of its value breaks something. */
type Rules = Readonly<Record<string, (was: unknown, is: unknown) => boolean>>;

const differs = (was: unknown, is: unknown): boolean => !isDeepStrictEqual(was, is);
const lacks = (was: unknown, is: unknown): boolean =>
  [was].flat().some((value) => [is].flat().every((other) => differs(value, other)));
const acceptsFewer = (was: unknown, is: unknown): boolean => is !== undefined && lacks(was, is);
const acceptsOthers = (was: unknown, is: unknown): boolean => is !== undefined && differs(was, is);
const isRaised = (was: unknown, is: unknown): boolean => Number(is) > Number(was ?? -Infinity);
const isLowered = (was: unknown, is: unknown): boolean => Number(is) < Number(was ?? Infinity);
const kinds = (type: unknown): unknown => new Set([type].flat().filter((kind) => kind !== 'null'));

/** A saved config is rejected or partly ignored. Titles, descriptions and defaults break nothing. */
const CONFIG: Rules = {
  type: acceptsFewer,
  enum: acceptsFewer,
  pattern: acceptsOthers,
  format: acceptsOthers,
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

/** The type of a column changes. Any column may be null. */
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

/** The changes that break saved configs or connections. Additions do not. */
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

/** Keys, variants and items. Variants are named by their constants, so their order does not matter. */
function partsOf({ properties = {}, oneOf = [], items = [] }: Schema): Readonly<Record<string, Schema>> {
  return Object.fromEntries([
    ...Object.entries(properties).map(([name, part]) => [`.${name}`, part] as const),
    ...oneOf.map((part) => [`(${constantsOf(part)})`, part] as const),
    ...[items].flat().map((part, index) => [`[${index}]`, part] as const),
  ]);
}

/** What a version with breaking changes since the last release still needs. */
export function missingSteps(
  changes: readonly string[],
  released: string,
  version: string,
  metadata: Pick<Metadata, 'name' | 'releases'>,
): string[] {
  if (changes.length === 0) return [];
  const because = `because of: ${changes.join('; ')}`;
  const major = Number.parseInt(released, 10) + 1;
  if (Number.parseInt(version, 10) < major)
    return [`bump the version ${version} to ${major}.0.0, ${because}`];

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

/** What platforms cache by version, and what they hand from one version to the next. */
export interface ReleaseForms {
  readonly spec: object;
  readonly states: Readonly<Record<string, object>>; // schemas of states, by kind of list
}

/** What a version with another spec or another form of state than the last release still needs. */
export function missingVersion(
  before: ReleaseForms,
  after: ReleaseForms,
  released: string,
  version: string,
): string[] {
  const lists = Object.keys({ ...before.states, ...after.states });
  const changed = [
    ...(differs(before.spec, after.spec) ? ['spec.json'] : []),
    ...lists
      .filter((list) => differs(before.states[list], after.states[list]))
      .map((list) => `the state of ${list}`),
  ];
  const [major = 0, minor = 0] = released.split('.').map(Number);
  const least = `${major}.${minor + 1}.0`;
  if (changed.length === 0 || compareVersions(version, least) >= 0) return [];
  return [`bump the version ${version} to ${least}, because of: ${changed.join('; ')}`];
}
