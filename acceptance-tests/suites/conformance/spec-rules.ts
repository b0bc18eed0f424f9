import { subschemas, type Place, type Schema } from './schema.ts';

const SECRET_NAMES =
  'client_token access_token api_token token secret client_secret password key service_account service_account_info ' +
  'tenant_id certificate jwt credentials app_id appid refresh_token';
export const FORBIDDEN =
  'not anyOf allOf if then else patternProperties prefixItems dependencies dependentSchemas dependentRequired';

/** The rules that a `connectionSpecification` breaks, with the paths. */
export function specFaults(specification: Schema): string[] {
  const groups = (specification.groups ?? []).map(({ id }) => id);
  return subschemas(specification).flatMap((place) =>
    Object.entries(rulesFor(place, groups)).flatMap(([rule, isKept]) =>
      isKept ? [] : [`${rule}: ${place.path}`],
    ),
  );
}

/** The rules of Airbyte's acceptance tests (class TestSpec), by the name of the test, and of its reference for forms. */
function rulesFor({ name, depth, schema }: Place, groups: readonly string[]): Record<string, boolean> {
  const { type, format, group, items, oneOf, properties = {}, pattern, display_type: shown } = schema;
  const has = (...keywords: readonly string[]): boolean => keywords.some((keyword) => keyword in schema);
  const orders = Object.values(properties).map(({ order }) => order);
  const isDate = format === 'date' || format === 'date-time';
  const mayBeSecret = isOneOf(type, 'string number integer') && !has('const');
  return {
    enum_usage: isDistinct(schema.enum ?? []),
    oneof_usage: oneOf === undefined || (type === 'object' && areDiscriminated(oneOf)),
    secret_is_properly_marked:
      !isOneOf(name, SECRET_NAMES) || mayBeSecret === (schema.airbyte_secret === true),
    property_type_is_not_array:
      !Array.isArray(type) || type.length === 1 || (type.length === 2 && type[1] === 'null'),
    object_not_empty: type !== 'object' || has('properties', 'oneOf'),
    array_type: type !== 'array' || (items !== undefined && areItemsTyped(items)),
    forbidden_complex_types: !has(...FORBIDDEN.split(' ')),
    date_pattern: !isDate || has('pattern'),
    date_format: !(pattern ?? '').includes('[0-9]{4}-[0-9]{2}') || isDate,
    duplicate_order: isDistinct(orders) && !orders.includes(undefined),
    nested_group: group === undefined || (depth === 1 && name !== undefined),
    display_type: shown === undefined || (has('oneOf') && isOneOf(shown, 'dropdown radio')),
    defined_refs_exist_in_json_spec_file: !has('$ref', '$defs', 'definitions'),
    additional_properties_is_true: !has('additionalProperties'),
    'required names are properties': (schema.required ?? []).every((one) => one in properties),
    'a group is declared': group === undefined || groups.includes(group),
    'a field has a title': name === undefined || hasText(schema.title),
    'a field that is not fixed has a description':
      name === undefined || has('const') || hasText(schema.description),
    'a variant has a title': (oneOf ?? []).every(({ title }) => hasText(title)),
    'a pattern has a description': !has('pattern') || hasText(schema.pattern_descriptor),
    'a secret has no example and no default': schema.airbyte_secret !== true || !has('examples', 'default'),
  };
}

function areItemsTyped(items: NonNullable<Schema['items']>): boolean {
  return 'enum' in items || ('type' in items && isOneOf(items.type, 'object string number integer'));
}

/** Whether each variant has one constant, and the constants are different values of the same property. */
function areDiscriminated(variants: readonly Schema[]): boolean {
  const constants = variants.map(({ properties = {} }) =>
    Object.entries(properties).filter(([, property]) => property.const !== undefined),
  );
  const all = constants.flat();
  return (
    constants.every(({ length }) => length === 1) &&
    new Set(all.map(([name]) => name)).size === 1 &&
    isDistinct(all.map(([, property]) => property.const)) &&
    all.every(([, property]) => !('default' in property) && !('enum' in property))
  );
}

const isDistinct = (values: readonly unknown[]): boolean => new Set(values).size === values.length;
const isOneOf = (value: unknown, words: string): boolean => words.split(' ').includes(String(value));
const hasText = (text: string | undefined): boolean => /\S/.test(text ?? '');
