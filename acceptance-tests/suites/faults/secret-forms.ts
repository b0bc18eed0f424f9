const PIECE = 16; // characters that identify a secret

/** Pieces of 16 characters, one every 8, of secrets in every encoding: plain, JSON, URL, and base64 at each alignment. */
export function secretPieces(secrets: readonly string[]): string[] {
  return secrets.flatMap(formsOf).flatMap((form) => {
    const starts = Math.max(1, Math.floor((form.length - PIECE) / 8) + 1);
    return Array.from({ length: starts }, (_, index) => form.slice(index * 8, index * 8 + PIECE));
  });
}

function formsOf(secret: string): string[] {
  const aligned = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)]).toString('base64');
    // the outer characters depend on the surrounding text
    return text.slice(shift === 0 ? 0 : shift + 1).replace(/.?=*$/, '');
  });
  const inAddresses = aligned.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const escaped = [JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
  return [secret, ...escaped, ...aligned, ...inAddresses];
}
