/** True if a host name (`URL.hostname`) is that of this machine. */
export const isLoopback = (hostname: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/** Explains why the address at a path of the config cannot be used; null if it can. */
export function addressProblem(path: string, address: string, allowHttp: boolean): string | null {
  if (!URL.canParse(address)) return `"${path}" is not a valid URL, such as https://host/path`;
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:' || allowHttp || isLoopback(hostname)) return null;
  const why = 'over plain http the secret and the data are sent unencrypted';
  return `"${path}" must start with https:// (${why}; set "allow_http" to true if this is intended)`;
}
