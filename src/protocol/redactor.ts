import { decodings } from './escapes.ts';

const MASK = '******';
/** Characters of a secret, and of its base64 and its hexadecimal digits, of which no more may be left in a row. */
const SHOWN = { plain: 8, base64: 10, hex: 16 };
const MIN_CHARS = 4; // of a secret, or it would mask ordinary words
const MIN_BASE64 = 6; // of a piece of base64, which may be an ordinary word too
/** Characters of a text that are looked at: what exceeds them is cut off. */
const MAX_CHARS = 65_536;
const BEGINNING = 3; // characters that tell most places apart from a part of a secret

export type Redactor = Readonly<ReturnType<typeof createRedactor>>;

/**
 * Keeps secrets out of messages, also behind the escapes that servers write (see `decodings`), in base64, in hexadecimal
 * digits, and cut anywhere: wherever eight consecutive characters of one could be read they are masked.
 */
export function createRedactor() {
  /** The forms of all secrets in one text, by how many of their consecutive characters are masked. */
  const forms = new Map<number, string>();
  const exposed: string[] = [];
  /** What any part of a form may begin with. */
  const beginnings = new Set<string>();
  const add = (form: string, shown: number): void => {
    const count = Math.min(form.length, shown);
    const known = forms.get(count) ?? '';
    if (known.includes(form)) return;
    forms.set(count, `${known}\0\0${form}`);
    for (let at = 0; at < form.length; at++)
      for (let length = 1; length <= BEGINNING; length++) beginnings.add(form.slice(at, at + length));
  };
  return {
    /** From now on this text is masked. */
    hide: (secret: string): void => {
      if (secret.length < MIN_CHARS) return;
      // half a surrogate pair, which a JSON escape can bring in, cannot stand in UTF-8
      const text = Buffer.from(secret).toString();
      for (const plain of [secret, text]) add(plain, SHOWN.plain);
      for (const written of [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)]) {
        const bytes = Buffer.from(written);
        for (const before of [0, 1, 2])
          for (const piece of base64Within(bytes, before))
            if (piece.length >= MIN_BASE64) add(piece, SHOWN.base64);
        add(bytes.toString('hex'), SHOWN.hex);
        add(bytes.toString('hex').toUpperCase(), SHOWN.hex);
      }
    },
    /** A text that is no secret, whatever it has in common with one, such as a user name. */
    expose: (text: string): void => {
      if (text !== '') exposed.push(text);
    },
    /** The text with every hidden one masked, cut to a length that no message needs. */
    redact: (whole: string): string => {
      if (forms.size === 0) return whole;
      const shown = whole.length > MAX_CHARS ? `${whole.slice(0, MAX_CHARS)}…` : whole;
      const steps = decodings(shown);
      const ends = new Uint32Array(shown.length);
      const open = new Uint8Array(shown.length);
      for (const text of exposed)
        for (let at = shown.indexOf(text); at !== -1; at = shown.indexOf(text, at + text.length))
          open.fill(1, at, at + text.length);
      for (let start = 0; start < shown.length; start++) {
        const isRaw = (steps[start] ?? steps[start + 1] ?? steps[start + 2]) === undefined;
        if (isRaw && !beginnings.has(shown.slice(start, start + BEGINNING))) continue;
        for (const [count, secrets] of forms) {
          const isSecret = (read: string): boolean =>
            beginnings.has(read.slice(0, BEGINNING)) && (read.length <= BEGINNING || secrets.includes(read));
          const end = endOf(isSecret, count, shown, start, '', steps);
          const isExposed = open[start] === 1 && open[end - 1] === 1;
          if (!isExposed) ends[start] = Math.max(ends[start] ?? 0, end);
        }
      }
      return masked(shown, ends);
    },
  };
}

/** The place after `count` characters of a secret that are read from a place on in any way, after those read so far; 0 if none are. */
function endOf(
  isSecret: (read: string) => boolean,
  count: number,
  text: string,
  at: number,
  read: string,
  steps: ReturnType<typeof decodings>,
): number {
  if (read.length >= count) return at;
  if (at >= text.length) return 0;
  let end = 0;
  for (const step of steps[at] ?? [{ to: at + 1, text: text.charAt(at) }]) {
    const longer = read + step.text;
    if (isSecret(longer)) end = Math.max(end, endOf(isSecret, count, text, step.to, longer, steps));
  }
  return end;
}

/** The text with a mask for each stretch that starts at a place with an end, as far as they overlap. */
function masked(text: string, ends: Uint32Array): string {
  let result = '';
  for (let at = 0; at < text.length;) {
    let end = ends[at] ?? 0;
    for (let inside = at; inside < end; inside++) end = Math.max(end, ends[inside] ?? 0);
    result += end === 0 ? text.charAt(at) : MASK;
    at = Math.max(end, at + 1);
  }
  return result;
}

/** What depends on a secret alone in its base64 after `before` bytes of others, as in `Basic`; both alphabets. */
function base64Within(secret: Buffer, before: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(before), secret]);
  const [start, end] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
  const pieces = (['base64', 'base64url'] as const).map((alphabet) => bytes.toString(alphabet));
  return [...pieces.filter(() => before === 0), ...pieces.map((text) => text.slice(start, end))];
}
