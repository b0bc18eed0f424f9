import { transientError } from '../errors.ts';
import type { ConnectorError } from '../errors.ts';
import { describeScope } from './audience.ts';
import type { TokenScope } from './audience.ts';
import { describeLimit } from './token-rules.ts';

/** The error for an issuance limit that is reached: it names the time from which a token may be asked for. */
export function limitError(
  scope: TokenScope,
  clientId: string,
  { untilMs, error }: { readonly untilMs: number; readonly error: ConnectorError | null },
  nowMs: number,
): ConnectorError {
  const whose = `client_id ${clientId}, audience ${describeScope(scope)}`;
  const what =
    error?.message ??
    `auth_url: the limit of token requests is reached for ${whose}: ${describeLimit(scope)}.`;
  const next = `The next token may be asked for at ${atSecond(untilMs)} (in ${inWords(untilMs - nowMs)}).`;
  return transientError(
    'TOKEN_LIMIT',
    `${what} ${next} Runs that share a token cache share one token.`,
    error,
  );
}

function atSecond(ms: number): string {
  return new Date(Math.ceil(ms / 1000) * 1000).toISOString().replace('.000', '');
}

/** For example "3 h 5 min", "12 min" or "40 s". */
function inWords(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes <= 1) return `${Math.ceil(ms / 1000)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
