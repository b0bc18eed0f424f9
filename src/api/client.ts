import { messageOf } from '../errors.ts';
import type { Exchange, NextStep, RequestContext } from '../http/request.ts';
import { excerptOf, quoteHeader, serverTimeOf } from '../http/response.ts';
import type { HttpResponse } from '../http/response.ts';
import { PAGE } from '../limits.ts';
import { BadPageError, parsePage } from '../rows/page.ts';
import type { Page } from '../rows/page.ts';
import type { Authorization } from '../token/provider.ts';
import type { ConcurrencyLimit, RequestLimiter } from './request-limits.ts';
import { withRetry } from './retry.ts';
import type { RetryParts } from './retry.ts';
import { StatusError, describeStatus, isRetryable } from './status-error.ts';
import type { ListEndpoint } from './status-error.ts';

/** A page, the server's time (see `serverTimeOf`) and the local time of its request, both in ms since the epoch. */
export type ListAnswer = Awaited<ReturnType<typeof requestPage>>;

/** One request to a list and its outcome after `ms`; `status` is null without a complete response. */
export interface ListExchange extends Pick<ListAnswer, 'sentAtMs'> {
  readonly url: URL;
  readonly ms: number;
  readonly status: number | null;
  readonly page: Page | null;
  readonly problem: string | null;
}

/** Checks more than the shape of a page; throws BadPageError to have the attempt repeated. */
export type PageCheck = (page: Page) => void;

export type ListClient = Readonly<ReturnType<typeof createListClient>>;

export interface ListClientParts extends Authorization {
  readonly endpoint: ListEndpoint;
  readonly exchange: Exchange;
  readonly retry: RetryParts;
  /** Both limits apply to the whole process, and to retries too. */
  readonly limitConcurrency: ConcurrencyLimit;
  readonly limitRate: RequestLimiter;
  readonly observe?: (exchange: ListExchange) => void;
  /** Masks secrets in quoted responses. */
  readonly redact: (text: string) => string;
}

/**
 * A client for one list. The layers around a request are here and nowhere else, from the outside in:
 *
 * 1. retry: repeats everything below as one attempt, and holds nothing while it waits
 * 2. token: renewed if it is due or rejected; waiting for it does not block other requests
 * 3. concurrency limit: bounds the requests in flight in the whole process, halved by a 429
 * 4. rate limit: requests per minute; innermost, or requests that were let through could leave together
 * 5. request: one exchange with deadline and body cap, through a proxy if the environment names one; no redirects
 * 6. status, encoding, page, and the caller's own check of the page
 *
 * @throws (from `get`) config_error for what a person must fix, transient_error once the budget is spent
 */
export function createListClient(parts: ListClientParts) {
  const { endpoint, retry } = parts;
  /** Tokens that this list has returned a page for. Responses to an old token may follow the first one to a new token. */
  const accepted = new Set<string>();
  return {
    /** Returns one page of the list, complete and checked, after as many attempts as the budget allows. */
    get: async (query: URLSearchParams, check: PageCheck, context: RequestContext): Promise<ListAnswer> => {
      const { signal } = context;
      const url = new URL(endpoint.url);
      url.search = query.toString();
      const judge = failureJudge(accepted, parts, signal);
      let token = '';
      const attempt = async (): Promise<ListAnswer> => {
        token = await parts.getToken(context);
        const request = () => requestPage(url, token, check, signal, parts);
        const answer = await parts.limitConcurrency(request, signal);
        accepted.add(token);
        return answer;
      };
      try {
        return await withRetry(attempt, (error) => judge(error, token), endpoint, retry, context);
      } catch (error) {
        throw error instanceof StatusError ? describeStatus(error, endpoint, query.toString()) : error;
      }
    },
  };
}

/** Returns a function that decides what follows each failed attempt of one request. `accepted` are the tokens that worked for its list. */
function failureJudge(accepted: ReadonlySet<string>, { onRefusal }: Authorization, signal: AbortSignal) {
  const refusedTokens = new Set<string>();
  let refusals = 0;
  return async (error: unknown, token: string): Promise<NextStep> => {
    if (isRetryable(error)) return 'retry';
    if (!(error instanceof StatusError)) return 'fail';
    const { status } = error;
    const hasAnswered = accepted.size > 0;
    if (status === 401 || status === 403) {
      const isRepeated = refusedTokens.has(token);
      refusedTokens.add(token);
      const wasAccepted = accepted.has(token);
      return onRefusal({ token, status, hasAnswered, wasAccepted, isRepeated }, signal);
    }
    // gateways sometimes refuse for a moment what they normally let through, so a list that worked is asked once more
    refusals++;
    return hasAnswered && refusals === 1 ? 'retry' : 'fail';
  };
}

/** Waits for the rate limit, sends one request and parses the page in its response. */
async function requestPage(
  url: URL,
  token: string,
  check: PageCheck,
  signal: AbortSignal,
  { exchange, retry, redact, observe, limitRate }: ListClientParts,
) {
  const { now, budget, count } = retry;
  await limitRate(signal);
  count('requests');
  const sentAtMs = now();
  let status: number | null = null;
  const report = (page: Page | null, problem: string | null): void =>
    observe?.({ url, sentAtMs, ms: now() - sentAtMs, status, page, problem });
  try {
    const response = await exchange({
      method: 'GET',
      url,
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      body: null,
      deadlineMs: budget.deadlineMs,
      maxBytes: PAGE.maxBytes,
      signal,
    });
    ({ status } = response);
    if (status !== 200) throw new StatusError(response, excerptOf(response, redact));
    const page = pageOf(response, redact);
    check(page);
    report(page, null);
    return { ...page, serverTimeMs: serverTimeOf(response), sentAtMs };
  } catch (error) {
    report(null, messageOf(error));
    throw error;
  }
}

/** Parses the page in a response. The error quotes the body, because a login page or a gateway's message explains more. */
function pageOf(response: HttpResponse, redact: ListClientParts['redact']): Page {
  try {
    return parsePage(response.body);
  } catch (error) {
    if (!(error instanceof BadPageError)) throw error;
    const { text, requestIds } = excerptOf(response, redact);
    const type = quoteHeader(response.headers['content-type'] ?? 'no content type', redact);
    const details = `(status ${response.status}, ${type})${requestIds}`;
    throw new BadPageError(`${error.message} ${details}${text === '' ? '' : `: ${text}`}`);
  }
}
