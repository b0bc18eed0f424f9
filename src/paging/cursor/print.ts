/* How rows are recognized in later pages and reads. */
import xxhash from 'xxhash-wasm';
import { noWebAssembly } from '../../errors.ts';
import { fingerprint } from '../identities.ts';

/**
 * The XXH64 of the text of a row; in states of versions before 0.3.0, 12 characters of its SHA-256, which takes ten times as long. A
 * new row is taken for one of 10,000 known rows with a probability below 1e-15.
 */
export type Print = bigint | string;

const xxh = await xxhash().catch((error: unknown) => ({
  h64Raw: (): never => {
    throw noWebAssembly(error);
  },
}));

/** Returns the print of a text. Throws config_error NO_WEBASSEMBLY if Node.js cannot compute it. */
export function printOf(text: Buffer): bigint {
  return xxh.h64Raw(text);
}

const EARLIER_LENGTH = 12;

/** Returns the print of a text in states of versions before 0.3.0. */
export function earlierPrintOf(text: Buffer): string {
  return fingerprint(text).slice(0, EARLIER_LENGTH);
}

const bytes = Buffer.alloc(8);
const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/** Returns the characters of a print in a state. */
export function writePrint(print: Print): string {
  if (typeof print === 'string') return print;
  view.setBigUint64(0, print);
  return bytes.toString('base64url');
}

/** Returns the print that a state has as these characters, of which version 0.1.0 wrote more. */
export function readPrint(text: string): Print {
  if (text.length >= EARLIER_LENGTH) return text.slice(0, EARLIER_LENGTH);
  return Buffer.from(text, 'base64url').readBigUInt64BE();
}
