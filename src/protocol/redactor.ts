const MASK = '******';
const SHORTEST_PIECE = 6; // of base64: shorter ones are ordinary words

export type Redactor = Readonly<ReturnType<typeof createRedactor>>;

/** Keeps secrets out of messages, in the forms in which they travel: plain, in JSON, in a URL, in base64, and within base64. */
export function createRedactor() {
  let hidden: string[] = [];
  return {
    /** From now on this text is masked. */
    hide: (secret: string): void => {
      // it would mask ordinary words
      if (secret.length < 4) return;
      const bytes = Buffer.from(secret);
      // from the bytes: half a surrogate pair, which a JSON escape can bring in, cannot stand in a URL
      const inUrl = encodeURIComponent(bytes.toString());
      const forms = [
        secret,
        JSON.stringify(secret).slice(1, -1),
        inUrl,
        inUrl.replaceAll(/%../g, (octet) => octet.toLowerCase()),
        ...[0, 1, 2].flatMap((before) => base64Within(bytes, before)),
      ];
      hidden = [...new Set([...hidden, ...forms])].toSorted((a, b) => b.length - a.length);
    },
    /** The text with every hidden one masked, longest first. */
    redact: (text: string): string =>
      hidden.reduce((result, secret) => result.replaceAll(secret, MASK), text),
  };
}

/** What depends on a secret alone in its base64 behind `before` bytes of others, as in `Basic`; both alphabets. */
function base64Within(secret: Buffer, before: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(before), secret]);
  const [start, end] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
  const pieces = (['base64', 'base64url'] as const).map((alphabet) => bytes.toString(alphabet));
  const within = pieces.map((text) => text.slice(start, end)).filter((text) => text.length >= SHORTEST_PIECE);
  return before === 0 ? [...pieces, ...within] : within;
}
