import { valueHint } from './value-hint.ts';

/** True if a host name (`URL.hostname`) is that of this machine. */
export const isLoopback = (hostname: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/** Explains why the address at a path of the config cannot be used; null if it can. */
export function addressProblem(path: string, address: string, allowHttp: boolean): string | null {
  const hint = valueHint(address);
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || hint !== null)
    return `"${path}" ${hint ?? 'is not a valid URL, such as https://host/path'}`;
  const { protocol, hostname } = url;
  if (/^https?$/.test(hostname)) return `"${path}" begins with https:// twice`;
  if (protocol === 'https:' || allowHttp || isLoopback(hostname)) return null;
  const why = 'over plain http the secret and the data are sent unencrypted';
  return `"${path}" must start with https:// (${why}; set "allow_http" to true if this is intended)`;
}
