const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
/** From an opening brace or bracket to the closing one. */
const TO_CLOSE = 2;
const HEX = /^[\da-fA-F]{4}$/;
/** What may stand behind a backslash, `u` aside. */
const ESCAPES = new Set(Buffer.from('"\\/bfnrt'));

/** Given instead of a place where the text is not valid JSON. */
export const INVALID = -1;

/*
 * A reader of JSON as strict as JSON.parse that makes nothing of what it reads: each function takes the place where
 * something starts and gives the place behind it. Bytes beyond the end read as undefined, which is valid nowhere.
 * Whether the bytes are valid UTF-8 is not looked at: `isUtf8` proves that faster.
 */

/** Skips white space, if there is any. */
export function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  let byte = bytes[at] as number;
  while (byte <= SPACE && (byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09))
    byte = bytes[++at] as number;
  return at;
}

/** Skips one value of any kind, however deep; INVALID if it is none. */
export function skipValue(bytes: Buffer, from: number): number {
  const first = bytes[from];
  if (first === QUOTE) return skipString(bytes, from);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipNested(bytes, from);
  return skipScalar(bytes, from);
}

/** Skips the name of a member and the colon: from its opening quote to its value. */
export function skipName(bytes: Buffer, from: number): number {
  if (bytes[from] !== QUOTE) return INVALID;
  const end = skipString(bytes, from);
  if (end === INVALID) return INVALID;
  const colon = skipSpace(bytes, end);
  return bytes[colon] === COLON ? skipSpace(bytes, colon + 1) : INVALID;
}

function skipString(bytes: Buffer, from: number): number {
  let at = from + 1;
  for (;;) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) {
      at = skipEscape(bytes, at + 1);
      if (at === INVALID) return INVALID;
    } else if (byte >= SPACE) at++;
    else return INVALID;
  }
}

function skipEscape(bytes: Buffer, from: number): number {
  const byte = bytes[from] as number;
  if (byte !== 0x75) return ESCAPES.has(byte) ? from + 1 : INVALID;
  return HEX.test(bytes.toString('latin1', from + 1, from + 5)) ? from + 5 : INVALID;
}

/** The closing brackets of what is open; one at a time is in use, since nothing here waits. */
let closing = new Uint8Array(64);

function skipNested(bytes: Buffer, from: number): number {
  let at = from;
  let depth = 0;
  for (;;) {
    // here a value starts
    const byte = bytes[at] as number;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (depth === closing.length) closing = doubled(closing);
      closing[depth++] = byte + TO_CLOSE;
      at = skipSpace(bytes, at + 1);
      if (bytes[at] !== byte + TO_CLOSE) {
        if (byte === OPEN_BRACE) at = skipName(bytes, at);
        if (at === INVALID) return INVALID;
        continue;
      }
    } else {
      at = byte === QUOTE ? skipString(bytes, at) : skipScalar(bytes, at);
      if (at === INVALID) return INVALID;
      at = skipSpace(bytes, at);
    }
    // here one has ended, or an empty one is about to
    while (bytes[at] === closing[depth - 1]) {
      if (--depth === 0) return at + 1;
      at = skipSpace(bytes, at + 1);
    }
    if (bytes[at] !== COMMA) return INVALID;
    at = skipSpace(bytes, at + 1);
    if (closing[depth - 1] === CLOSE_BRACE) at = skipName(bytes, at);
    if (at === INVALID) return INVALID;
  }
}

function doubled(table: Uint8Array): Uint8Array<ArrayBuffer> {
  const wider = new Uint8Array(table.length * 2);
  wider.set(table);
  return wider;
}

function skipScalar(bytes: Buffer, from: number): number {
  const byte = bytes[from] as number;
  if (byte === 0x74) return skipWord(bytes, from, 'true');
  if (byte === 0x66) return skipWord(bytes, from, 'false');
  if (byte === 0x6e) return skipWord(bytes, from, 'null');
  const whole = byte === MINUS ? from + 1 : from;
  let at = bytes[whole] === ZERO ? whole + 1 : skipDigits(bytes, whole);
  if (at !== INVALID && bytes[at] === 0x2e) at = skipDigits(bytes, at + 1);
  if (at === INVALID || ((bytes[at] as number) | 0x20) !== 0x65) return at;
  const sign = bytes[at + 1];
  return skipDigits(bytes, sign === MINUS || sign === 0x2b ? at + 2 : at + 1);
}

/** At least one digit. */
function skipDigits(bytes: Buffer, from: number): number {
  let at = from;
  while ((bytes[at] as number) >= ZERO && (bytes[at] as number) <= NINE) at++;
  return at > from ? at : INVALID;
}

function skipWord(bytes: Buffer, from: number, word: string): number {
  for (let index = 0; index < word.length; index++)
    if (bytes[from + index] !== word.charCodeAt(index)) return INVALID;
  return from + word.length;
}
