import { X509Certificate } from 'node:crypto';
import type { DetailedPeerCertificate, PeerCertificate } from 'node:tls';
import { trustedFile, type TrustedFile } from './trusted-file.ts';
import { printable } from './response.ts';

const MAX_NAMES = 200; // characters
const MAX_CHAIN = 20; // certificates; more are no chain

/** Codes of OpenSSL for a chain of certificates that does not end in one that is trusted. */
const UNKNOWN =
  /^(UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY_LEAF|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|CERT_UNTRUSTED|CERT_REJECTED)/;

const NO_AUTHORITY = 'A certificate above that of the server is not one of an authority';
/** What violates a rule that nothing on this machine changes. */
const VIOLATIONS: Readonly<Record<string, string>> = {
  INVALID_CA: NO_AUTHORITY,
  INVALID_PURPOSE: `${NO_AUTHORITY}, or its own is not made for servers`,
  PATH_LENGTH_EXCEEDED: 'More authorities follow each other than one of them allows',
  CERT_CHAIN_TOO_LONG: 'Too many authorities follow each other',
  CERT_REVOKED: 'The certificate was revoked',
  CERT_SIGNATURE_FAILURE:
    'A signature is not that of the authority with this name, which may have got a new key',
};

/** What to do about a certificate that is not accepted, in sentences. `KEY` stands for the config key of the address. */
export function certificateAdvice(
  code: string,
  certificate: DetailedPeerCertificate | null,
  env: NodeJS.ProcessEnv,
): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'Set the host in KEY to one of the names in the certificate.';
  if (code === 'CERT_NOT_YET_VALID') return 'Check that the clock of this machine is right.';
  const file = trustedFile(env);
  const chain = chainFrom(certificate, file.certificates);
  if (code === 'CERT_HAS_EXPIRED') return expiredAdvice(chain, file);
  if (UNKNOWN.test(code)) return trustAdvice(chain, file);
  const what = VIOLATIONS[code] ?? 'The certificate, or one above it, violates a rule';
  return `${what}: ask the operator of the server to replace it.${alsoIn(chain, file, code)}`;
}

/** The certificate of a server and those above it, as far as they are known: from the server, then from a file. */
function chainFrom(
  presented: DetailedPeerCertificate | null,
  known: readonly X509Certificate[],
): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next: DetailedPeerCertificate | undefined = presented ?? undefined;
  for (; next?.raw !== undefined && chain.length < MAX_CHAIN; next = next.issuerCertificate) {
    chain.push(new X509Certificate(next.raw));
    // a root is its own issuer
    if (next.issuerCertificate === next) break;
  }
  while (chain.length < MAX_CHAIN) {
    const issuer = issuerIn(known, chain.at(-1));
    if (issuer === undefined) break;
    chain.push(issuer);
  }
  return chain;
}

function issuerIn(known: readonly X509Certificate[], certificate: X509Certificate | undefined) {
  if (certificate === undefined || isRoot(certificate)) return undefined;
  return known.find((one) => certificate.checkIssued(one));
}

const isRoot = (certificate: X509Certificate): boolean => certificate.checkIssued(certificate);

function isIn({ certificates }: TrustedFile, { fingerprint256 }: X509Certificate): boolean {
  return certificates.some((one) => one.fingerprint256 === fingerprint256);
}

function expiredAdvice(chain: readonly X509Certificate[], file: TrustedFile): string {
  const clock = 'check that the clock of this machine is right.';
  const expired = chain.find(({ validTo }) => Date.parse(validTo) < Date.now());
  if (expired === undefined || expired === chain[0])
    return `The operator of the server must renew its certificate; ${clock}`;
  const what = `The certificate of ${subjectOf(expired)}, above that of the server, has expired`;
  return isIn(file, expired)
    ? `${what}: replace it in ${file.path}, which NODE_EXTRA_CA_CERTS names; ${clock}`
    : `${what}: the operator of the server must replace it; ${clock}`;
}

/** A sentence about a file that holds a certificate that may be at fault; begins with a space, or is empty. */
function alsoIn(chain: readonly X509Certificate[], file: TrustedFile, code: string): string {
  // a root that is trusted violates no rule, but may have an older key
  const mayBeRoot = code === 'CERT_SIGNATURE_FAILURE';
  const held = chain.find((one) => isIn(file, one) && (mayBeRoot || !isRoot(one)));
  return held === undefined
    ? ''
    : ` That of ${subjectOf(held)} is in ${file.path}, which NODE_EXTRA_CA_CERTS names: is it the right one?`;
}

/** What is missing for a chain that ends in no trusted root. Node.js reads the file at its start, and goes on without it if it cannot. */
function trustAdvice(chain: readonly X509Certificate[], file: TrustedFile): string {
  const top = chain.at(-1);
  const held = chain.findLast((one) => isIn(file, one));
  if (held !== undefined) return `NODE_EXTRA_CA_CERTS is ${file.path}, which ${incomplete(held)}`;
  const isAlone = top !== undefined && chain.length === 1 && !isRoot(top);
  const authority = top === undefined ? 'its issuer' : issuerOf(top);
  const lead = isAlone
    ? `The server does not send the certificate of ${authority}, which issued its own: unless that is a root, its operator should let the server send it. `
    : '';
  const trusting = `${lead}If you trust ${authority}, which may be a firewall that inspects TLS, `;
  const above = top === undefined || isRoot(top) ? '' : ' and those above it, up to the root';
  if (file.path === null)
    return `${trusting}set NODE_EXTRA_CA_CERTS to a file with its certificate${above}. Verification cannot be disabled.`;
  const isOther = file.certificates.some(({ subject }) => subject === top?.issuer);
  const lack = isOther
    ? 'contains another certificate of this name, perhaps an older one'
    : 'does not contain its certificate';
  const problem = file.problem ?? lack;
  const cure = file.problem === null ? `: add it${above}` : '';
  return `${trusting}note that NODE_EXTRA_CA_CERTS is ${file.path}, which ${problem}${cure}.`;
}

/** What a file lacks that contains a certificate of the chain. */
function incomplete(held: X509Certificate): string {
  const contains = `contains the certificate of ${subjectOf(held)}`;
  return isRoot(held)
    ? `${contains}, but did not when this process started, or something before it is damaged.`
    : `${contains}, but not that of its own issuer, ${issuerOf(held)}: add all certificates above it, up to the root.`;
}

/** For example `a certificate for "api.example" (DNS:api.example), issued by "Example CA", valid from … to …`. */
export function describeCertificate(certificate: PeerCertificate): string {
  const { subject, issuer, subjectaltname = 'no alternative names' } = certificate;
  const { valid_from: from, valid_to: to } = certificate;
  const names = printable(subjectaltname).slice(0, MAX_NAMES);
  return `a certificate for ${nameIn(subject)} (${names}), issued by ${nameIn(issuer)}, valid from ${from} to ${to}`;
}

const subjectOf = (certificate: X509Certificate): string => nameIn(certificate.toLegacyObject().subject);
const issuerOf = (certificate: X509Certificate): string => nameIn(certificate.toLegacyObject().issuer);

/** The common name, or else the organization, of a certificate's subject or issuer, in quotes. */
function nameIn(owner: Partial<Record<'CN' | 'O', string | readonly string[]>> | undefined): string {
  return `"${printable(String(owner?.CN ?? owner?.O ?? 'no name')).slice(0, MAX_NAMES)}"`;
}
