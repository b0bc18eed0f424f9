const MASK = '******';

export interface Redactor {
  /** From now on this text is masked. Texts shorter than 4 characters are not: they would mask ordinary words. */
  readonly hide: (secret: string) => void;
  /** The text with every hidden one masked, longest first. */
  readonly redact: (text: string) => string;
}

/** Keeps secrets out of messages, in the forms in which they travel: plain, in JSON, in a URL and in base64. */
export function createRedactor(): Redactor {
  let hidden: string[] = [];
  return {
    hide: (secret) => {
      if (secret.length < 4) return;
      const bytes = Buffer.from(secret);
      // from the bytes: half a surrogate pair, which a JSON escape can bring in, cannot stand in a URL
      const inUrl = encodeURIComponent(bytes.toString());
      const forms = [
        secret,
        JSON.stringify(secret).slice(1, -1),
        inUrl,
        inUrl.replaceAll(/%../g, (octet) => octet.toLowerCase()),
        bytes.toString('base64'),
        bytes.toString('base64url'),
      ];
      hidden = [...new Set([...hidden, ...forms])].toSorted((a, b) => b.length - a.length);
    },
    redact: (text) => hidden.reduce((result, secret) => result.replaceAll(secret, MASK), text),
  };
}
