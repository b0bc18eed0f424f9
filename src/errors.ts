// Stable codes of all expected failures; docs/errors.md describes them.
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
  'TLS',
  'INVALID_HTTP',
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

/** A failure with a known cause. Its message says what happened, where, and what to do next. */
export class ConnectorError extends Error {
  override readonly name = 'ConnectorError';
  readonly code: ErrorCode;
  /** The `failure_type` of its TRACE ERROR; platforms never retry a `config_error`. */
  readonly failureType: 'config_error' | 'transient_error';

  constructor(code: ErrorCode, message: string, cause: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.failureType = CONFIG_CODES.some((each) => each === code) ? 'config_error' : 'transient_error';
  }
}

/** An invalid input or setting: the command fails again unless something is changed. */
export function configError(code: ConfigCode, message: string): ConnectorError {
  return new ConnectorError(code, message, undefined);
}

/** A config_error because a server has refused a request; `cause`: the error of its response. */
export function refusalError(code: ConfigCode, message: string, cause: unknown): ConnectorError {
  return new ConnectorError(code, message, cause);
}

/** A config_error that says how to let Node.js start WebAssembly. */
export function noWebAssembly(error: unknown): ConnectorError {
  const words =
    `Node.js cannot start WebAssembly, which reads the pages: ${messageOf(error)}. If the address space is limited ` +
    '(ulimit -v), raise the limit or set NODE_OPTIONS=--disable-wasm-trap-handler.';
  return configError('NO_WEBASSEMBLY', words);
}

/** A temporary failure: network, overload, limits. */
export function transientError(code: TransientCode, message: string, cause: unknown): ConnectorError {
  return new ConnectorError(code, message, cause);
}

/** True for a ConnectorError with this code; null accepts any code. */
export function isConnectorError(error: unknown, code: ErrorCode | null): error is ConnectorError {
  return error instanceof ConnectorError && (code === null || error.code === code);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
