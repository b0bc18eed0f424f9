import { Ajv, type ValidateFunction } from 'ajv';
import { subschemas, type Schema } from './schema.ts';

/** A string or a number in JSON. */
const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const dateTime = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:?\d{2})$/;

/** Returns a validator that is as strict as Airbyte's acceptance tests: `7350.0` is not an integer. */
export function strictValidator(schema: object): (text: string) => ValidateFunction['errors'] {
  const ajv = new Ajv({ strict: false, allErrors: true, formats: { 'date-time': dateTime } });
  const validate = ajv.compile(schema);
  return (text) => {
    const strict = text.replace(token, (found) => (/^("|-?\d+$)/.test(found) ? found : '0.5'));
    return validate(JSON.parse(strict)) ? [] : validate.errors;
  };
}

/** The paths of all values in a row that are not null; `[]` is an element of an array. */
export function filledPaths(value: unknown, path: string): string[] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object') return [path];
  const inner = Array.isArray(value)
    ? value.map((element) => [element, '[]'] as const)
    : Object.entries(value).map(([name, member]) => [member, `.${name}`] as const);
  return [path, ...inner.flatMap(([member, step]) => filledPaths(member, `${path}${step}`))];
}

/** The paths in a schema, in the same format. */
export const schemaPaths = (schema: Schema): string[] => subschemas(schema).map(({ path }) => path);
