import { hash } from 'node:crypto';

/** A count of rows and their order-independent digest (16 hex digits). */
export interface RowSet {
  readonly count: number;
  readonly digest: string;
}

/** Gathers rows into a {@link RowSet}, one at a time. */
export interface RowDigest {
  /** Takes one row's exact text, in line form (see {@link lineForm}). */
  add(text: string): void;
  result(): RowSet;
}

/** The line breaks of some reader or other that JSON allows raw inside a string. */
const breaks: Record<string, string> = { '\u0085': '\\u0085', '\u2028': '\\u2028', '\u2029': '\\u2029' };

/**
 * A row's text as it can stand on a line: newlines between tokens become blanks, one for one, and raw U+0085, U+2028
 * and U+2029 inside strings become `\u` escapes. Nothing else changes. This is the text that a connector emits as
 * `record.data`, and the text that the sandbox's truth is told and digested in.
 */
export function lineForm(text: string): string {
  return text.replace(/[\n\r\u0085\u2028\u2029]/g, (found) => breaks[found] ?? ' ');
}

/**
 * The digest of a set of rows: the XOR, over all rows, of the first 8 bytes of the SHA-256 of the row's text (UTF-8),
 * as 16 lower-case hex digits. It does not depend on order. A pair of equal rows cancels out, so compare the count too.
 */
export function createRowDigest(): RowDigest {
  let high = 0;
  let low = 0;
  let count = 0;
  return {
    add: (text) => {
      const bytes = hash('sha256', text, 'buffer');
      high ^= bytes.readInt32BE(0);
      low ^= bytes.readInt32BE(4);
      count += 1;
    },
    result: () => ({ count, digest: hex(high) + hex(low) }),
  };
}

/** The {@link RowSet} of two sets that have no row in common. */
export function union(one: RowSet, other: RowSet): RowSet {
  const digest = BigInt(`0x${one.digest}`) ^ BigInt(`0x${other.digest}`);
  return { count: one.count + other.count, digest: digest.toString(16).padStart(16, '0') };
}

/** The {@link RowSet} of the given texts, each in line form. */
export function digestOf(texts: Iterable<string>): RowSet {
  const digest = createRowDigest();
  for (const text of texts) digest.add(text);
  return digest.result();
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
