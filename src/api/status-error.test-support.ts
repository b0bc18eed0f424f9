import { StatusError } from './status-error.ts';

/** A status of a server that says nothing else. */
export function refusedWith(status: number, headers: Readonly<Record<string, string>>): StatusError {
  return new StatusError({ status, headers }, { excerpt: '', requestIds: '', isForeign: false });
}
