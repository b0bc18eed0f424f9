import type { ERROR_GUIDE, FailureType } from './error-guide.ts';

/** Stable names of everything that can go wrong for a reason that we know; each has an entry in the guide. */
export type ErrorCode = keyof typeof ERROR_GUIDE;

export type { FailureType };

export interface ErrorDetails {
  readonly code: ErrorCode;
  readonly failureType: FailureType;
  /** One or two sentences for a person: what happened, where, what to do next. */
  readonly message: string;
  readonly cause?: unknown;
}

/**
 * The one error class of the connector. It is told apart by `code`, and by what the caller does next
 * (`failureType`); everything else that is thrown is a fault of ours and becomes a `system_error`.
 */
export class ConnectorError extends Error {
  override readonly name = 'ConnectorError';
  readonly code: ErrorCode;
  readonly failureType: FailureType;

  constructor(details: ErrorDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.failureType = details.failureType;
  }
}

/** A mistake in what a person or platform handed in; repeating it unchanged cannot help. */
export function configError(code: ErrorCode, message: string): ConnectorError {
  return new ConnectorError({ code, failureType: 'config_error', message });
}

/** A failure that may pass: network, overload, limits. */
export function transientError(code: ErrorCode, message: string, cause: unknown): ConnectorError {
  return new ConnectorError({ code, failureType: 'transient_error', message, cause });
}

/** True if `error` is a ConnectorError, of that code if one is given. */
export function isConnectorError(error: unknown, code: ErrorCode | null): error is ConnectorError {
  return error instanceof ConnectorError && (code === null || error.code === code);
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
