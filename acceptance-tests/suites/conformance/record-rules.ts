import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import { subschemas } from './schema.ts';
import type { Schema } from './schema.ts';

/** A string or a number of a JSON text. */
const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const dateTime = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:?\d{2})$/;

/**
 * Validates record texts against a stream's schema as strictly as Airbyte's acceptance tests do: a number is an integer
 * only if it is written as one (`7350.0` is not), and a date-time is checked by its form.
 */
export function strictValidator(schema: object): (text: string) => ValidateFunction['errors'] {
  const ajv = new Ajv({ strict: false, allErrors: true, formats: { 'date-time': dateTime } });
  const validate = ajv.compile(schema);
  return (text) => {
    const strict = text.replace(token, (found) => (/^("|-?\d+$)/.test(found) ? found : '0.5'));
    return validate(JSON.parse(strict)) ? [] : validate.errors;
  };
}

/** The paths of all values in a row that are not null; `[]` stands for an element of a list. */
export function filledPaths(value: unknown, path: string): string[] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object') return [path];
  const inner = Array.isArray(value)
    ? value.map((element) => [element, '[]'] as const)
    : Object.entries(value).map(([name, member]) => [member, `.${name}`] as const);
  return [path, ...inner.flatMap(([member, step]) => filledPaths(member, `${path}${step}`))];
}

/** The paths that a schema names, in the same form; the row itself is `$`. */
export const schemaPaths = (schema: Schema): string[] => subschemas(schema).map(({ path }) => path);
