import { isUtf8 } from 'node:buffer';
import { isObject, parsedJson, type JsonObject } from '../config/files.ts';
import { describeValue, jsonIn } from '../http/json-shape.ts';
import { errorsIn, failuresIn, remarksIn } from '../http/reported-failure.ts';
import { locateJsonFault, type JsonFault } from '../rows/json-fault.ts';

/** Where the text of a page is broken, in words; whether it only lacks its end, and whether it is a whole page with other text around it. */
export type PageFault = Readonly<{ words: string; isCut: boolean; isWrapped: boolean }>;

/**
 * Describes where the body of a page is not valid UTF-8 or JSON: the byte (from 0), the row and the token. For example `not valid
 * JSON at byte 61,204, in row 300 (items[299]): "NaN", expected a value`; null if it is valid, or no
 * JSON from its first byte on.
 */
export function describePageFault(body: Buffer): PageFault | null {
  const text = body.toString('utf8').replace(/^\ufeff/, '');
  const skipped = body.length > 2 && body.toString('utf8', 0, 3) === '\ufeff' ? 3 : 0;
  const place = ({ at, row }: Pick<JsonFault, 'at' | 'row'>): string => {
    return `at byte ${skipped + Buffer.byteLength(text.slice(0, at))}${row === null ? '' : `, in row ${row + 1} (items[${row}])`}`;
  };
  if (!isUtf8(body)) {
    const at = invalidCharacter(body, text, skipped);
    const before = text.slice(0, at);
    const end = locateJsonFault(before, MAX_DEPTH);
    // rows cannot be counted behind another fault
    const row = end !== null && describeToken(before, end).isCut ? end.row : null;
    return {
      words: `not valid UTF-8 ${place({ at, row })}`,
      isCut: at === text.length - 1,
      isWrapped: false,
    };
  }
  const fault = locateJsonFault(text, MAX_DEPTH);
  if (fault === null) return null;
  if (fault.at === 0) return wrapped(text);
  const { words, isCut } = describeToken(text, fault);
  const isWrapped = fault.problem === AFTER_END;
  return { words: `not valid JSON ${place(fault)}: ${words}`, isCut, isWrapped };
}

const AFTER_END = 'expected the end of the file';

/**
 * The fault of JSON with rows that other text precedes, such as a warning of PHP, or surrounds, such as the call of a function; null for a
 * text without such JSON, as HTML or the message of a gateway.
 */
function wrapped(text: string): PageFault | null {
  const start = text.search(/\{\s*"|\[\s*\{\s*"/);
  if (start === -1) return null;
  const inner = text.slice(start);
  const fault = locateJsonFault(inner, MAX_DEPTH);
  if (fault !== null && (fault.problem !== AFTER_END || inner.includes('<', fault.at))) return null;
  const json = inner.slice(0, fault?.at);
  if (json.length > MAX_PARSED || !hasRows(parsedJson(json), 2)) return null;
  const from = Buffer.byteLength(text.slice(0, start));
  const upTo = `preceded by other text, up to byte ${from}`;
  const after = `, and followed by other text from byte ${from + Buffer.byteLength(json)} on`;
  return { words: fault === null ? upTo : upTo + after, isCut: false, isWrapped: true };
}

/** The token at a fault, and what is wrong there. */
function describeToken(text: string, { at, problem }: JsonFault): Omit<PageFault, 'isWrapped'> {
  if (text[at] === '"' && !problem.startsWith('expected')) {
    const isCut = endOfString(text, at + 1) === text.length;
    return { words: isCut ? 'the text ends in this string' : 'an invalid string', isCut };
  }
  const [token = ''] = TOKEN.exec(text.slice(at, at + MAX_TOKEN)) ?? [];
  const isEnd = at + token.length === text.length;
  const found = token === '' ? 'the text ends' : `"${token}"`;
  return {
    words: `${found}, ${problem.replace('the file', 'the text')}`,
    isCut: isEnd && problem !== AFTER_END,
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

/** The index of the quote that ends a string, or of the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === '"') return at;
    if (text[at] === '\\') at++;
  }
  return text.length;
}

const MAX_PARSED = 16 * 1024 * 1024; // bytes of a body

/**
 * Describes a JSON body that is not a page because it has another shape, such as `an object with "data" (an array of 40 objects) and
 * "totalPages"`, and whether there are rows in it. Null if it is a page, reports a failure, is no JSON, or contains nothing that could
 * be rows or fields.
 */
export function describeShape(body: Buffer): Shape | null {
  // values take many times the memory of their text
  const value =
    body.length > MAX_PARSED ? undefined : parsedJson(body.toString('utf8').replace(/^\ufeff/, ''));
  // services that serialize a page twice do so each time
  const isText = typeof value === 'string';
  const content = isText ? jsonIn(value) : value;
  if (Array.isArray(content)) return shapeOf(value);
  if (!isObject(content) || Object.keys(content).length === 0) return null;
  const { items, metadata } = content;
  const hasItems = Array.isArray(items) || items === null;
  const isPage = !isText && hasItems && isObject(metadata) && isObject(metadata['pagination']);
  return isPage || reportsFailure(content) ? null : shapeOf(value);
}

type Shape = Readonly<{ words: string; hasRows: boolean }>;

function shapeOf(value: unknown): Shape {
  return { words: describeValue(value), hasRows: hasRows(value, 2) };
}

/** True if there are objects in an array, down to a depth, or what a page has beside its rows. */
function hasRows(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return hasRows(jsonIn(value), depth);
  if (Array.isArray(value)) return value.some(isObject);
  if (!isObject(value)) return false;
  const { metadata } = value;
  if (isObject(metadata) && isObject(metadata['pagination'])) return true;
  return depth > 0 && Object.values(value).some((member) => hasRows(member, depth - 1));
}

/** True for a failure, which may pass. Rows may come with a message such as "OK"; a failure comes without. */
function reportsFailure(value: JsonObject): boolean {
  if (errorsIn(value).length > 0 || failuresIn(value).length > 0) return true;
  const hasArray = Object.values(value).some(
    (one) => Array.isArray(one) || (isObject(one) && hasArrayIn(one)),
  );
  return !hasArray && remarksIn(value).length > 0;
}

const hasArrayIn = (value: JsonObject): boolean => Object.values(value).some(Array.isArray);
