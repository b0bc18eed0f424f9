import { isUtf8 } from 'node:buffer';
import { locateJsonFault, type JsonFault } from '../config/faults.ts';

/** Where the text of a page is broken, in words, and whether it only lacks its end. */
export type PageFault = Readonly<{ words: string; isCut: boolean }>;

/**
 * Describes where the body of a page is not valid UTF-8 or JSON: the byte (from 0), the row and the token. For example `not valid
 * JSON at byte 61,204, in row 300 (items[299]): "NaN", expected a value`; null if it is valid, or no
 * JSON from its first byte on.
 */
export function describePageFault(body: Buffer): PageFault | null {
  const text = body.toString('utf8').replace(/^\ufeff/, '');
  const skipped = body.length > 2 && body.toString('utf8', 0, 3) === '\ufeff' ? 3 : 0;
  const place = (at: number): string => {
    const row = rowAt(text, at);
    return `at byte ${skipped + Buffer.byteLength(text.slice(0, at))}${row === null ? '' : `, in row ${row + 1} (items[${row}])`}`;
  };
  if (!isUtf8(body)) {
    const at = invalidCharacter(body, text, skipped);
    return { words: `not valid UTF-8 ${place(at)}`, isCut: at === text.length - 1 };
  }
  const fault = locateJsonFault(text, MAX_DEPTH);
  if (fault === null) return null;
  if (fault.at === 0) return leadIn(text);
  const { words, isCut } = describeToken(text, fault);
  return { words: `not valid JSON ${place(fault.at)}: ${words}`, isCut };
}

/** The fault of JSON that other text precedes, such as a warning of PHP; null for a text without JSON, such as HTML. */
function leadIn(text: string): PageFault | null {
  const start = text.indexOf('{"');
  if (start === -1 || locateJsonFault(text.slice(start), MAX_DEPTH) !== null) return null;
  return {
    words: `preceded by other text, up to byte ${Buffer.byteLength(text.slice(0, start))}`,
    isCut: false,
  };
}

/** The token at a fault, and what is wrong there. */
function describeToken(text: string, { at, problem }: JsonFault): PageFault {
  if (text[at] === '"' && !problem.startsWith('expected')) {
    const isCut = endOfString(text, at + 1) === text.length;
    return { words: isCut ? 'the text ends in this string' : 'an invalid string', isCut };
  }
  const [token = ''] = TOKEN.exec(text.slice(at, at + MAX_TOKEN)) ?? [];
  const isEnd = at + token.length === text.length;
  const found = token === '' ? 'the text ends' : `"${token}"`;
  return {
    words: `${found}, ${problem.replace('the file', 'the text')}`,
    isCut: isEnd && problem !== 'expected the end of the file',
  };
}

const TOKEN = /^(?:[\w.+-]+|[^\s])/u;
const MAX_TOKEN = 24; // characters
const MAX_DEPTH = 100_000; // of brackets, which are kept in memory

/** The index of the first replacement character that stands for an invalid byte. */
function invalidCharacter(body: Buffer, text: string, skipped: number): number {
  let at = text.indexOf('\ufffd');
  let byte = skipped + Buffer.byteLength(text.slice(0, at));
  while (body.toString('latin1', byte, byte + 3) === '\xef\xbf\xbd') {
    const next = text.indexOf('\ufffd', at + 1);
    byte += Buffer.byteLength(text.slice(at, next));
    at = next;
  }
  return at;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING: readonly (number | undefined)[] = [0x5b, 0x7b];
const CLOSING: readonly (number | undefined)[] = [0x5d, 0x7d];

/** The index of the element of `items` that contains a place of a text, which is valid JSON up to there; null outside of them. */
function rowAt(text: string, end: number): number | null {
  let [depth, start, row] = [0, 0, null as number | null];
  let name = '';
  for (let at = 0; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      start = at + 1;
      at = endOfString(text, start);
      if (depth === 1) name = text.slice(start, at);
    } else if (OPENING.includes(unit)) {
      depth++;
      if (depth === 2 && name === 'items' && text[at] === '[') row = 0;
    } else if (CLOSING.includes(unit)) {
      depth--;
      if (depth === 1) row = null;
    } else if (unit === COMMA && depth === 2 && row !== null) row++;
  }
  return row;
}

/** The index of the quote that ends a string, or of the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at;
    if (unit === BACKSLASH) at++;
  }
  return text.length;
}
