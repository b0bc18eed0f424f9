import { MEMBER } from '../protocol/row.ts';
import type { Row } from '../protocol/row.ts';
import { INVALID, scannerOf } from './json-scanner.ts';
import type { JsonScanner } from './json-scanner.ts';

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const COMMA = 0x2c;

/** What a page's text holds: each member undefined where it is not there. */
export interface PageScan {
  readonly isObject: boolean;
  /** An element of the top-level array `items` each, whatever it is; without places where it is no object with fields. */
  readonly items: readonly Row[] | undefined;
  /** The value of the top-level member `metadata`. */
  readonly metadata: unknown;
}

/**
 * Reads the text of a page in one pass, as strictly as JSON.parse; null if it is not valid JSON. Items are not parsed:
 * their places in the text are what counts. Where a name stands twice the last one counts, as in JSON.parse.
 */
export function scanPage(bytes: Buffer): PageScan | null {
  const scanner = scannerOf(bytes);
  let items: readonly Row[] | undefined;
  let metadata: unknown;
  const start = scanner.skipSpace(byteOrderMark(bytes));
  const isObject = bytes[start] === OPEN_BRACE;
  const end = isObject
    ? skipObject(scanner, bytes, start, (key, value) => {
        if (key === 'items' && bytes[value] === OPEN_BRACKET) {
          const behind = scanner.skipItems(value);
          items = rowsOf(bytes, scanner.items());
          return behind;
        }
        if (key === 'items') items = undefined;
        const behind = scanner.skipValue(value);
        if (key === 'metadata' && behind !== INVALID)
          metadata = JSON.parse(bytes.toString('utf8', value, behind)) as unknown;
        return behind;
      })
    : scanner.skipValue(start);
  if (end === INVALID || scanner.skipSpace(end) !== bytes.length) return null;
  return { isObject, items, metadata };
}

/** Skips an object; `member` is given a name and the place of its value, and gives the place behind the value. */
function skipObject(
  { skipName, skipSpace }: JsonScanner,
  bytes: Buffer,
  start: number,
  member: (key: string, value: number) => number,
): number {
  let at = skipSpace(start + 1);
  if (bytes[at] === CLOSE_BRACE) return at + 1;
  for (;;) {
    const value = skipName(at);
    if (value === INVALID) return INVALID;
    const name = bytes.toString('utf8', at, bytes.lastIndexOf('"', value - 1) + 1);
    const end = member(JSON.parse(name) as string, value);
    if (end === INVALID) return INVALID;
    at = skipSpace(end);
    if (bytes[at] === CLOSE_BRACE) return at + 1;
    if (bytes[at] !== COMMA) return INVALID;
    at = skipSpace(at + 1);
  }
}

/** What the scanner says of an item, and behind it of each member. */
const HEADER = 4;

function rowsOf(bytes: Buffer, places: Uint32Array): readonly Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < places.length;) {
    const [start = 0, end = 0, members = 0] = [places[at], places[at + 1], places[at + 2]];
    const alikeSince = places[at + 3] ?? 0;
    const firstPlace = at + HEADER;
    at = firstPlace + MEMBER * members;
    rows.push({ bytes, start, end, places, firstPlace, endPlace: at, alikeSince });
  }
  return rows;
}

function byteOrderMark(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}
