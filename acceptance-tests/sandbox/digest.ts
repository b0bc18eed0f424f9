import { hash } from 'node:crypto';

/** A count of rows and their order-independent digest (16 hex digits). */
export interface RowSet {
  readonly count: number;
  readonly digest: string;
}

/** Line breaks of some readers that JSON allows inside a string. */
const breaks: Record<string, string> = { '\u0085': '\\u0085', '\u2028': '\\u2028', '\u2029': '\\u2029' };

/**
 * Returns a row's text on one line, as a connector emits it: newlines between tokens become blanks, and raw U+0085,
 * U+2028 and U+2029 inside strings become `\u` escapes. The ground truth is kept in this form.
 */
export function lineForm(text: string): string {
  return text.replace(/[\n\r\u0085\u2028\u2029]/g, (found) => breaks[found] ?? ' ');
}

/**
 * Digests row texts in line form, in any order: the XOR of the first 8 bytes of the SHA-256 of each text. Two equal rows
 * cancel out, so compare the count too.
 */
export function createRowDigest() {
  let digest = 0n;
  let count = 0;
  return {
    add: (text: string): void => {
      digest ^= hash('sha256', text, 'buffer').readBigUInt64BE(0);
      count += 1;
    },
    result: (): RowSet => ({ count, digest: digest.toString(16).padStart(16, '0') }),
  };
}

export function digestOf(texts: Iterable<string>): RowSet {
  const digest = createRowDigest();
  for (const text of texts) digest.add(text);
  return digest.result();
}
