import { randomBytes } from 'node:crypto';
import type { TokenOrder } from './token-request.ts';

/** A new opaque token. */
export function opaqueToken(): string {
  return randomBytes(32).toString('base64url');
}

/** A new JWT: well formed, with real `iat` and `exp` claims (whole seconds); its signature is no signature. */
export function jwtToken(clientId: string, order: TokenOrder, issuedSeconds: number): string {
  const claims = {
    iss: 'sandbox',
    sub: clientId,
    aud: order.audience,
    scope: order.modules.join(' '),
    iat: issuedSeconds,
    exp: issuedSeconds + order.rules.validitySeconds,
    jti: randomBytes(8).toString('hex'),
  };
  return `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}.${opaqueToken()}`;
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
