import { isUtf8 } from 'node:buffer';
import { getHeapStatistics } from 'node:v8';
import { PAGE } from '../limits.ts';
import { NONE, scannerOf, type JsonScanner } from './json-scanner.ts';
import { MEMBER, isNamed, nameAt, type Row } from './row.ts';

/** A page of a list; a `pagination` member may be absent, null or invalid. */
export type Page = Readonly<ReturnType<typeof parsePage>>;

/** A member of the page object or of its metadata that is no part of the page itself: a view, parsed only if it matters. */
export interface Extra {
  readonly level: 'page' | 'metadata';
  readonly name: string;
  readonly json: Buffer;
}

/** The value of a member beside a page; of a very long one the start of its text. */
export function extraValue({ json }: Extra): unknown {
  const isLong = json.length > PAGE.maxPaginationBytes;
  return isLong ? json.toString('utf8', 0, PAGE.maxPaginationBytes) : JSON.parse(json.toString());
}

/** The body of a 200 response is not a page. This is a failed attempt, never an empty page. */
export class BadPageError extends Error {
  override readonly name = 'BadPageError';
}

/** The page has more rows or bytes than can be processed. */
export class LargeBodyError extends BadPageError {}

/** The body is JSON, but in another shape than a page: the API may page its lists in another way. */
export class OtherShapeError extends BadPageError {
  /** What to change in the config, in sentences; null if that is not known. */
  readonly cure: string | null;
  /** There are rows in the body, so it is from the list itself. */
  readonly hasRows: boolean;

  constructor(found: string, cure: string | null, hasRows: boolean) {
    super(found);
    this.cure = cure;
    this.hasRows = hasRows;
  }
}

/**
 * Parses a page: valid UTF-8 and JSON with `items`, an array of non-empty objects, null or `{}`, and a `metadata.pagination` object. Without
 * the latter, `isBare` is true, and there are no rows. The body is scanned once, as strictly as by JSON.parse, and only positions are
 * stored, so that a page takes no more than a few times its size. Of duplicate members the last one counts, but for rows, none of which may be lost.
 *
 * @throws BadPageError that says what is wrong; OtherShapeError if the body is valid JSON of another shape
 */
export function parsePage(body: Buffer) {
  try {
    return pageIn(body);
  } catch (error) {
    // the types of WebAssembly errors are not available here
    const isOutOfMemory =
      error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError');
    if (!isOutOfMemory) throw error;
    throw new LargeBodyError(outOfMemory(body));
  }
}

function outOfMemory({ length }: Buffer): string {
  return `the page of ${Math.ceil(length / MIB)} MiB does not fit into memory; set a smaller page_size, or allow more memory`;
}

function pageIn(body: Buffer) {
  if (!isUtf8(body)) throw new BadPageError('the body is not valid UTF-8');
  const scanner = scannerOf(body);
  const { skipSpace } = scanner;
  const hasByteOrderMark = body.toString('utf8', 0, 3) === '\ufeff';
  const start = skipSpace(hasByteOrderMark ? 3 : 0);
  const found = placesIn(scanner, body, start);
  const { items, pagination } = found;
  if (skipSpace(found.end) !== body.length)
    throw new BadPageError(body.length === 0 ? 'the body is empty' : 'the body is not valid JSON');
  if (!isAt(body, start, '{')) throw new OtherShapeError('the body is not a JSON object', null, false);
  // Go writes an empty slice as null, and Lua an empty table as an object
  const isNone = isAt(body, items, 'n') || (isAt(body, items, '{') && isAt(body, skipSpace(items + 1), '}'));
  if (!isNone && !isAt(body, items, '['))
    throw new OtherShapeError('the body has no array `items`', null, false);
  if (pagination.end - pagination.start > PAGE.maxPaginationBytes)
    throw new BadPageError(`\`metadata.pagination\` is larger than ${PAGE.maxPaginationBytes} bytes`);
  const isBare =
    (pagination.start === scanner.invalid || isAt(body, pagination.start, 'n')) &&
    isAt(body, items, '[') &&
    isAt(body, skipSpace(items + 1), ']') &&
    !found.extras.some(isPagination);
  if (!isBare && !isAt(body, pagination.start, '{'))
    throw new OtherShapeError('the body has no object `metadata.pagination`', null, false);
  if (!isNone) checkItems(scanner.oddItem.value);
  return {
    rows: isNone || isBare ? [] : rowsOf(body, scanner.items()),
    pagination: isBare ? {} : paginationIn(scanner, body, pagination),
    extras: found.extras,
    isBare,
  };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** True for a pagination object in another place than expected. */
const isPagination = ({ level, name }: Extra): boolean =>
  level === 'page' && /^(pagination|paging)$/i.test(name);

/**
 * Scans a body. Returns the positions of the values of `items` and `metadata.pagination`, and of the end, `invalid` for what is not there;
 * and the other members.
 */
function placesIn(scanner: JsonScanner, body: Buffer, start: number) {
  const { invalid, skipSpace, skipValue, skipItems } = scanner;
  let items = invalid;
  let pagination: Span = { start: invalid, end: invalid };
  const extras: Extra[] = [];
  const besides = (level: Extra['level'], name: number, value: number): number => {
    const end = skipValue(value);
    if (end !== invalid && value - name <= MAX_NAME_BYTES && extras.length < MAX_EXTRAS)
      extras.push({ level, name: nameAt(body, name, value), json: body.subarray(value, end) });
    return end;
  };
  const inMetadata: Member = (name, value) => {
    if (!isNamed(body, name, value, 'pagination')) return besides('metadata', name, value);
    const end = skipValue(value);
    pagination = { start: value, end };
    return end;
  };
  const inPage: Member = (name, value) => {
    if (isNamed(body, name, value, 'metadata')) {
      pagination = { start: invalid, end: invalid };
      return skipMembers(scanner, body, value, inMetadata);
    }
    const isItems = isNamed(body, name, value, 'items');
    // rows of an earlier member would be lost
    if (isItems && isAt(body, items, '[') && !isAt(body, skipSpace(items + 1), ']'))
      throw new BadPageError(REPEATED);
    if (!isItems) return besides('page', name, value);
    items = value;
    return isAt(body, value, '[') ? skipItems(value, PAGE.maxItems) : skipValue(value);
  };
  const end = skipMembers(scanner, body, start, inPage);
  return { items, pagination, extras, end };
}

/** Returns the pagination object, with a cursor that is a number as it is written: JSON.parse would round long ones. 0 is no cursor. */
function paginationIn(
  scanner: JsonScanner,
  body: Buffer,
  { start, end }: Span,
): Readonly<Record<string, unknown>> {
  const pagination = JSON.parse(body.toString('utf8', start, end)) as Readonly<Record<string, unknown>>;
  if (typeof pagination['nextCursor'] !== 'number') return pagination;
  let cursor = '';
  skipMembers(scanner, body, start, (name, value) => {
    const after = scanner.skipValue(value);
    if (isNamed(body, name, value, 'nextCursor')) cursor = body.toString('utf8', value, after);
    return after;
  });
  return { ...pagination, nextCursor: Number(cursor) === 0 ? '' : cursor };
}

const MAX_NAME_BYTES = 256; // of a member beside a page; longer names mean nothing
/** Members beside the rows that are looked at: no page has so many, and each takes memory. */
const MAX_EXTRAS = 1000;

/** Throws if there is an odd item, or one too many. */
function checkItems(oddItem: number): void {
  if (oddItem === PAGE.maxItems) throw new LargeBodyError(`the page has more than ${PAGE.maxItems} items`);
  // platforms silently drop records without data
  if (oddItem !== NONE) throw new BadPageError(`items[${oddItem}] is not an object with fields`);
}

const REPEATED = 'the body has `items` more than once, so rows would be lost';
const MIB = 1024 * 1024;
const ROW_BYTES = 400; // maximum heap usage of a row until it is written

/** True if the rows of a page fit into the bytes by which the heap can still grow. */
function hasRoomFor(places: Uint32Array): boolean {
  const bytes = (places.length / (HEADER + MEMBER)) * ROW_BYTES;
  if (bytes <= MIB) return true;
  const { heap_size_limit: limit, used_heap_size: used } = getHeapStatistics();
  return bytes <= limit - used;
}

const isAt = (bytes: Buffer, at: number, char: '{' | '}' | '[' | ']' | ',' | 'n'): boolean =>
  bytes[at] === char.charCodeAt(0);

/** Called with the positions of a member's name and value; returns the position after the value. */
type Member = (name: number, value: number) => number;

/** Skips a value; calls `member` for each member if it is an object. */
function skipMembers(scanner: JsonScanner, bytes: Buffer, start: number, member: Member): number {
  const { invalid, skipName, skipSpace, skipValue } = scanner;
  if (!isAt(bytes, start, '{')) return skipValue(start);
  let at = skipSpace(start + 1);
  if (isAt(bytes, at, '}')) return at + 1;
  for (;;) {
    const value = skipName(at);
    if (value === invalid) return invalid;
    at = skipSpace(member(at, value));
    if (isAt(bytes, at, '}')) return at + 1;
    if (!isAt(bytes, at, ',')) return invalid;
    at = skipSpace(at + 1);
  }
}

const HEADER = 4; // numbers per item in the scanner's table, before those of its members

function rowsOf(bytes: Buffer, places: Uint32Array): readonly Row[] {
  if (!hasRoomFor(places)) throw new LargeBodyError(outOfMemory(bytes));
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
