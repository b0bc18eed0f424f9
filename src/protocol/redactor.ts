/** What stands in the place of a secret. */
export const MASK = '******';
const MIN_CHARS = 4; // of a secret: masking a shorter one would mask ordinary words
const MIN_BASE64 = 6; // of a piece of base64, which could also be an ordinary word
const MAX_CHARS = 65_536; // of a text: the rest is cut off
const BEGINNING = 3; // characters that are compared first: they rule out most places
/** A form of a secret is masked where this many of its consecutive characters, or all of them, appear. */
const MIN_MASKED = { plain: 8, base64: 10, hex: 16 };

export type Redactor = Readonly<ReturnType<typeof createRedactor>>;

/** What is masked, and what is not. */
interface Secrets {
  /** The forms of all secrets, joined, by the number of consecutive characters from which they are masked. */
  readonly forms: Map<number, string>;
  readonly beginnings: Set<string>; // of all parts of forms
  readonly exposed: string[];
}

/**
 * Masks secrets in messages, even if they are escaped (see `decode`), encoded in base64 or hexadecimal, or truncated: eight
 * consecutive characters of a secret are never readable.
 */
export function createRedactor() {
  const secrets: Secrets = { forms: new Map(), beginnings: new Set(), exposed: [] };
  const { forms, beginnings, exposed } = secrets;
  const add = (form: string, minMasked: number): void => {
    const count = Math.min(form.length, minMasked);
    const known = forms.get(count) ?? '';
    if (known.includes(form)) return;
    forms.set(count, `${known}\0\0${form}`);
    for (let at = 0; at < form.length; at++)
      for (let length = 1; length <= BEGINNING; length++) beginnings.add(form.slice(at, at + length));
  };
  return {
    /** Masks this text from now on. */
    hide: (secret: string): void => {
      if (secret.length < MIN_CHARS) return;
      // UTF-8 cannot encode unpaired surrogates, which JSON escapes can introduce
      const text = Buffer.from(secret).toString();
      for (const plain of [secret, text]) add(plain, MIN_MASKED.plain);
      for (const written of [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)]) {
        const bytes = Buffer.from(written);
        const pieces = [0, 1, 2].flatMap((before) => base64Within(bytes, before));
        for (const piece of pieces) if (piece.length >= MIN_BASE64) add(piece, MIN_MASKED.base64);
        add(bytes.toString('hex'), MIN_MASKED.hex);
        add(bytes.toString('hex').toUpperCase(), MIN_MASKED.hex);
      }
    },
    /** Never masks this text, such as a user name, although it may share parts with a secret. */
    expose: (text: string): void => {
      if (text !== '') exposed.push(text);
    },
    /** Returns the text with all secrets masked, and truncated if it is longer than any message needs. */
    redact: (text: string): string => {
      if (forms.size === 0) return text;
      const shown = text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
      return masked(shown, findSecrets(shown, secrets));
    },
  };
}

/** Returns 1 for each index of a text where a part of a secret is, otherwise 0. */
function findSecrets(text: string, { forms, beginnings, exposed }: Secrets): Uint8Array {
  const hidden = new Uint8Array(text.length);
  const open = new Uint8Array(text.length);
  for (const each of exposed)
    for (let at = text.indexOf(each); at !== -1; at = text.indexOf(each, at + each.length))
      open.fill(1, at, at + each.length);
  const stepsAt = decode(text);
  const mayStart = (at: number): boolean =>
    [at, at + 1, at + 2].some((each) => stepsAt(each).length > 1) ||
    beginnings.has(text.slice(at, at + BEGINNING));
  const starts = Array.from(hidden.keys()).filter(mayStart);
  for (const [count, form] of forms) {
    const isSecret = (read: string): boolean =>
      beginnings.has(read.slice(0, BEGINNING)) && (read.length <= BEGINNING || form.includes(read));
    /** Returns the index after `count` characters of a secret, of which `read` precede `at`; 0 if there are none. */
    const endOf = (at: number, read: string): number => {
      if (read.length >= count) return at;
      const longer = stepsAt(at).filter((step) => isSecret(read + step.text));
      return Math.max(0, ...longer.map((step) => endOf(step.to, read + step.text)));
    };
    for (const start of starts) {
      const end = endOf(start, '');
      const isExposed = open[start] === 1 && open[end - 1] === 1;
      if (!isExposed) hidden.fill(1, start, end);
    }
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

/** One way to read the next character of a text, raw or decoded, and the index after it. */
type Step = Readonly<{ to: number; text: string }>;
/** What follows the first character of an escape, as keys of `CLASSES` or literally, and the meaning of the escape. */
type Rule = readonly [pattern: string, meaning: (word: string) => string];

const MAX_STEPS = 24; // from one index
const MAX_SPAN = 500; // characters of one step: four bytes of UTF-8, escaped for a URL and then twice for JSON
const CLASSES: Readonly<Record<string, RegExp>> = {
  H: /^[\da-f]$/i,
  D: /^\d$/,
  C: /^[cd]$/i,
  E: /^e$/i,
  F: /^f$/i,
  8: /^[89ab]$/i,
  X: /^x$/i,
};

const codePoint = (point: number): string => String.fromCodePoint(point <= 0x10ffff ? point : 0xfffd);
const fromHex = (word: string): string => codePoint(Number.parseInt(word.replaceAll(/[^\da-f]/gi, ''), 16));
const fromDecimal = (word: string): string => codePoint(Number.parseInt(word.slice(1), 10));
const fromUtf8 = (word: string): string => Buffer.from(word.replaceAll('%', ''), 'hex').toString();
const literals = (meanings: Readonly<Record<string, string>>): Rule[] =>
  Object.entries(meanings).map(([word, meaning]) => [word, () => meaning]);
/** Patterns of one to `max` digits. */
const numeric = (max: number, start: string, digit: string, meaning: Rule[1]): Rule[] =>
  Array.from({ length: max }, (_, index) => [`${start}${digit.repeat(index + 1)};`, meaning]);

/** What may follow each character that begins an escape. */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  '+': literals({ '': ' ' }),
  '\\': [
    ...literals({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '\\': '\\', '/': '/', '"': '"', "'": "'" }),
    ['uHHHH', fromHex],
    ['xHH', fromHex],
  ],
  '%': [
    ['HH', fromHex],
    ['CH%8H', fromUtf8],
    ['EH%8H%8H', fromUtf8],
    ['FH%8H%8H%8H', fromUtf8],
  ],
  '&': [
    ...literals({ 'amp;': '&', 'lt;': '<', 'gt;': '>', 'quot;': '"', 'apos;': "'" }),
    ...numeric(7, '#', 'D', fromDecimal),
    ...numeric(6, '#X', 'H', fromHex),
  ],
};

/**
 * Finds all ways to read a text that may contain escapes of JSON, URLs, forms and HTML, nested in any order. Returns a function
 * that lists the steps from an index: first the raw character, and none at the end of the text.
 */
function decode(text: string) {
  const escapes: (readonly Step[] | undefined)[] = [];
  const rawAt = (at: number): Step[] => (at < text.length ? [{ to: at + 1, text: text.charAt(at) }] : []);
  const stepsAt = (at: number): readonly Step[] => escapes[at] ?? rawAt(at);
  /** Yields the words that can be read from an index and match a pattern. */
  function* words(at: number, pattern: string): Generator<Step> {
    if (pattern === '') yield { to: at, text: '' };
    const wanted = pattern.charAt(0);
    for (const { to, text: sign } of pattern === '' ? [] : stepsAt(at))
      if (CLASSES[wanted]?.test(sign) ?? sign === wanted)
        for (const rest of words(to, pattern.slice(1))) yield { to: rest.to, text: sign + rest.text };
  }
  for (let at = text.length - 1; at >= 0; at--) {
    if (RULES[text.charAt(at)] === undefined) continue;
    const steps = rawAt(at);
    // a decoded character may begin another escape
    for (const { to: after, text: sign } of steps)
      for (const [pattern, meaning] of RULES[sign] ?? [])
        for (const { to, text: word } of words(after, pattern)) {
          const meant = meaning(word);
          const isNew = steps.every((known) => known.to !== to || known.text !== meant);
          if (isNew && steps.length < MAX_STEPS && to - at <= MAX_SPAN) steps.push({ to, text: meant });
        }
    if (steps.length > 1) escapes[at] = steps;
  }
  return stepsAt;
}
