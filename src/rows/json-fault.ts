import { NUMBER } from './numbers.ts';

/** Whitespace and the token after it, empty if there is none; for a string, only the opening quote. */
const TOKEN = new RegExp(String.raw`[ \t\n\r]*([{}[\],:"]|${NUMBER}|true|false|null|)`, 'y');
/** A part of a string: a single expression for the whole string would exhaust the stack. */
const STRING_PART = /[\u0020\u0021\u0023-\u005b\u005d-\uffff]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

const SCALAR = '"-0123456789tfn';
/** The first characters of the tokens that are valid at each place of the grammar. */
const STARTS = {
  'a value': `{[${SCALAR}`,
  'a value or ]': `{[]${SCALAR}`,
  'a name in double quotes': '"',
  'a name in double quotes or }': '"}',
  'a colon': ':',
  'a comma or }': ',}',
  'a comma or ]': ',]',
  'the end of the file': '',
} as const;
type Place = keyof typeof STARTS;

/** Where a text is not valid JSON, as an index in UTF-16 units, and what is wrong there. */
export interface JsonFault {
  readonly at: number;
  readonly problem: string;
  readonly row: number | null; // the element of `items` that contains the place; null outside of them
}

/**
 * Returns the first place where a text is not valid JSON or has more than `maxDepth` nested brackets, and what is wrong there; null if
 * there is none. JSON.parse does not always report the place, and may quote the text, which may contain a secret; jsonc-parser finds
 * nearly the same places, but exhausts the stack at some 10,000 brackets, and would leave rows and words to us.
 */
export function locateJsonFault(text: string, maxDepth: number): JsonFault | null {
  const next: Place[] = ['the end of the file']; // what is expected after the value in each open bracket, from the outside in
  let place: Place = 'a value';
  let comma: number | null = null; // the place of the token before, if it is a comma
  let [name, row] = ['', null as number | null]; // the latest name of the document, and the element of `items`
  for (let end = 0; ;) {
    TOKEN.lastIndex = end;
    const [whole = '', token = ''] = TOKEN.exec(text) ?? [];
    const at = end + whole.length - token.length;
    const first = token.charAt(0);
    if (at === text.length && place === 'the end of the file') return null;
    if (comma !== null && (first === '}' || first === ']'))
      return { at: comma, problem: `there must be no comma before the ${first} that follows`, row };
    if (comma !== null && next.length === 3 && row !== null) row++;
    if (first === '' || !STARTS[place].includes(first)) return { at, problem: `expected ${place}`, row };
    const last = first === '"' ? endOfString(text, at) : at + token.length - 1;
    if (first === '"' && text[last] !== '"') return { at, problem: stringFault(text, last), row };
    end = last + 1;
    comma = first === ',' ? at : null;
    if (first === '"' && place.startsWith('a name') && next.length === 2) name = text.slice(at + 1, last);
    if (first === '[' && next.length === 2 && name === 'items') row = 0;
    if (first === '{') next.push('a comma or }');
    if (first === '[') next.push('a comma or ]');
    if (next.length > maxDepth + 1)
      return { at, problem: `expected a value or an end (at most ${maxDepth} nested brackets)`, row };
    if (first === '}' || first === ']') next.pop();
    if (next.length < 3) row = null;
    place = placeAfter(first, place, next.at(-1) ?? 'the end of the file');
  }
}

/** Returns the index of the closing quote of the string that begins at `start`, or of the first character that cannot be in it. */
function endOfString(text: string, start: number): number {
  let end = start + 1;
  STRING_PART.lastIndex = end;
  while (STRING_PART.test(text)) end = STRING_PART.lastIndex;
  return end;
}

/** Why a string cannot go on at a place. */
function stringFault(text: string, at: number): string {
  const sign = text.charAt(at);
  if (sign === '') return 'the string that begins here has no closing quote';
  if (sign === '\\') return 'the string that begins here has a \\ that begins no escape; write \\\\ for a \\';
  if (sign === '\n' || sign === '\r')
    return 'the string that begins here has a line break before its closing quote; add the quote, or write \\n for a line break';
  return `the string that begins here has a control character; write ${JSON.stringify(sign).slice(1, -1)} for it`;
}

function placeAfter(token: string, before: Place, afterValue: Place): Place {
  if (token === '{') return 'a name in double quotes or }';
  if (token === '[') return 'a value or ]';
  if (token === ':') return 'a value';
  if (token === ',') return afterValue === 'a comma or }' ? 'a name in double quotes' : 'a value';
  return token === '"' && before.startsWith('a name') ? 'a colon' : afterValue;
}
