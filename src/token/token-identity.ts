import { hash } from 'node:crypto';

import type { TokenScope } from './audience.ts';

/** What a token is asked for with (API document 2.1 and 5.2). */
export interface Credentials {
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What the issuance limits count by, as far as one credential goes: where and by whom, never what for. */
export function credentialKey({ authUrl, clientId }: Credentials): string {
  return digest([authUrl, clientId]);
}

/**
 * What a kept token is bound to: another address, client, audience or set of scopes never meets it. Nor does another
 * secret, or a wrong one would seem right for as long as the token lives.
 */
export function tokenKey(credentials: Credentials, { audience, scopes }: TokenScope): string {
  const { authUrl, clientId, clientSecret } = credentials;
  return digest([authUrl, clientId, clientSecret, audience, ...(scopes ?? []).toSorted()]);
}

/** From a digest of high-entropy parts nothing can be read; 128 bits of it tell any two apart. */
function digest(parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(['source-trailer-data token', ...parts]), 'hex').slice(0, 32);
}
