import { numberKind, numbersIn } from './numbers.ts';
import { timeKind } from './times.ts';

/**
 * What a JSON value is: see `TimeKind` for strings and `NumberKind` for numbers. The scanner records one of these for each member of a
 * row, so that few values need to be parsed, or one of `MAY_BE`.
 */
export const ValueKind = {
  null: 0,
  text: 1,
  escapedText: 2, // a string with escapes
  unrealTime: 3,
  otherTime: 4,
  localTime: 5,
  utcTime: 6,
  boolean: 7,
  integer: 8,
  largeInteger: 9,
  decimal: 10,
  double: 11,
  longNumber: 12,
  otherNumber: 13, // none that the scanner can classify
  object: 14,
  array: 15,
  objectWithLong: 16, // contains a `longNumber` or `hugeNumber`
  arrayWithLong: 17,
  objectWithOther: 18, // contains an `otherNumber`, and no `longNumber`
  arrayWithOther: 19,
  hugeInteger: 20, // the scanner leaves these to `exactKind`
  hugeDouble: 21,
  hugeNumber: 22,
} as const;
export type ValueKindName = keyof typeof ValueKind;

/** Added to the kind of a member whose name or value contains an unpaired surrogate, such as `\ud83d`. */
export const FIRST_WITH_SURROGATE = 32;

/** The kinds that a value may be of if the scanner does not know. */
export const MAY_BE: Readonly<Partial<Record<ValueKindName, readonly ValueKindName[]>>> = {
  escapedText: ['text', 'unrealTime', 'otherTime', 'localTime', 'utcTime'],
  otherNumber: [
    ...(['largeInteger', 'decimal', 'double', 'longNumber'] as const),
    ...(['hugeInteger', 'hugeDouble', 'hugeNumber'] as const),
  ],
  objectWithOther: ['object', 'objectWithLong'],
  arrayWithOther: ['array', 'arrayWithLong'],
};

const MAX_REPRINTED = 4000; // characters of a value that can be serialized whatever its depth

/** Returns the kind of a value by its JSON text; never one of the keys of `MAY_BE`. */
export function exactKind(json: string): ValueKindName {
  const first = json.charAt(0);
  if (first === '"') return timeKind(JSON.parse(json) as string);
  if (first === '{') return holdsLongNumber(json) ? 'objectWithLong' : 'object';
  if (first === '[') return holdsLongNumber(json) ? 'arrayWithLong' : 'array';
  if (first === 't' || first === 'f') return 'boolean';
  return first === 'n' ? 'null' : numberKind(json);
}

/** True if an object or array contains a number that no double preserves. */
function holdsLongNumber(json: string): boolean {
  // a shortcut: JSON.stringify writes the shortest form of each double, but recurses, so deep values would exhaust the stack
  if (json.length < MAX_REPRINTED && JSON.stringify(JSON.parse(json)) === json) return false;
  for (const { number } of numbersIn(json)) {
    const kind = numberKind(number);
    if (kind === 'longNumber' || kind === 'hugeNumber') return true;
  }
  return false;
}
