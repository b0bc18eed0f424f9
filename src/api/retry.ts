import { transientError } from '../errors.ts';
import { HttpExchangeError, retryAfterMs } from '../http/answer.ts';
import { BadPageError } from './page.ts';
import type { RequestContext } from '../http/request-context.ts';
import { retryDelay } from './retry-delay.ts';
import type { FailedAttempt, RetryBudget } from './retry-delay.ts';
import { StatusError } from './status-error.ts';

export interface RetryEnvironment {
  readonly stream: string;
  readonly budget: RetryBudget;
  readonly now: () => number;
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Repeats `attempt` (request, whole body and page check as one) until it succeeds or the budget is spent.
 *
 * @throws transient_error API_UNAVAILABLE with attempts, total wait and the last answer, when the budget is spent
 * @throws whatever else `attempt` throws, unchanged and at once
 */
export async function withRetry<T>(
  attempt: () => Promise<T>,
  environment: RetryEnvironment,
  { signal, onWait }: RequestContext,
): Promise<T> {
  const startMs = environment.now();
  const spent = { rateLimited: 0, passing: 0, rateLimitMs: 0, elapsedMs: 0 };
  let waitedMs = 0;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const nowMs = environment.now();
      const failed = failedAttempt(error, nowMs);
      if (failed === null) throw error;
      const rateLimited = failed.kind === 'rate_limited';
      spent.elapsedMs = nowMs - startMs;
      spent[rateLimited ? 'rateLimited' : 'passing']++;
      const waitMs = retryDelay(failed, spent, environment.budget, nowMs, environment.random());
      if (waitMs === null)
        throw spentError(
          environment.stream,
          spent.rateLimited + spent.passing,
          waitedMs,
          failed,
          error as Error,
        );
      const reason = (error as Error).message;
      await onWait({ reason, rateLimited, waitMs });
      await environment.sleep(waitMs, signal);
      waitedMs += waitMs;
      if (rateLimited) spent.rateLimitMs += waitMs;
    }
  }
}

/** What kind of failure it is, or null if another attempt cannot help. */
export function failedAttempt(error: unknown, nowMs: number): FailedAttempt | null {
  if (error instanceof HttpExchangeError || error instanceof BadPageError)
    return { kind: 'passing', retryAfterMs: undefined };
  if (!(error instanceof StatusError) || !error.passing) return null;
  const wait = retryAfterMs(error.answer.headers, nowMs);
  return { kind: error.status === 429 ? 'rate_limited' : 'passing', retryAfterMs: wait };
}

function spentError(
  stream: string,
  attempts: number,
  waitedMs: number,
  { retryAfterMs: asked = 0 }: FailedAttempt,
  last: Error,
): Error {
  const wish = asked === 0 ? '' : ` The API asks to wait ${Math.ceil(asked / 1000)} s more.`;
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  return transientError(
    'API_UNAVAILABLE',
    `${stream}: the API gave no usable answer in ${tries} and ${Math.round(waitedMs / 1000)} s of waiting. ` +
      `Last answer: ${last.message}.${wish} It may pass; try again later.${last instanceof BadPageError ? ` If it does not, check ${stream}.base_url.` : ''}`,
    last,
  );
}
