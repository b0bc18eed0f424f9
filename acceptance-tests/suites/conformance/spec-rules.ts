import { subschemas } from './schema.ts';
import type { Place, Schema } from './schema.ts';

/** The paths at which a `connectionSpecification` breaks a rule; none if it keeps it. */
export type SpecRule = (specification: Schema) => string[];

const secretNames = new Set(
  (
    'client_token access_token api_token token secret client_secret password key service_account service_account_info ' +
    'tenant_id certificate jwt credentials app_id appid refresh_token'
  ).split(' '),
);

/**
 * The rules that Airbyte's acceptance tests (class TestSpec) have for the form of a connector, by the name of the test,
 * followed by rules of the same kind that its form reference gives.
 */
export const specRules: Record<string, SpecRule> = {
  enum_usage: each(({ schema }) => schema.enum === undefined || isDistinct(schema.enum)),

  oneof_usage: each(({ schema }) => {
    if (schema.oneOf === undefined) return true;
    const constants = schema.oneOf.map(({ properties = {} }) =>
      Object.entries(properties).filter(([, { const: constant }]) => constant !== undefined),
    );
    const names = new Set(constants.flat().map(([name]) => name));
    const values = constants.flat().map(([, property]) => property.const);
    const bare = constants.flat().every(([, property]) => !('default' in property) && !('enum' in property));
    return (
      schema.type === 'object' &&
      constants.every(({ length }) => length === 1) &&
      names.size === 1 &&
      isDistinct(values) &&
      bare
    );
  }),

  secret_is_properly_marked: each(({ name, schema }) => {
    if (name === undefined || !secretNames.has(name)) return true;
    const holdsText = ['string', 'number', 'integer'].includes(String(schema.type));
    return (holdsText && !('const' in schema)) === (schema.airbyte_secret === true);
  }),

  property_type_is_not_array: each(({ schema: { type } }) => {
    if (type === undefined || typeof type === 'string') return true;
    return type.length === 1 || (type.length === 2 && type[1] === 'null');
  }),

  object_not_empty: each(
    ({ schema }) => schema.type !== 'object' || 'properties' in schema || 'oneOf' in schema,
  ),

  array_type: each(({ schema: { type, items } }) => {
    if (type !== 'array') return true;
    if (items === undefined || !('type' in items || 'enum' in items)) return false;
    return 'enum' in items || ['object', 'string', 'number', 'integer'].includes(String(items.type));
  }),

  forbidden_complex_types: without(
    'not',
    'anyOf',
    'allOf',
    'if',
    'then',
    'else',
    'patternProperties',
    'prefixItems',
    'dependencies',
    'dependentSchemas',
    'dependentRequired',
  ),

  date_pattern: each(({ schema: { format, pattern } }) => !isDate(format) || pattern !== undefined),

  date_format: each(
    ({ schema: { format, pattern } }) => pattern?.includes('[0-9]{4}-[0-9]{2}') !== true || isDate(format),
  ),

  duplicate_order: each(({ schema: { properties = {} } }) => {
    const orders = Object.values(properties).map(({ order }) => order);
    return isDistinct(orders) && !orders.includes(undefined);
  }),

  nested_group: each(
    ({ depth, name, schema: { group } }) => group === undefined || (depth === 1 && name !== undefined),
  ),

  display_type: each(({ schema }) => {
    const { display_type: shown } = schema;
    return shown === undefined || ('oneOf' in schema && ['dropdown', 'radio'].includes(shown));
  }),

  defined_refs_exist_in_json_spec_file: without('$ref', '$defs', 'definitions'),

  additional_properties_is_true: each(({ schema }) => !('additionalProperties' in schema)),

  'required names are properties': each(({ schema: { required = [], properties = {} } }) =>
    required.every((name) => name in properties),
  ),

  'every group is declared': (specification) => {
    const declared = new Set((specification.groups ?? []).map(({ id }) => id));
    return each(({ schema: { group } }) => group === undefined || declared.has(group))(specification);
  },

  'every field has a title, and a description unless it is fixed': each(
    ({ name, schema }) =>
      name === undefined || (hasText(schema.title) && ('const' in schema || hasText(schema.description))),
  ),

  'every variant has a title': each(({ schema: { oneOf = [] } }) =>
    oneOf.every(({ title }) => hasText(title)),
  ),

  'a pattern is put into words': each(
    ({ schema }) => schema.pattern === undefined || hasText(schema.pattern_descriptor),
  ),

  'a secret has no example and no default': each(
    ({ schema }) => schema.airbyte_secret !== true || !('examples' in schema || 'default' in schema),
  ),
};

function each(keeps: (place: Place) => boolean): SpecRule {
  return (specification) =>
    subschemas(specification)
      .filter((place) => !keeps(place))
      .map(({ path }) => path);
}

function without(...keywords: readonly string[]): SpecRule {
  return each(({ schema }) => keywords.every((keyword) => !(keyword in schema)));
}

function isDistinct(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

function isDate(format: string | undefined): boolean {
  return format === 'date' || format === 'date-time';
}

function hasText(text: string | undefined): boolean {
  return text !== undefined && text.trim() !== '';
}
