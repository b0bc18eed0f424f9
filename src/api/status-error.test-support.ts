import { StatusError } from './status-error.ts';

/** The error for a status without a body. */
export function statusError(status: number, headers: Readonly<Record<string, string>>): StatusError {
  return new StatusError(
    { status, headers },
    { text: '', requestIds: '', isNotJson: false, askedWait: null },
  );
}
