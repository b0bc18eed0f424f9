import type { Row } from '../protocol/row.ts';
import { INVALID, skipName, skipSpace, skipValue } from './skip-value.ts';

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
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
  let items: Row[] | undefined;
  let metadata: unknown;
  const start = skipSpace(bytes, byteOrderMark(bytes));
  const isObject = bytes[start] === OPEN_BRACE;
  const end = isObject
    ? scanObject(bytes, start, (name, value) => {
        const text = bytes.toString('utf8', name, skipBack(bytes, value));
        const key = JSON.parse(text) as string;
        if (key === 'items') {
          const rows: Row[] = [];
          items = bytes[value] === OPEN_BRACKET ? rows : undefined;
          return items === undefined ? skipValue(bytes, value) : scanItems(bytes, value, rows);
        }
        const behind = skipValue(bytes, value);
        if (key === 'metadata' && behind !== INVALID)
          metadata = JSON.parse(bytes.toString('utf8', value, behind)) as unknown;
        return behind;
      })
    : skipValue(bytes, start);
  if (end === INVALID || skipSpace(bytes, end) !== bytes.length) return null;
  return { isObject, items, metadata };
}

/** Reads an object; `member` is given the places of a name and its value, and gives the place behind the value. */
function scanObject(bytes: Buffer, start: number, member: (name: number, value: number) => number): number {
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === CLOSE_BRACE) return at + 1;
  for (;;) {
    const value = skipName(bytes, at);
    if (value === INVALID) return INVALID;
    const end = member(at, value);
    if (end === INVALID) return INVALID;
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_BRACE) return at + 1;
    if (bytes[at] !== COMMA) return INVALID;
    at = skipSpace(bytes, at + 1);
  }
}

/** From the value of a member back to the end of its name. */
function skipBack(bytes: Buffer, value: number): number {
  return bytes.lastIndexOf('"', value - 1) + 1;
}

function scanItems(bytes: Buffer, start: number, rows: Row[]): number {
  const places: number[] = [];
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === CLOSE_BRACKET) return at + 1;
  for (;;) {
    const firstPlace = places.length;
    const end = bytes[at] === OPEN_BRACE ? scanItem(bytes, at, places) : skipValue(bytes, at);
    if (end === INVALID) return INVALID;
    rows.push({ bytes, start: at, end, places, firstPlace, endPlace: places.length });
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    if (bytes[at] !== COMMA) return INVALID;
    at = skipSpace(bytes, at + 1);
  }
}

/** `scanObject` of an item, written out: it is run for every row. */
function scanItem(bytes: Buffer, start: number, places: number[]): number {
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === CLOSE_BRACE) return at + 1;
  for (;;) {
    const value = skipName(bytes, at);
    if (value === INVALID) return INVALID;
    places.push(at, value);
    at = skipValue(bytes, value);
    if (at === INVALID) return INVALID;
    at = skipSpace(bytes, at);
    if (bytes[at] === CLOSE_BRACE) return at + 1;
    if (bytes[at] !== COMMA) return INVALID;
    at = skipSpace(bytes, at + 1);
  }
}

function byteOrderMark(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}
