import { isDeepStrictEqual } from 'node:util';
import type { Schema } from '../conformance/schema.ts';

/** A schema with the keywords that narrow what it takes. */
export interface ConfigSchema extends Schema {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

const lowerBounds = ['minimum', 'minLength', 'minItems'] as const;
const upperBounds = ['maximum', 'maxLength', 'maxItems'] as const;

/**
 * What in a new config schema could refuse, or pass over in silence, what a saved config holds: a key that is gone or newly
 * required, a type, value or variant that is not taken any more, a tighter bound, another pattern. Titles, descriptions,
 * defaults and new optional keys are no breaking changes.
 */
export function breakingSpecChanges(before: ConfigSchema, after: ConfigSchema): string[] {
  return schemaChanges(before, after, 'config');
}

function schemaChanges(before: ConfigSchema, after: ConfigSchema, path: string): string[] {
  return [
    ...typeChanges(before, after, path),
    ...boundChanges(before, after, path),
    ...keyChanges(before, after, path),
    ...variantChanges(before, after, path),
    ...itemChanges(before, after, path),
  ];
}

function typeChanges(before: ConfigSchema, after: ConfigSchema, path: string): string[] {
  const [was, is] = [typesOf(before), typesOf(after)];
  if (is !== undefined && (was === undefined || !was.every((type) => is.includes(type))))
    return [`${path}: the type was ${was?.join(' or ') ?? 'anything'} and is ${is.join(' or ')}`];
  const [had, has] = [valuesOf(before), valuesOf(after)];
  if (has === undefined) return [];
  if (had === undefined) return [`${path}: only some values are taken now`];
  const gone = had.filter((value) => !has.some((other) => isDeepStrictEqual(value, other)));
  return gone.map((value) => `${path}: the value ${JSON.stringify(value)} is not taken any more`);
}

function boundChanges(before: ConfigSchema, after: ConfigSchema, path: string): string[] {
  const lower = lowerBounds.filter((name) => (after[name] ?? -Infinity) > (before[name] ?? -Infinity));
  const upper = upperBounds.filter((name) => (after[name] ?? Infinity) < (before[name] ?? Infinity));
  const bounds = [...lower, ...upper].map(
    (name) => `${path}: ${name} was ${before[name] ?? 'not set'} and is ${after[name]}`,
  );
  const forms = (['pattern', 'format'] as const)
    .filter((name) => after[name] !== undefined && after[name] !== before[name])
    .map((name) => `${path}: another ${name}`);
  return [...bounds, ...forms];
}

function keyChanges(before: ConfigSchema, after: ConfigSchema, path: string): string[] {
  const kept = after.properties ?? {};
  const inKeys = Object.entries(before.properties ?? {}).flatMap(([name, schema]) => {
    const now = kept[name];
    return now === undefined
      ? [`${path}.${name}: the key was removed`]
      : schemaChanges(schema, now, `${path}.${name}`);
  });
  const newlyRequired = (after.required ?? [])
    .filter((name) => !(before.required ?? []).includes(name))
    .map((name) => `${path}.${name}: newly required`);
  const closed = after.additionalProperties === false && before.additionalProperties !== false;
  return [...inKeys, ...newlyRequired, ...(closed ? [`${path}: other keys are not taken any more`] : [])];
}

/** Variants are told apart by the constants in them, so their order does not matter. */
function variantChanges(before: ConfigSchema, after: ConfigSchema, path: string): string[] {
  const variants = new Map((after.oneOf ?? []).map((variant) => [kindOf(variant), variant]));
  const gone = (before.oneOf ?? []).flatMap((variant) => {
    const kind = kindOf(variant);
    const now = variants.get(kind);
    if (after.oneOf === undefined) return [];
    return now === undefined
      ? [`${path}: the variant ${kind} was removed`]
      : schemaChanges(variant, now, `${path}(${kind})`);
  });
  const narrowed = before.oneOf === undefined && after.oneOf !== undefined;
  return [...gone, ...(narrowed ? [`${path}: only some variants are taken now`] : [])];
}

function itemChanges(before: ConfigSchema, after: ConfigSchema, path: string): string[] {
  const [was, is] = [before.items, after.items];
  if (is === undefined) return [];
  // tuples do not occur in a config form
  if (was === undefined || isList(was) || isList(is)) return [`${path}: other items`];
  return schemaChanges(was, is, `${path}[]`);
}

function isList(items: Schema | readonly Schema[]): items is readonly Schema[] {
  return Array.isArray(items);
}

function typesOf({ type }: ConfigSchema): readonly string[] | undefined {
  return typeof type === 'string' ? [type] : type;
}

function valuesOf(schema: ConfigSchema): readonly unknown[] | undefined {
  return 'const' in schema ? [schema.const] : schema.enum;
}

function kindOf(variant: ConfigSchema): string {
  const constants = Object.entries(variant.properties ?? {}).filter(([, schema]) => 'const' in schema);
  return constants.map(([name, schema]) => `${name}=${String(schema.const)}`).join(',');
}
