/** What stands in the place of a secret. */
export const MASK = '******';
const MIN_CHARS = 4; // of a secret: masking a shorter one would mask ordinary words
const MIN_BASE64 = 6; // of a piece of base64, which could also be an ordinary word
const MAX_CHARS = 65_536; // of a text: the rest is cut off
/** A form of a secret is masked where this many of its consecutive characters, or all of them, appear. */
const MIN_MASKED = { plain: 8, base64: 10, hex: 16 };

export type Redactor = Readonly<ReturnType<typeof createRedactor>>;

/**
 * Masks secrets in messages, also in base64 or hexadecimal, and each of these as it is, escaped for JSON (once or more), or encoded for a URL. Eight
 * consecutive characters of a secret are never readable, even if it is truncated.
 */
export function createRedactor() {
  const parts = new Map<number, Set<string>>(); // of the forms of all secrets, by their length
  const exposed: string[] = [];
  const add = (form: string, minMasked: number): void => {
    const length = Math.min(form.length, minMasked);
    const known = parts.get(length) ?? new Set();
    parts.set(length, known);
    for (let at = 0; at + length <= form.length; at++) known.add(form.slice(at, at + length));
  };
  return {
    /** Masks this text from now on. */
    hide: (secret: string): void => {
      if (secret.length < MIN_CHARS) return;
      const bytes = Buffer.from(secret);
      // UTF-8 cannot encode unpaired surrogates, which JSON escapes can introduce
      for (const plain of [secret, bytes.toString()]) add(plain, MIN_MASKED.plain);
      const pieces = [0, 1, 2].flatMap((before) => base64Within(bytes, before));
      for (const piece of pieces) if (piece.length >= MIN_BASE64) add(piece, MIN_MASKED.base64);
      add(bytes.toString('hex'), MIN_MASKED.hex);
      add(bytes.toString('hex').toUpperCase(), MIN_MASKED.hex);
    },
    /** Never masks this text, such as a user name, although it may share parts with a secret. */
    expose: (text: string): void => {
      if (text !== '') exposed.push(text);
    },
    /** Returns the text with all secrets masked, and truncated if it is longer than any message needs. */
    redact: (text: string): string => {
      if (parts.size === 0) return text;
      const shown = text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
      return masked(shown, findSecrets(shown, parts, exposed));
    },
  };
}

/** Returns 1 for each index of a text where a part of a secret is, otherwise 0. */
function findSecrets(
  text: string,
  parts: ReadonlyMap<number, ReadonlySet<string>>,
  exposed: readonly string[],
): Uint8Array {
  const hidden = new Uint8Array(text.length);
  const open = new Uint8Array(text.length);
  for (const each of exposed)
    for (let at = text.indexOf(each); at !== -1; at = text.indexOf(each, at + each.length))
      open.fill(1, at, at + each.length);
  for (const { decoded, starts, ends } of readingsOf(text))
    for (const [length, known] of parts)
      for (let at = 0; at + length <= decoded.length; at++) {
        if (!known.has(decoded.slice(at, at + length))) continue;
        const [start = 0, end = 0] = [starts[at], ends[at + length - 1]];
        const isExposed = open[start] === 1 && open[end - 1] === 1;
        if (!isExposed) hidden.fill(1, start, end);
      }
  return hidden;
}

/** Returns the text with one mask for each run of hidden characters. */
function masked(text: string, hidden: Uint8Array): string {
  return Array.from(hidden, (isHidden, at) => {
    if (isHidden === 0) return text.charAt(at);
    return hidden[at - 1] === 1 ? '' : MASK;
  }).join('');
}

/** Returns the base64 texts that depend only on a secret, after `before` other bytes, as in `Basic` credentials. */
function base64Within(secret: Buffer, before: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(before), secret]);
  const [start, end] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
  const texts = (['base64', 'base64url'] as const).map((alphabet) => bytes.toString(alphabet));
  return [...(before === 0 ? texts : []), ...texts.map((text) => text.slice(start, end))];
}

/** A text after decoding, with the index in the text at which each character (UTF-16 unit) begins, and the one after it. */
interface Reading {
  readonly decoded: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

const NO_ESCAPE = /(?!)/g;
const JSON_ESCAPE = /\\(?:u[\da-fA-F]{4}|["\\/bfnrt])/g;
/** A character of UTF-8 in a URL. */
const OCTETS =
  /%[0-7][\da-f]|%[cd][\da-f]%[\da-f]{2}|%e[\da-f](?:%[\da-f]{2}){2}|%f[\da-f](?:%[\da-f]{2}){3}/gi;
const OCTETS_OR_BLANK = new RegExp(`${OCTETS.source}|\\+`, 'gi');

const unescaped = (word: string): string => String(JSON.parse(`"${word}"`));
const fromOctets = (word: string): string =>
  word === '+' ? ' ' : Buffer.from(word.replaceAll('%', ''), 'hex').toString();

/** Returns a text as it is, and what it means in JSON, also if that is quoted in JSON again, in a URL and in a form. */
function readingsOf(text: string): readonly Reading[] {
  const readings = [read(text, OCTETS, fromOctets), read(text, OCTETS_OR_BLANK, fromOctets)];
  let reading = read(text, NO_ESCAPE, String);
  for (let length = Infinity; reading.decoded.length < length; reading = unescapedOnce(reading)) {
    readings.push(reading);
    length = reading.decoded.length;
  }
  return readings;
}

function unescapedOnce({ decoded, starts, ends }: Reading): Reading {
  const inner = read(decoded, JSON_ESCAPE, unescaped);
  return {
    decoded: inner.decoded,
    starts: inner.starts.map((at) => starts[at] ?? 0),
    ends: inner.ends.map((end) => ends[end - 1] ?? 0),
  };
}

function read(text: string, escape: RegExp, meaning: (word: string) => string): Reading {
  const starts: number[] = [];
  const ends: number[] = [];
  let decoded = '';
  const add = (characters: string, start: number, end: number): void => {
    decoded += characters;
    for (let unit = 0; unit < characters.length; unit++) {
      starts.push(start);
      ends.push(end);
    }
  };
  let done = 0;
  const addPlain = (end: number): void => {
    for (; done < end; done++) add(text.charAt(done), done, done + 1);
  };
  for (const { 0: word, index } of text.matchAll(escape)) {
    addPlain(index);
    done = index + word.length;
    add(meaning(word), index, done);
  }
  addPlain(text.length);
  return { decoded, starts, ends };
}
