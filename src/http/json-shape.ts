import { isObject, parsedJson, type JsonObject } from '../config/files.ts';
import { counted, listed, quoted } from '../protocol/messages.ts';

const MAX_INNER = 4; // names listed of an object in an object

/** The object or array in a string that services have serialized twice; null for any other text. */
export function jsonIn(text: string): JsonObject | readonly unknown[] | null {
  const value = parsedJson(text);
  return isObject(value) || Array.isArray(value) ? value : null;
}

/**
 * Describes a value, and up to two levels of what is in it, without the texts and numbers, such as `an object with "data" (an array of 40
 * objects), "totalPages"`. JSON in a string counts as its content.
 */
export function describeValue(value: unknown): string {
  return described(value, 0);
}

function described(value: unknown, depth: number): string {
  if (Array.isArray(value)) return describeArray(value);
  const inner = typeof value === 'string' ? jsonIn(value) : null;
  if (inner !== null) return `a string that contains ${described(inner, depth)}`;
  if (!isObject(value)) return value === null ? 'null' : `a ${typeof value}`;
  const names = Object.keys(value);
  if (names.length === 0) return 'an empty object';
  if (depth > 0)
    return `an object with ${listed(names.slice(0, MAX_INNER), quoted)}${names.length > MAX_INNER ? ', …' : ''}`;
  const members = listed(Object.entries(value), ([name, one]) => {
    const isNested = typeof one === 'object' || name === 'items' || hasJson(one);
    return isNested ? `${quoted(name)} (${described(one, depth + 1)})` : quoted(name);
  });
  return `an object with ${members}`;
}

const hasJson = (value: unknown): boolean => typeof value === 'string' && jsonIn(value) !== null;

function describeArray(value: readonly unknown[]): string {
  if (value.length === 0) return 'an empty array';
  const isOfObjects = value.every(isObject);
  return `an array of ${isOfObjects ? counted(value.length, 'object', 'objects') : counted(value.length, 'value', 'values')}`;
}
