/** A JSON value read by `parseNumberKinds`: its numbers tell only their kind, so read them with `isIntegerText`. */
export type SampledValue =
  null | boolean | number | string | SampledValue[] | { readonly [name: string]: SampledValue };

// A quote or an escape (needed to know what is inside a string), or an unsigned number of the JSON grammar. No part of it
// can run back over what it has read, so a string of any length takes linear time and no stack.
const token = /\\.|"|(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/g;

// No text without fraction and exponent reads as this value. The exponent is there so that a text that is not JSON, such
// as `1e5e5`, does not become JSON.
const standIn = '0.5e0';

/**
 * `JSON.parse`, except that every number written with a fraction or an exponent (`1.0`, `1E3`, `1e400`) comes back as 0.5
 * or -0.5, so that `isIntegerText` can tell it from an integer of any length. Everything else is as `JSON.parse` has it
 * (the last of several equal keys counts), and it throws its `SyntaxError` for exactly the same texts.
 */
export function parseNumberKinds(text: string): SampledValue {
  let marked = '';
  let copied = 0;
  let inString = false;
  // Match by match, because `replace` with a function collects all matches first and ends the process on too many.
  for (const match of text.matchAll(token)) {
    if (match[0] === '"') {
      inString = !inString;
    } else if (!inString && (match[1] !== undefined || match[2] !== undefined)) {
      marked += text.slice(copied, match.index) + standIn;
      copied = match.index + match[0].length;
    }
  }
  return JSON.parse(marked + text.slice(copied)) as SampledValue;
}

/** Whether a number from `parseNumberKinds` was written without fraction and exponent. */
export function isIntegerText(value: number): boolean {
  return Math.abs(value) !== 0.5;
}
