/**
 * What a number's text asks of a column: `integer` is written without fraction and exponent and lies within 64 bits,
 * `number` fits a decimal of 38 digits with nine of them behind the point, as the widest columns of loaders have, `great`
 * is 1e29 or more and fits none.
 */
export type NumberKind = 'integer' | 'number' | 'great';

/** A JSON value read by `parseNumberKinds`: its numbers tell only their kind, so read them with `sampledKind`. */
export type SampledValue =
  null | boolean | number | string | SampledValue[] | { readonly [name: string]: SampledValue };

const LEAST_GREAT = 1e29;
/** Digits that every integer within 64 bits may have. */
const SURE_DIGITS = 18;

// A quote or an escape (needed to know what is inside a string), or an unsigned number of the JSON grammar. No part of it
// can run back over what it has read, so a string of any length takes linear time and no stack.
const token = /\\.|"|(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

// No integer reads as one of these. The exponents are there so that a text that is not JSON, such as `1e5e5`, does not
// become JSON.
const standIns = { number: '0.5e0', great: '0.25e0' } as const;

/** The kind of a number of the JSON grammar. */
export function numberKind(text: string): NumberKind {
  if (/^-?\d+$/.test(text)) {
    if (text.length <= SURE_DIGITS) return 'integer';
    const value = BigInt(text);
    if (BigInt.asIntN(64, value) === value) return 'integer';
  }
  return Math.abs(Number(text)) < LEAST_GREAT ? 'number' : 'great';
}

/** The numbers of a JSON text, as they are written, and where. What is inside strings is none. */
export function* numbersIn(json: string): Generator<{ readonly text: string; readonly index: number }> {
  let inString = false;
  // Match by match, because `replace` with a function collects all matches first and ends the process on too many.
  for (const { 0: found, index } of json.matchAll(token)) {
    if (found === '"') inString = !inString;
    else if (!inString && !found.startsWith('\\'))
      yield json[index - 1] === '-' ? { text: `-${found}`, index: index - 1 } : { text: found, index };
  }
}

/**
 * `JSON.parse`, except that every number that is no integer within 64 bits comes back as a stand-in, so that `sampledKind`
 * can tell its kind. Everything else is as `JSON.parse` has it (the last of several equal keys counts), and it throws its
 * `SyntaxError` for exactly the same texts.
 */
export function parseNumberKinds(text: string): SampledValue {
  let marked = '';
  let copied = 0;
  for (const number of numbersIn(text)) {
    const kind = numberKind(number.text);
    if (kind === 'integer') continue;
    const sign = number.text.startsWith('-') ? 1 : 0;
    marked += text.slice(copied, number.index + sign) + standIns[kind];
    copied = number.index + number.text.length;
  }
  return JSON.parse(marked + text.slice(copied)) as SampledValue;
}

/** The kind of a number from `parseNumberKinds`. */
export function sampledKind(value: number): NumberKind {
  const size = Math.abs(value);
  if (size === 0.5) return 'number';
  return size === 0.25 ? 'great' : 'integer';
}
