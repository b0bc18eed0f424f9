import { hash } from 'node:crypto';

/** A count of rows and their order-independent digest (16 hex digits). */
export interface RowSet {
  readonly count: number;
  readonly digest: string;
}

/** The line breaks of some reader or other that JSON allows raw inside a string. */
const breaks: Record<string, string> = { '\u0085': '\\u0085', '\u2028': '\\u2028', '\u2029': '\\u2029' };

/**
 * A row's text as it can stand on a line: newlines between tokens become blanks, one for one, and raw U+0085, U+2028
 * and U+2029 inside strings become `\u` escapes. Nothing else changes. This is the text that a connector emits as
 * `record.data`, and the text that the sandbox's ground truth is told and digested in.
 */
export function lineForm(text: string): string {
  return text.replace(/[\n\r\u0085\u2028\u2029]/g, (found) => breaks[found] ?? ' ');
}

/**
 * Digests rows given one at a time, each in line form: the XOR of the first 8 bytes of the SHA-256 of every text (UTF-8), as
 * 16 lower-case hex digits. It does not depend on order. A pair of equal rows cancels out, so compare the count too.
 */
export function createRowDigest() {
  let [digest, count] = [0n, 0];
  return {
    add: (text: string): void => {
      digest ^= hash('sha256', text, 'buffer').readBigUInt64BE(0);
      count += 1;
    },
    result: (): RowSet => ({ count, digest: digest.toString(16).padStart(16, '0') }),
  };
}

/** The {@link RowSet} of the given texts, each in line form. */
export function digestOf(texts: Iterable<string>): RowSet {
  const digest = createRowDigest();
  for (const text of texts) digest.add(text);
  return digest.result();
}
