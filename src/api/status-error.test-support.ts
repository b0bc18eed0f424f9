import { StatusError, mayPass } from './status-error.ts';

/** A status of a server that says nothing else. */
export function refusedWith(status: number, headers: Readonly<Record<string, string>>): StatusError {
  const words = { excerpt: '', requestIds: '', isForeign: false };
  return new StatusError({ status, headers }, words, mayPass(status));
}
