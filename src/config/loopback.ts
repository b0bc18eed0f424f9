const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** True if an address (`URL.hostname`) leads back to this machine. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}
