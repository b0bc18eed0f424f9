import type { Call } from '../api/endpoint-hook.ts';

/**
 * The secrets of a request, as a careless server repeats them in what it says: plain, encoded for an address, in base64,
 * and in base64 behind a user's name.
 */
export function echo({ headers, body }: Call): string {
  const secrets = [headers.authorization?.replace(/^Bearer /, ''), clientSecretIn(body)];
  return secrets
    .filter((secret) => secret !== undefined)
    .flatMap((secret) => [secret, encodeURIComponent(secret), base64(secret), base64(`you:${secret}`)])
    .join(' ');
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function clientSecretIn(body: string): string | undefined {
  try {
    const { clientSecret } = JSON.parse(body) as { clientSecret?: unknown };
    return typeof clientSecret === 'string' ? clientSecret : undefined;
  } catch {
    return undefined;
  }
}
