import { counted } from '../protocol/messages.ts';
import type { RetryContext, SizeSummary } from './retry.ts';
import { StatusError, mayBeTooLarge } from './status-error.ts';

/** How a request may be repeated with another limit. */
export interface LimitedContext {
  /**
   * Returns the `limit` to send once so many attempts have failed in a way that fewer rows may avoid, null for none; or `ask again` if
   * the request must not be repeated with another one. Absent: the query is sent as it is.
   */
  readonly limitAfter?: ((failures: number) => number | null | 'ask again') | undefined;
}

/** The page has failed, and the caller can ask for fewer rows in another way. */
export class LargePageError extends Error {
  override readonly name = 'LargePageError';
}

/** The queries of the attempts to get one page, which ask for fewer rows if they fail in a way that this may avoid. */
export function sizedQuery(
  query: URLSearchParams,
  { limitAfter, serverErrorMs }: LimitedContext & RetryContext,
) {
  const given = query.get('limit');
  const limitOf = limitAfter ?? (() => (given === null ? null : Number(given)));
  const tried = new Set<number | null>();
  let failures = 0;
  let latest: ReturnType<typeof limitOf> = null;
  const isSmaller = (): boolean => limitOf(failures) !== latest;
  return {
    failures: (): number => failures,
    /** Returns the query of the next attempt; throws LargePageError if it must not be made. */
    next: (): URLSearchParams => {
      latest = limitOf(failures);
      if (latest === 'ask again') throw new LargePageError('the page may be too large');
      tried.add(latest);
      const sized = new URLSearchParams(query);
      if (latest === null) sized.delete('limit');
      else sized.set('limit', String(latest));
      return sized;
    },
    note: (error: unknown): void => {
      // such a cursor may be the reason
      const isExpected = serverErrorMs !== undefined && error instanceof StatusError && error.status === 500;
      if (mayBeTooLarge(error) && !isExpected) failures++;
    },
    /** True if the next attempt would be the first one that asks for fewer rows. */
    isUntried: (): boolean => tried.size === 1 && isSmaller(),
    /** What is different in the next attempt, for a message; empty if nothing is. */
    change: (): string => {
      const next = limitOf(failures);
      return !isSmaller() || typeof next !== 'number' ? '' : `; then with ${counted(next, 'row', 'rows')}`;
    },
    /** What was requested, and what may help, in parts of the last message. */
    summary: (): SizeSummary => {
      const isSmallest = typeof latest === 'number' && latest <= SMALLEST;
      return {
        tried: describeSizes([...tried]),
        isFixed: limitAfter !== undefined && tried.size === 1 && failures > 1 && !isSmallest,
      };
    },
  };
}

const SMALLEST = 2; // rows

/** For example ` Pages of 500 to 62 rows were tried.`; empty if there was one size. */
function describeSizes([first = null, ...others]: readonly (number | null)[]): string {
  const last = others.at(-1);
  if (last === undefined) return '';
  return ` Pages of ${first === null ? 'any size down' : first} to ${last} rows were tried.`;
}
