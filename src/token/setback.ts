import type { Clock } from '../clock.ts';
import { transientError } from '../errors.ts';
import type { ConnectorError } from '../errors.ts';
import { TOKEN } from '../limits.ts';
import type { CachedToken } from './cache.ts';
import { limitWords } from './rules.ts';
import type { TokenScope } from './rules.ts';

/** Why no new token was to be had the last time, and what follows from that. */
export interface Setback {
  readonly error: ConnectorError;
  /** True if asking again could only burn another issuance. */
  readonly isFinal: boolean;
  /** True if the issuance limit is reached. */
  readonly rateLimited: boolean;
  /** None is asked for before that local time, ms since the epoch. */
  readonly untilMs: number;
  /** Requests that failed while no token lived, since the last one that was had. */
  readonly failures: number;
  /** Refusals by the issuance limit since then, and ms that they were waited out while no token lived. */
  readonly limits: number;
  readonly limitedMs: number;
}

const NOTHING = { failures: 0, limits: 0, limitedMs: 0 };

/** What decides how to go on. */
interface Circumstances extends Pick<Clock, 'random'> {
  readonly scope: TokenScope;
  readonly clientId: string;
  readonly before: Setback | null;
  /** The token in use, if it still lives: then nothing is urgent, and nothing final. */
  readonly living: CachedToken | null;
  readonly nowMs: number;
}

/**
 * The issuance limit is waited out; an endpoint that asks for a short wait again and again is no licence to hammer. `said` is
 * the endpoint's error, null where it was not asked.
 */
export function afterLimit(
  limitedUntilMs: number,
  said: ConnectorError | null,
  { scope, clientId, before, living, nowMs }: Circumstances,
): Setback {
  const { failures, limits, limitedMs } = before ?? NOTHING;
  const untilMs = Math.max(limitedUntilMs, nowMs + Math.min(TOKEN.mostBackoffMs, TOKEN.baseMs * 2 ** limits));
  const waitedMs = living === null ? untilMs - nowMs : 0;
  const at = new Date(Math.ceil(untilMs / 1000) * 1000).toISOString().replace('.000', '');
  const words =
    `${said?.message ?? limitWords(clientId, scope, '')} The next token may be asked for at ${at} ` +
    `(in ${inWords(untilMs - nowMs)}). Runs that share a token cache share one token.`;
  return {
    error: transientError('TOKEN_LIMIT', words, said),
    isFinal: false,
    rateLimited: true,
    untilMs,
    failures,
    limits: limits + 1,
    limitedMs: limitedMs + waitedMs,
  };
}

/** Another attempt follows, fewer where each may cost an issuance. */
export function afterFailure(
  error: ConnectorError,
  mayHaveIssued: boolean,
  { before, living, nowMs, random }: Circumstances,
): Setback {
  const { failures: earlier, limits, limitedMs } = before ?? NOTHING;
  const failures = living === null ? earlier + 1 : earlier;
  // each such answer costs an issuance, and the next one would be no better
  const isUnreadable = error.code === 'TOKEN_UNREADABLE';
  const common = { error, rateLimited: false, failures, limits, limitedMs };
  if (living !== null) {
    const untilMs = isUnreadable ? living.endMs : nowMs + TOKEN.renewAgainMs;
    return { ...common, isFinal: false, untilMs };
  }
  const attempts = mayHaveIssued ? TOKEN.attemptsThatMayIssue : TOKEN.attempts;
  return {
    ...common,
    isFinal: isUnreadable || error.failureType === 'config_error' || failures >= attempts,
    untilMs: nowMs + random() * TOKEN.baseMs * 2 ** failures,
  };
}

/** For example "3 h 5 min", "12 min" or "40 s". */
function inWords(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (minutes <= 1) return `${Math.ceil(ms / 1000)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
