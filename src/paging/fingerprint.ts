import { hash } from '../builtins.ts';

/** A short text that stands for a longer one: 96 bits of its SHA-256 as 16 characters of base64url. */
export type Fingerprint = string;

/** Characters of a fingerprint. */
const FINGERPRINT_CHARS = 16;

/** Equal texts have equal fingerprints; of a million different ones two agree with a probability below 1e-16. */
export function fingerprint(text: string | Buffer): Fingerprint {
  return hash('sha256', text, 'base64url').slice(0, FINGERPRINT_CHARS);
}
