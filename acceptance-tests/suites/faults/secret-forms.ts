/** Characters of a secret that tell it. */
const PIECE = 16;

/**
 * Pieces of secrets in every form in which they travel (plain, in JSON, in an address, in base64 at each alignment), so
 * that also a part of one is found. Each piece has 16 characters, and one begins every 8.
 */
export function secretPieces(secrets: readonly string[]): string[] {
  return secrets.flatMap(formsOf).flatMap((form) => {
    const starts = Math.max(1, Math.floor((form.length - PIECE) / 8) + 1);
    return Array.from({ length: starts }, (_, index) => form.slice(index * 8, index * 8 + PIECE));
  });
}

function formsOf(secret: string): string[] {
  const aligned = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)]).toString('base64');
    // the outer characters depend on what stands around the secret
    return text.slice(shift === 0 ? 0 : shift + 1).replace(/.?=*$/, '');
  });
  const inAddresses = aligned.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    ...aligned,
    ...inAddresses,
  ];
}
