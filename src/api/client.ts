import { messageOf } from '../errors.ts';
import { shownHeader, wordsOf } from '../http/answer.ts';
import { serverTimeOf } from '../http/request.ts';
import type { Exchange, HttpResponse, RequestContext } from '../http/request.ts';
import { PAGE } from '../limits.ts';
import { BadPageError, parsePage } from '../rows/page.ts';
import type { Page } from '../rows/page.ts';
import type { Authorization } from '../token/provider.ts';
import type { ConcurrencyLimit, Turn } from './request-limits.ts';
import { withRetry } from './retry.ts';
import type { RetryParts } from './retry.ts';
import { StatusError, describeStatus, mayPass } from './status-error.ts';
import type { ListEndpoint } from './status-error.ts';

/** A page, with the server's time (see `serverTimeOf`) and the local time at which it was asked for, ms since the epoch. */
export type ListAnswer = Awaited<ReturnType<typeof askOnce>>;

/** One request to a list, its query included, and what came of it within `ms`: no status without a whole answer. */
export interface ListExchange extends Pick<ListAnswer, 'sentAtMs'> {
  readonly url: URL;
  readonly ms: number;
  readonly status: number | null;
  readonly page: Page | null;
  readonly problem: string | null;
}

/** A check of the page that goes beyond its shape; throws BadPageError to have the attempt repeated. */
export type PageCheck = (page: Page) => void;

export type ListClient = Readonly<ReturnType<typeof createListClient>>;

export interface ListClientParts extends Authorization {
  readonly endpoint: ListEndpoint;
  readonly exchange: Exchange;
  readonly retry: RetryParts;
  /** Both of the whole process; retries wait for their turn too. */
  readonly concurrency: ConcurrencyLimit;
  readonly turn: Turn;
  readonly observe?: (exchange: ListExchange) => void;
  /** Keeps secrets out of what is quoted of an answer. */
  readonly redact: (text: string) => string;
}

/**
 * A client of one list. The layers around a request stand here and nowhere else, from the outside in:
 *
 * 1. retry: repeats all that follows, as one attempt, and waits between attempts without holding anything
 * 2. token: renewed where it is due or refused, and no waiting for it keeps others from asking
 * 3. concurrency limit: what is in flight at once in the whole process, halved by a 429
 * 4. turn: the ceiling of requests per minute, last, or turns saved up before could leave together
 * 5. request: one exchange with deadline and body cap, over a proxy where the environment names one; no redirects
 * 6. status, encoding, page, and the caller's own check of the page
 *
 * @throws (from `get`) config_error for what a person must fix, transient_error once the budget is spent
 */
export function createListClient(parts: ListClientParts) {
  const { endpoint, retry } = parts;
  /** Tokens that this list returned a page for: answers to an older one may still come in after the first to a newer. */
  const accepted = new Set<string>();
  return {
    /** One page of the list, complete and checked, after as many attempts as the budget allows. */
    get: async (query: URLSearchParams, check: PageCheck, context: RequestContext): Promise<ListAnswer> => {
      const url = new URL(endpoint.url);
      url.search = query.toString();
      const request: ListRequest = { url, check, context, refusedTokens: new Set<string>(), refusals: [] };
      try {
        return await withRetry(() => attempt(request, accepted, parts), endpoint, retry, context);
      } catch (error) {
        throw error instanceof StatusError ? describeStatus(error, endpoint, query.toString()) : error;
      }
    },
  };
}

/** One request with all its attempts. */
interface ListRequest {
  readonly url: URL;
  readonly check: PageCheck;
  readonly context: RequestContext;
  /** Tokens with which it was refused. */
  readonly refusedTokens: Set<string>;
  /** Other refusals so far, by their status. */
  readonly refusals: number[];
}

/** One attempt; where its token is replaced, the same with the new one. */
async function attempt(
  request: ListRequest,
  accepted: Set<string>,
  parts: ListClientParts,
): Promise<ListAnswer> {
  const { url, check, context, refusedTokens, refusals } = request;
  const { signal } = context;
  const token = await parts.bearer(context);
  try {
    const answer = await parts.concurrency(() => askOnce(url, token, check, signal, parts), signal);
    accepted.add(token);
    return answer;
  } catch (error) {
    if (!(error instanceof StatusError) || error.isRetryable) throw error;
    const { status } = error;
    const hasAnswered = accepted.size > 0;
    if (status !== 401 && status !== 403) {
      // gateways refuse for a moment what they let through before and after: that is asked once more
      const isDoubtful = hasAnswered && refusals.length === 0;
      refusals.push(status);
      throw isDoubtful ? new StatusError(error, error.words, true) : error;
    }
    const wasAccepted = accepted.has(token);
    const isRepeated = refusedTokens.has(token);
    refusedTokens.add(token);
    const next = await parts.refused({ token, status, hasAnswered, wasAccepted, isRepeated }, signal);
    if (next === 'renew') return attempt(request, accepted, parts);
    throw next === 'retry' ? new StatusError(error, error.words, true) : error;
  }
}

/** One request in its turn, and the page in its answer. */
async function askOnce(
  url: URL,
  token: string,
  check: PageCheck,
  signal: AbortSignal,
  { exchange, retry, redact, observe, turn }: ListClientParts,
) {
  const { now, budget, count } = retry;
  await turn(signal);
  count('requests');
  const sentAtMs = now();
  let status: number | null = null;
  const tell = (page: Page | null, problem: string | null): void =>
    observe?.({ url, sentAtMs, ms: now() - sentAtMs, status, page, problem });
  try {
    const response = await exchange({
      method: 'GET',
      url,
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      body: null,
      deadlineMs: budget.deadlineMs,
      maxBytes: PAGE.mostBytes,
      signal,
    });
    ({ status } = response);
    if (status !== 200) throw new StatusError(response, wordsOf(response, redact), mayPass(status));
    const page = pageOf(response, redact);
    check(page);
    tell(page, null);
    return { ...page, serverTimeMs: serverTimeOf(response), sentAtMs };
  } catch (error) {
    tell(null, messageOf(error));
    throw error;
  }
}

/** The page in an answer; what is none is quoted, since a login page or a gateway's words tell a person more. */
function pageOf(response: HttpResponse, redact: ListClientParts['redact']): Page {
  try {
    return parsePage(response.body);
  } catch (error) {
    if (!(error instanceof BadPageError)) throw error;
    const { excerpt, requestIds } = wordsOf(response, redact);
    const type = shownHeader(response.headers['content-type'] ?? 'no content type', redact);
    const what = [`status ${response.status}`, type, requestIds].filter((part) => part !== '').join(', ');
    throw new BadPageError(`${error.message} (${what})${excerpt === '' ? '' : `: ${excerpt}`}`);
  }
}
