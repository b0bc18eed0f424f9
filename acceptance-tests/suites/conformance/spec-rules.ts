import { subschemas } from './schema.ts';
import type { Place, Schema } from './schema.ts';

/** The paths at which a `connectionSpecification` breaks a rule; none if it keeps it. */
type SpecRule = (specification: Schema) => string[];
type Fields = Record<string, unknown>;

const secretNames =
  'client_token access_token api_token token secret client_secret password key service_account service_account_info ' +
  'tenant_id certificate jwt credentials app_id appid refresh_token';
const forbidden =
  'not anyOf allOf if then else patternProperties prefixItems dependencies dependentSchemas dependentRequired';

/**
 * The rules that Airbyte's acceptance tests (class TestSpec) have for the form of a connector, by the name of the test, and
 * rules of the same kind that its form reference gives; behind each, fields of forms that break it.
 */
export const specRules: [name: string, rule: SpecRule, ...breaches: Fields[]][] = [
  [
    'enum_usage',
    each(({ schema }) => schema.enum === undefined || isDistinct(schema.enum)),
    { a: { enum: ['x', 'x'] } },
  ],
  [
    'oneof_usage',
    each(({ schema }) => schema.oneOf === undefined || (schema.type === 'object' && areTold(schema.oneOf))),
    { a: { oneOf: [{ properties: { kind: { const: 'x' } } }] } },
    variants(undefined),
    variants({ kind: { type: 'string' } }),
    variants({ kind: { const: 'x', default: 'x' } }),
    variants({ kind: { const: 'x', enum: ['x'] } }),
    variants({ b: { const: 1 }, c: { const: 2 } }),
    variants({ b: { const: 1 } }, { c: { const: 2 } }),
    variants({ b: { const: 1 } }, { b: { const: 1 } }),
  ],
  [
    'secret_is_properly_marked',
    each(({ name, schema }) => {
      if (name === undefined || !secretNames.split(' ').includes(name)) return true;
      const holdsText = ['string', 'number', 'integer'].includes(String(schema.type));
      return (holdsText && !('const' in schema)) === (schema.airbyte_secret === true);
    }),
    { password: { type: 'string' } },
    { a: { type: 'object', properties: { jwt: { type: 'string', airbyte_secret: false } } } },
    { token: { type: 'object', airbyte_secret: true } },
    { key: { type: 'string', const: 'x', airbyte_secret: true } },
  ],
  [
    'property_type_is_not_array',
    each(({ schema: { type } }) => {
      if (type === undefined || typeof type === 'string') return true;
      return type.length === 1 || (type.length === 2 && type[1] === 'null');
    }),
    { a: { type: ['string', 'integer'] } },
    { a: { type: ['null', 'string'] } },
  ],
  [
    'object_not_empty',
    each(({ schema }) => schema.type !== 'object' || 'properties' in schema || 'oneOf' in schema),
    { a: { type: 'object' } },
  ],
  [
    'array_type',
    each(({ schema: { type, items } }) => {
      if (type !== 'array') return true;
      if (items === undefined || !('type' in items || 'enum' in items)) return false;
      return 'enum' in items || ['object', 'string', 'number', 'integer'].includes(String(items.type));
    }),
    { a: { type: 'array' } },
    { a: { type: 'array', items: {} } },
    { a: { type: 'array', items: [{ type: 'string' }] } },
    { a: { type: 'array', items: { type: 'array', items: { type: 'string' } } } },
  ],
  [
    'forbidden_complex_types',
    without(...forbidden.split(' ')),
    ...forbidden.split(' ').map((keyword) => ({ a: { items: { [keyword]: {} } } })),
  ],
  [
    'date_pattern',
    each(({ schema: { format, pattern } }) => !isDate(format) || pattern !== undefined),
    { a: { format: 'date-time' } },
  ],
  [
    'date_format',
    each(({ schema: { format, pattern = '' } }) => !pattern.includes('[0-9]{4}-[0-9]{2}') || isDate(format)),
    { a: { pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' } },
  ],
  [
    'duplicate_order',
    each(({ schema: { properties = {} } }) => {
      const orders = Object.values(properties).map(({ order }) => order);
      return isDistinct(orders) && !orders.includes(undefined);
    }),
    { a: { order: 1 }, b: { order: 1 } },
    { a: {} },
  ],
  [
    'nested_group',
    each(({ depth, name, schema: { group } }) => group === undefined || (depth === 1 && name !== undefined)),
    { a: { properties: { b: { group: 'x' } } } },
    { a: { oneOf: [{ group: 'x' }] } },
  ],
  [
    'display_type',
    each(({ schema }) => {
      const { display_type: shown } = schema;
      return shown === undefined || ('oneOf' in schema && ['dropdown', 'radio'].includes(shown));
    }),
    { a: { display_type: 'radio' } },
    { a: { oneOf: [], display_type: 'list' } },
  ],
  [
    'defined_refs_exist_in_json_spec_file',
    without('$ref', '$defs', 'definitions'),
    { a: { $ref: '#/x' } },
    { a: { properties: { b: { $defs: {} } } } },
  ],
  [
    'additional_properties_is_true',
    without('additionalProperties'),
    { a: { additionalProperties: false } },
    { a: { oneOf: [{ additionalProperties: {} }] } },
  ],
  [
    'required names are properties',
    each(({ schema: { required = [], properties = {} } }) => required.every((name) => name in properties)),
    { a: { required: ['b'], properties: {} } },
  ],
  [
    'every group is declared',
    (specification) => {
      const declared = (specification.groups ?? []).map(({ id }) => id);
      return each(({ schema: { group } }) => group === undefined || declared.includes(group))(specification);
    },
    { a: { group: 'nowhere' } },
  ],
  [
    'every field has a title, and a description unless it is fixed',
    each(
      ({ name, schema }) =>
        name === undefined || (hasText(schema.title) && ('const' in schema || hasText(schema.description))),
    ),
    { a: { title: 'A' } },
    { a: { description: 'A.' } },
    { a: { title: ' ', description: 'A.' } },
  ],
  [
    'every variant has a title',
    each(({ schema: { oneOf = [] } }) => oneOf.every(({ title }) => hasText(title))),
    { a: { oneOf: [{}] } },
  ],
  [
    'a pattern is put into words',
    each(({ schema }) => schema.pattern === undefined || hasText(schema.pattern_descriptor)),
    { a: { pattern: '^a$' } },
  ],
  [
    'a secret has no example and no default',
    each(({ schema }) => schema.airbyte_secret !== true || !('examples' in schema || 'default' in schema)),
    { a: { airbyte_secret: true, examples: [] } },
    { a: { airbyte_secret: true, default: '' } },
  ],
];

/** A field with variants of these properties. */
function variants(...all: readonly (object | undefined)[]): Fields {
  return { a: { type: 'object', oneOf: all.map((properties) => ({ properties })) } };
}

function each(keeps: (place: Place) => boolean): SpecRule {
  return (specification) =>
    subschemas(specification)
      .filter((place) => !keeps(place))
      .map(({ path }) => path);
}

function without(...keywords: readonly string[]): SpecRule {
  return each(({ schema }) => keywords.every((keyword) => !(keyword in schema)));
}

/** Each of the variants has one constant, bare and its own, of the same property. */
function areTold(all: readonly Schema[]): boolean {
  const constants = all.map(({ properties = {} }) =>
    Object.entries(properties).filter(([, property]) => property.const !== undefined),
  );
  const told = constants.flat();
  return (
    constants.every(({ length }) => length === 1) &&
    new Set(told.map(([name]) => name)).size === 1 &&
    isDistinct(told.map(([, property]) => property.const)) &&
    told.every(([, property]) => !('default' in property) && !('enum' in property))
  );
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
