import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../config/temporary-file.test-support.ts';

/** A certificate with its key, and the file that holds it. */
export interface Issued {
  readonly file: string;
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface Wish {
  readonly extensions: string; // in the format of openssl, one a line
  readonly days: number; // for which it is valid from now on
}

export const AUTHORITY: Wish = { extensions: 'basicConstraints=critical,CA:TRUE', days: 2 };
export const SERVER: Wish = { extensions: 'subjectAltName=IP:127.0.0.1', days: 2 };

/** Issues certificates by name; `by` is the name of the authority, or the certificate's own for a root. */
export type Issue = (name: string, by: string, wish: Wish) => Issued;

/** An authority in a folder of its own; throws without openssl. */
export function makeAuthority(): Issue {
  const folder = temporaryDirectory();
  const openssl = (...args: string[]): unknown =>
    execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  return (name, by, { extensions, days }) => {
    writeFileSync(join(folder, `${name}.ext`), extensions);
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    openssl('req', '-new', ...curve, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    const signer =
      name === by
        ? ['-signkey', `${by}.key`]
        : ['-CA', `${by}.pem`, '-CAkey', `${by}.key`, '-CAcreateserial', '-CAserial', `${name}.serial`];
    const asked = ['-in', `${name}.csr`, '-extfile', `${name}.ext`, '-days', String(days)];
    openssl('x509', '-req', ...asked, ...signer, '-out', `${name}.pem`);
    const file = join(folder, `${name}.pem`);
    return { file, cert: readFileSync(file), key: readFileSync(join(folder, `${name}.key`)) };
  };
}

/** A server's certificate that is followed by those of its authorities. */
export function withAuthorities({ file, cert, key }: Issued, ...above: readonly Issued[]): Issued {
  return { file, key, cert: Buffer.concat([cert, ...above.map((one) => one.cert)]) };
}
