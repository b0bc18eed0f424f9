// Stable names of everything that can go wrong for a reason that we know; docs/errors.md says what each means.
export const CONFIG_CODES = [
  'USAGE',
  'CONFIG_INVALID',
  'CATALOG_INVALID',
  'STATE_INVALID',
  'TOKEN_REFUSED',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'REDIRECTED',
  'REQUEST_REFUSED',
  'FIELD_UNUSABLE',
  'PROXY',
  'NO_WEBASSEMBLY',
  'PAGES_UNUSABLE',
  'OFFSET_LIMITED',
] as const;
export const TRANSIENT_CODES = [
  'TOKEN_LIMIT',
  'TOKEN_UNREADABLE',
  'API_UNAVAILABLE',
  'LIST_UNSTABLE',
  'ROWS_MISSING',
  'TOO_FEW_ROWS',
  'CURSOR_LOOP',
  'ABORTED',
] as const;

export type ConfigCode = (typeof CONFIG_CODES)[number];
export type TransientCode = (typeof TRANSIENT_CODES)[number];
type ErrorCode = ConfigCode | TransientCode;

/** Every failure for a known reason; its message says to a person what happened, where, and what to do next. */
export class ConnectorError extends Error {
  override readonly name = 'ConnectorError';
  readonly code: ErrorCode;
  /** How a platform treats it (protocol: TRACE ERROR `failure_type`): only `config_error` is never retried. */
  readonly failureType: 'config_error' | 'transient_error';

  constructor(code: ErrorCode, message: string, cause: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.failureType = CONFIG_CODES.some((each) => each === code) ? 'config_error' : 'transient_error';
  }
}

/** A mistake in what a person or platform handed in; repeating it unchanged cannot help. */
export function configError(code: ConfigCode, message: string): ConnectorError {
  return new ConnectorError(code, message, undefined);
}

/** A failure that may pass: network, overload, limits. */
export function transientError(code: TransientCode, message: string, cause: unknown): ConnectorError {
  return new ConnectorError(code, message, cause);
}

/** True if `error` is a ConnectorError, of that code if one is given. */
export function isConnectorError(error: unknown, code: ErrorCode | null): error is ConnectorError {
  return error instanceof ConnectorError && (code === null || error.code === code);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
