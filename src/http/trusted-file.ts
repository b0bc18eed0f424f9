import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The file with certificates that are trusted besides those of Node.js. */
export interface TrustedFile {
  readonly path: string | null; // in quotes; null if none is set
  readonly certificates: readonly X509Certificate[];
  readonly problem: string | null; // of the file as a whole, as what it does; null if it holds certificates
}

const PEM =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]*-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;

/** Reads the file that NODE_EXTRA_CA_CERTS names, for a message. */
export function trustedFile({ NODE_EXTRA_CA_CERTS: path }: NodeJS.ProcessEnv): TrustedFile {
  if (!path) return { path: null, certificates: [], problem: null };
  const none = { path: JSON.stringify(path), certificates: [] };
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return { ...none, problem: `cannot be read (${code})` };
  }
  const found = text.match(PEM) ?? [];
  if (found.length === 0) return { ...none, problem: 'contains no certificate in the PEM format' };
  const certificates = found.flatMap(parsed);
  // what follows a damaged certificate is not read
  const problem = certificates.length < found.length ? 'contains a damaged certificate' : null;
  return { ...none, certificates, problem };
}

function parsed(pem: string): X509Certificate[] {
  try {
    return [new X509Certificate(pem)];
  } catch {
    return [];
  }
}
