import { FIRST_WITH_SURROGATE, ValueKind } from './value-kind.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const COMMA = 0x2c;
const COLON = 0x3a;
const MAX_ASCII = 0x7f;

/** Numbers per member in a page's table. */
export const MEMBER = 3;

/** A row of a page: a view of its bytes, so that it is emitted exactly as received and parsed only if necessary. */
export interface Row {
  /** The whole page, valid UTF-8 and JSON; the row is `[start, end)`. */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /**
   * `MEMBER` numbers for each member of the page's rows: the positions of its name's opening quote and of its value in
   * `bytes`, and the value's `ValueKind`, plus `FIRST_WITH_SURROGATE` for an unpaired surrogate.
   */
  readonly places: Uint32Array;
  /** The members of this row are `[firstPlace, endPlace)` in `places`. */
  readonly firstPlace: number;
  readonly endPlace: number;
  /** The index of the first row of a run of rows with the same names in the same order. */
  readonly alikeSince: number;
}

/** The row exactly as it was received: a view, not a copy. */
export function rowBytes(row: Row): Buffer {
  return row.bytes.subarray(row.start, row.end);
}

/** True if two rows are equal byte for byte. */
export function haveSameText(one: Row, other: Row): boolean {
  return one.bytes.compare(other.bytes, other.start, other.end, one.start, one.end) === 0;
}

/**
 * Yields JSON objects with all members of a row in order: one object, or several of about `maxBytes` if the row is larger. A value
 * that is too large by itself is replaced by an empty value of its type.
 */
export function* partsOf(row: Row, maxBytes: number): Generator<string> {
  const { bytes, places, firstPlace, endPlace, start, end } = row;
  if (end - start <= maxBytes) yield rowBytes(row).toString();
  else {
    let part: string[] = [];
    let size = 0;
    for (let at = firstPlace; at < endPlace; at += MEMBER) {
      const [name = 0, value = 0] = [places[at], places[at + 1]];
      const next = at + MEMBER < endPlace ? (places[at + MEMBER] ?? end) : end;
      const isLarge = next - value > maxBytes;
      const text = isLarge ? (EMPTY[String.fromCharCode(bytes[value] ?? 0)] ?? '1e99') : valueText(row, at);
      // no schema can contain such a long name
      if (value - name <= maxBytes) part.push(`${textBetween(bytes, name, value)}:${text}`);
      size += isLarge ? 0 : next - name;
      if (size < maxBytes && next < end) continue;
      yield `{${part.join(',')}}`;
      part = [];
      size = 0;
    }
  }
}

const EMPTY: Readonly<Record<string, string>> = { '"': '""', '[': '[]', '{': '{}' };

/** A string, or a number with all its digits; undefined for any other value. */
export type Scalar = ReturnType<typeof scalarAt>;

/** A member that is a string or a number; the last one of duplicates, as in JSON.parse. */
export function scalarMember(row: Row, name: string): Scalar {
  const at = placeOf(row, name);
  return at < row.firstPlace ? undefined : scalarAt(row, at);
}

/** The JSON text of a member, whatever its kind; the last one of duplicates. Undefined if the row has none. */
export function memberText(row: Row, name: string): string | undefined {
  const at = placeOf(row, name);
  return at < row.firstPlace ? undefined : valueText(row, at);
}

/** The first `max` members, keyed by name; see `scalarMember`. */
export function scalarMembers(row: Row, max: number): ReadonlyMap<string, Scalar> {
  const members = new Map<string, Scalar>();
  const end = Math.min(row.endPlace, row.firstPlace + max * MEMBER);
  for (let at = row.firstPlace; at < end; at += MEMBER) members.set(memberName(row, at), scalarAt(row, at));
  return members;
}

function scalarAt(row: Row, at: number) {
  const kind = (row.places[at + 2] ?? 0) % FIRST_WITH_SURROGATE;
  if (kind >= ValueKind.text && kind <= ValueKind.utcTime) {
    const json = valueText(row, at);
    const text = kind === ValueKind.escapedText ? (JSON.parse(json) as string) : json.slice(1, -1);
    return { kind: 'text' as const, text };
  }
  const isNumber = kind >= ValueKind.integer && kind <= ValueKind.otherNumber;
  return isNumber ? { kind: 'number' as const, text: valueText(row, at) } : undefined;
}

/** The latest result of `placeOf`, relative to `firstPlace`; it is the same for all rows with the same names. */
let lastFound = { places: new Uint32Array() as Uint32Array, alikeSince: -1, name: '', index: 0 };

/** The index of a member in `places`; less than `firstPlace` if there is none. */
function placeOf({ bytes, places, firstPlace, endPlace, alikeSince }: Row, name: string): number {
  if (lastFound.places !== places || lastFound.alikeSince !== alikeSince || lastFound.name !== name) {
    let at = endPlace - MEMBER;
    while (at >= firstPlace && !isNamed(bytes, places[at] ?? 0, places[at + 1] ?? 0, name)) at -= MEMBER;
    lastFound = { places, alikeSince, name, index: at - firstPlace };
  }
  return firstPlace + lastFound.index;
}

/** The name of the member at an index in `places`. */
export function memberName({ bytes, places }: Row, at: number): string {
  return nameAt(bytes, places[at] ?? 0, places[at + 1] ?? 0);
}

/** The name of the member with a name and value at these positions. */
export function nameAt(bytes: Buffer, quote: number, value: number): string {
  return unquoted(textBetween(bytes, quote, value));
}

/** True if the name of that member equals these bytes, quotes included. */
export function isNameWritten({ bytes, places }: Row, at: number, name: Buffer): boolean {
  const start = places[at] ?? 0;
  for (let index = 0; index < name.length; index++) if (bytes[start + index] !== name[index]) return false;
  return true;
}

/** The JSON text of the value of the member at an index in `places`. */
export function valueText({ bytes, places, endPlace, end }: Row, at: number): string {
  const next = at + MEMBER < endPlace ? places[at + MEMBER] : end - 1;
  return textBetween(bytes, places[at + 1] ?? 0, next ?? 0);
}

/** The text of a name or value: drops whitespace and the colon or comma before the next position. */
function textBetween(bytes: Buffer, start: number, next: number): string {
  for (let end = next; ; end--) {
    const byte = bytes[end - 1] ?? QUOTE;
    if (byte > SPACE && byte !== COLON && byte !== COMMA) return bytes.toString('utf8', start, end);
  }
}

function unquoted(json: string): string {
  return json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1);
}

/** True if the member with a name and value at these positions has this name, escaped or not. */
export function isNamed(bytes: Buffer, quote: number, value: number, name: string): boolean {
  let at = quote + 1;
  for (let index = 0; index < name.length; index++, at++) {
    const code = name.charCodeAt(index);
    if (bytes[at] === BACKSLASH || code > MAX_ASCII) return nameAt(bytes, quote, value) === name;
    if (bytes[at] !== code) return false;
  }
  return bytes[at] === QUOTE;
}
