const EXCERPT_CHARS = 200;
const DECODED_BYTES = 64 * 1024;

/**
 * The first 200 characters of a body, on one line. Secrets are masked before the cut: behind it, half a secret would
 * not be known for one.
 */
export function excerptOf(body: Buffer, redact: (text: string) => string): string {
  const text = redact(body.toString('utf8', 0, DECODED_BYTES));
  const line = text.replaceAll(/\s+/g, ' ').trim().slice(0, EXCERPT_CHARS);
  // half a surrogate pair is no character
  return line.replace(/[\ud800-\udbff]$/, '');
}
