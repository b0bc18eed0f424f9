const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const COMMA = 0x2c;
const COLON = 0x3a;
const MOST_ASCII = 0x7f;

/** Numbers that a page's table has of each member. */
export const MEMBER = 3;

/** What the scanner has seen of a value, so that few values need a second look. */
export const ValueKind = {
  null: 0,
  text: 1, // any other text
  escapedText: 2, // written with escapes
  unrealTime: 3, // a date with hours and minutes that does not exist
  otherTime: 4, // a time in another zone, finer than a microsecond, or without seconds
  localTime: 5, // a `utcTime` but for the zone, which is absent
  utcTime: 6, // RFC 3339 in UTC, to the microsecond
  boolean: 7,
  integer: 8, // written without fraction and exponent, and within 64 bits
  largeInteger: 9, // the same beyond 64 bits, below 1e29
  decimal: 10, // any other number that survives as a double, and as a decimal with nine digits behind the point
  double: 11, // that survives as a double only
  longNumber: 12, // below 1e29, with more digits than a double keeps
  otherNumber: 13,
  object: 14,
  array: 15,
  objectWithLong: 16, // with a `longNumber` inside
  arrayWithLong: 17,
  objectWithOther: 18, // with an `otherNumber` inside that has a fraction or exponent, and no `longNumber`
  arrayWithOther: 19,
} as const;

/** The kind that is noted of a member is this or more if half of a surrogate pair (`\ud83d` alone) is in its name or value. */
export const FIRST_WITH_HALF = 32;

/** One item of a page: a view on its bytes, so that it leaves exactly as the API sent it; parsed only where it must be. */
export interface Row {
  /** The bytes of the whole page, valid UTF-8 and valid JSON; those of the item's text go from `start` to before `end`. */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /**
   * `MEMBER` numbers for each member of the page's items: where in `bytes` the opening quote of its name stands, where the
   * first byte of its value, and the value's `ValueKind`, with more added for half of a pair (`FIRST_WITH_HALF`).
   */
  readonly places: Uint32Array;
  /** The first of `places` that belongs to this item's own members, and the first behind them. */
  readonly firstPlace: number;
  readonly endPlace: number;
  /** Number of an item of the page: from that one up to this one all are named alike, in the same order. */
  readonly alikeSince: number;
}

/** The bytes of the item's text exactly as it was received: a view, not a copy. */
export function rowBytes(row: Row): Buffer {
  return row.bytes.subarray(row.start, row.end);
}

/** True if two items are written alike, byte for byte. */
export function haveSameText(one: Row, other: Row): boolean {
  return one.bytes.compare(other.bytes, other.start, other.end, one.start, one.end) === 0;
}

/** The item as JSON.parse reads it: never the source of what is emitted. */
export function rowValue(row: Row): Record<string, unknown> {
  return JSON.parse(rowBytes(row).toString()) as Record<string, unknown>;
}

/**
 * JSON objects with all members of an item, in its order: one, or where the item is larger than `maxBytes` several of about so
 * many bytes. A larger value is replaced by an empty one of its kind.
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
      // a name that is as large is no name that a schema could hold
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

/** A text or a number, to its last digit; undefined for anything else. */
export type Scalar = ReturnType<typeof scalarAt>;

/** An own member, if it is a text or a number; of two with one name the last, as in JSON.parse. */
export function scalarMember(row: Row, name: string): Scalar {
  const at = placeOf(row, name);
  return at < row.firstPlace ? undefined : scalarAt(row, at);
}

/** The first `max` members by name, each as `scalarMember` has it. */
export function scalarMembers(row: Row, max: number): ReadonlyMap<string, Scalar> {
  const members = new Map<string, Scalar>();
  const end = Math.min(row.endPlace, row.firstPlace + max * MEMBER);
  for (let at = row.firstPlace; at < end; at += MEMBER) members.set(memberName(row, at), scalarAt(row, at));
  return members;
}

function scalarAt(row: Row, at: number) {
  const kind = (row.places[at + 2] ?? 0) % FIRST_WITH_HALF;
  if (kind >= ValueKind.text && kind <= ValueKind.utcTime)
    return { kind: 'text' as const, text: unquoted(valueText(row, at)) };
  const isNumber = kind >= ValueKind.integer && kind <= ValueKind.otherNumber;
  return isNumber ? { kind: 'number' as const, text: valueText(row, at) } : undefined;
}

/** Where a member was found last, from the first place of its item on: in items that are named alike it is there too. */
let lastFound = { places: new Uint32Array() as Uint32Array, alikeSince: -1, name: '', index: 0 };

/** Where a member is among the item's `places`; before the first of them if there is none of this name. */
function placeOf({ bytes, places, firstPlace, endPlace, alikeSince }: Row, name: string): number {
  if (lastFound.places !== places || lastFound.alikeSince !== alikeSince || lastFound.name !== name) {
    let at = endPlace - MEMBER;
    while (at >= firstPlace && !isNamed(bytes, places[at] ?? 0, places[at + 1] ?? 0, name)) at -= MEMBER;
    lastFound = { places, alikeSince, name, index: at - firstPlace };
  }
  return firstPlace + lastFound.index;
}

/** The name of the member at one of the item's `places`. */
export function memberName({ bytes, places }: Row, at: number): string {
  return unquoted(textBetween(bytes, places[at] ?? 0, places[at + 1] ?? 0));
}

/** True only if the name of that member is written like this, quotes included. */
export function isNameWritten({ bytes, places }: Row, at: number, name: Buffer): boolean {
  const start = places[at] ?? 0;
  for (let index = 0; index < name.length; index++) if (bytes[start + index] !== name[index]) return false;
  return true;
}

/** The text of the value of the member at one of the item's `places`. */
export function valueText({ bytes, places, endPlace, end }: Row, at: number): string {
  const next = at + MEMBER < endPlace ? places[at + MEMBER] : end - 1;
  return textBetween(bytes, places[at + 1] ?? 0, next ?? 0);
}

/** A name or value that starts at a place: before the next one, or the brace, are white space, and a colon or a comma. */
function textBetween(bytes: Buffer, start: number, next: number): string {
  for (let end = next; ; end--) {
    const byte = bytes[end - 1] ?? QUOTE;
    if (byte > SPACE && byte !== COLON && byte !== COMMA) return bytes.toString('utf8', start, end);
  }
}

function unquoted(json: string): string {
  return json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1);
}

/** True if the member whose name and value start there has this name, however it is written. */
export function isNamed(bytes: Buffer, quote: number, value: number, name: string): boolean {
  let at = quote + 1;
  for (let index = 0; index < name.length; index++, at++) {
    const code = name.charCodeAt(index);
    if (bytes[at] === BACKSLASH || code > MOST_ASCII)
      return unquoted(textBetween(bytes, quote, value)) === name;
    if (bytes[at] !== code) return false;
  }
  return bytes[at] === QUOTE;
}
