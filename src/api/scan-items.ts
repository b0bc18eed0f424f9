const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;

/** Byte range of one JSON value: from `start` up to, not including, `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the byte range of each element of the top-level member `items` of a JSON object, and of no other `items`
 * deeper in the document. It relies on the text being valid JSON: prove that with JSON.parse first.
 * Where a name stands twice the last one counts, as in JSON.parse. Returns null if there is no top-level array `items`.
 */
export function scanItems(bytes: Buffer): Range[] | null {
  let found: Range[] | null = null;
  forEachMember(bytes, skipSpace(bytes, byteOrderMark(bytes)), (name, value) => {
    if (name === 'items') found = bytes[value.start] === OPEN_BRACKET ? elements(bytes, value.start) : null;
  });
  return found;
}

/** The text of the member `name` of the JSON object at `object`, exactly as sent; undefined if there is none. */
export function memberText(bytes: Buffer, object: Range, name: string): string | undefined {
  let text: string | undefined;
  forEachMember(bytes, object.start, (key, value) => {
    if (key === name) text = bytes.toString('utf8', value.start, value.end);
  });
  return text;
}

function forEachMember(bytes: Buffer, start: number, visit: (name: string, value: Range) => void): void {
  if (bytes[start] !== OPEN_BRACE) return;
  let at = skipSpace(bytes, start + 1);
  while (bytes[at] === QUOTE) {
    const nameEnd = skipString(bytes, at);
    const name = JSON.parse(bytes.toString('utf8', at, nameEnd)) as string;
    const value = skipSpace(bytes, nameEnd);
    const from = skipSpace(bytes, value + 1);
    const end = skipValue(bytes, from);
    visit(name, { start: from, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
  }
}

function elements(bytes: Buffer, start: number): Range[] {
  const ranges: Range[] = [];
  let at = skipSpace(bytes, start + 1);
  while (at < bytes.length && bytes[at] !== CLOSE_BRACKET) {
    const end = skipValue(bytes, at);
    ranges.push({ start: at, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
  }
  return ranges;
}

function byteOrderMark(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  let byte = bytes[at];
  while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = bytes[++at];
  return at;
}

function skipString(bytes: Buffer, from: number): number {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

function skipValue(bytes: Buffer, from: number): number {
  const first = bytes[from];
  if (first === QUOTE) return skipString(bytes, from);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipNested(bytes, from);
  let at = from;
  while (at < bytes.length && !endsScalar(bytes[at])) at++;
  return at;
}

function skipNested(bytes: Buffer, from: number): number {
  let depth = 0;
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = skipString(bytes, at);
      continue;
    }
    at++;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return at;
  }
  return at;
}

function endsScalar(byte: number | undefined): boolean {
  return (
    byte === COMMA ||
    byte === CLOSE_BRACE ||
    byte === CLOSE_BRACKET ||
    byte === 0x20 ||
    byte === 0x0a ||
    byte === 0x0d ||
    byte === 0x09
  );
}
