import { bytesIn, readingsOf } from './escapes.ts';

/** What stands in the place of a secret. */
export const MASK = '******';
const MIN_CHARS = 4; // of a secret: masking a shorter one would mask ordinary words
const MIN_BASE64 = 6; // of a piece of base64, which could also be an ordinary word
const MAX_CHARS = 65_536; // of a text: the rest is cut off
const MIN_ANY_CASE = 8; // of a part of a secret: a shorter one in other letters could be an ordinary word
/** A form of a secret is masked where this many of its consecutive characters, or all of them, appear. */
const MIN_MASKED = { plain: 8, base64: 10, hex: 16 };

export type Redactor = Readonly<ReturnType<typeof createRedactor>>;

/**
 * Masks secrets in messages, also in base64 or as bytes, each of these as it is or escaped (see `readingsOf`), and in capital or small
 * letters. Eight consecutive characters of a secret are never readable, even if it is truncated.
 */
export function createRedactor() {
  const parts = new Map<number, Set<string>>(); // of the forms of all secrets, by their length
  const exposed: string[] = [];
  const add = (form: string, minMasked: number): void => {
    if (form.length < MIN_CHARS) return;
    const length = Math.min(form.length, minMasked);
    const known = parts.get(length) ?? new Set();
    parts.set(length, known);
    const sought = length < MIN_ANY_CASE ? blanked(form) : inSmallLetters(blanked(form));
    for (let at = 0; at + length <= form.length; at++) known.add(sought.slice(at, at + length));
  };
  return {
    /** Masks this text from now on. */
    hide: (secret: string): void => {
      if (secret.length < MIN_CHARS) return;
      const bytes = Buffer.from(secret);
      // UTF-8 cannot encode unpaired surrogates, which JSON escapes can introduce
      for (const plain of [secret, bytes.toString()]) add(plain, MIN_MASKED.plain);
      // a secret that is written with escapes, as in a URL, may come back without them
      for (const { decoded } of readingsOf(secret)) add(decoded, MIN_MASKED.plain);
      const pieces = [0, 1, 2].flatMap((before) => base64Within(bytes, before));
      for (const piece of pieces) if (piece.length >= MIN_BASE64) add(piece, MIN_MASKED.base64);
      add(bytes.toString('hex'), MIN_MASKED.hex);
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
  const readings = readingsOf(text);
  // as they are, and within the innermost of all escapes
  const bytes = [...new Set([readings[0], readings.at(-1)])].flatMap((reading) =>
    reading ? bytesIn(reading) : [],
  );
  for (const { decoded, starts, ends } of [...readings, ...bytes]) {
    const [exact, small] = [blanked(decoded), inSmallLetters(blanked(decoded))];
    for (const [length, known] of parts) {
      const searched = length < MIN_ANY_CASE ? exact : small;
      for (let at = 0; at + length <= searched.length; at++) {
        if (!known.has(searched.slice(at, at + length))) continue;
        const [start = 0, end = 0] = [starts[at], ends[at + length - 1]];
        const isExposed = open[start] === 1 && open[end - 1] === 1;
        if (!isExposed) hidden.fill(1, start, end);
      }
    }
  }
  return hidden;
}

/** In a form, a `+` is a blank. */
const blanked = (text: string): string => text.replaceAll('+', ' ');

/** The text with each letter in its place. */
function inSmallLetters(text: string): string {
  const small = text.toLowerCase();
  // the small letter of `İ` is two
  return small.length === text.length
    ? small
    : text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
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
