import { isUtf8 } from 'node:buffer';

import { PAGE } from '../limits.ts';
import { MEMBER } from '../protocol/row.ts';
import type { Row } from '../protocol/row.ts';
import { INVALID, NONE, scannerOf } from './json-scanner.ts';
import type { JsonScanner } from './json-scanner.ts';

/** One accepted page of a list. */
export interface Page {
  readonly rows: readonly Row[];
  /** `metadata.pagination` as received; each member may be absent, null or wrong. */
  readonly pagination: Readonly<Record<string, unknown>>;
}

/** The body of a 200 is not a page. It counts as a failed attempt, never as an empty page. */
export class BadPageError extends Error {
  override readonly name = 'BadPageError';
}

/**
 * Accepts a body only whole: valid UTF-8, valid JSON, an `items` array of non-empty objects and a `metadata.pagination`
 * object. It is read in one pass, as strictly as by JSON.parse, and nothing is kept but places of the text, so that no page
 * takes more than a few times its size. Where a name stands twice the last one counts.
 *
 * @throws BadPageError that says what is wrong
 */
export function parsePage(body: Buffer): Page {
  if (!isUtf8(body)) throw new BadPageError('the body is not valid UTF-8');
  const scanner = scannerOf(body);
  /** Undefined where there are none, empty where an item is odd, whose number is noted. */
  let rows = undefined as readonly Row[] | undefined;
  let oddItem = NONE as number;
  /** Where the value of `metadata.pagination` starts, and the place behind it. */
  let [from, to] = [INVALID as number, INVALID as number];
  const ofMetadata = (name: string, value: number): number => {
    const behind = scanner.skipValue(value);
    if (name === 'pagination') [from, to] = [value, behind];
    return behind;
  };
  const ofPage = (name: string, value: number): number => {
    if (name === 'items') rows = undefined;
    if (name === 'metadata') [from, to] = [INVALID, INVALID];
    if (name === 'metadata' && isAt(body, value, '{')) return skipObject(scanner, body, value, ofMetadata);
    if (name !== 'items' || !isAt(body, value, '[')) return scanner.skipValue(value);
    const behind = scanner.skipItems(value, PAGE.mostItems);
    oddItem = scanner.oddItem.value;
    rows = oddItem === NONE ? rowsOf(body, scanner.items()) : [];
    return behind;
  };
  const hasByteOrderMark = body.toString('utf8', 0, 3) === '\ufeff';
  const start = scanner.skipSpace(hasByteOrderMark ? 3 : 0);
  const isObject = isAt(body, start, '{');
  const end = isObject ? skipObject(scanner, body, start, ofPage) : scanner.skipValue(start);
  if (end === INVALID || scanner.skipSpace(end) !== body.length)
    throw new BadPageError(body.length === 0 ? 'the body is empty' : 'the body is not valid JSON');
  if (!isObject) throw new BadPageError('the body is not a JSON object');
  if (rows === undefined) throw new BadPageError('the body has no array `items`');
  if (to - from > PAGE.mostPaginationBytes)
    throw new BadPageError(`\`metadata.pagination\` is larger than ${PAGE.mostPaginationBytes} bytes`);
  if (!isAt(body, from, '{')) throw new BadPageError('the body has no object `metadata.pagination`');
  if (oddItem === PAGE.mostItems) throw new BadPageError(`the page has more than ${PAGE.mostItems} items`);
  // a record with empty data is dropped silently by platforms
  if (oddItem !== NONE) throw new BadPageError(`items[${oddItem}] is not an object with fields`);
  return { rows, pagination: JSON.parse(body.toString('utf8', from, to)) as Page['pagination'] };
}

function isAt(bytes: Buffer, at: number, character: '{' | '}' | '[' | ','): boolean {
  return bytes[at] === character.charCodeAt(0);
}

/** Skips an object; `member` is given a name (see `nameAt`) and the place of its value, and gives the place behind the value. */
function skipObject(
  { skipName, skipSpace }: JsonScanner,
  bytes: Buffer,
  start: number,
  member: (key: string, value: number) => number,
): number {
  let at = skipSpace(start + 1);
  if (isAt(bytes, at, '}')) return at + 1;
  for (;;) {
    const value = skipName(at);
    if (value === INVALID) return INVALID;
    const end = member(nameAt(bytes, at, value), value);
    if (end === INVALID) return INVALID;
    at = skipSpace(end);
    if (isAt(bytes, at, '}')) return at + 1;
    if (!isAt(bytes, at, ',')) return INVALID;
    at = skipSpace(at + 1);
  }
}

const QUOTE = 0x22;

/** The name of a member; nothing for one that is none of those looked for: a page may have millions of them. */
function nameAt(bytes: Buffer, start: number, value: number): string {
  const end = bytes.lastIndexOf(QUOTE, value - 1) + 1;
  // in its quotes, from the shortest one looked for to the longest with each character escaped
  const isLookedFor = end - start >= '"items"'.length && end - start <= 2 + 6 * 'pagination'.length;
  return isLookedFor ? (JSON.parse(bytes.toString('utf8', start, end)) as string) : '';
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
