import { isConnectorError, messageOf, transientError, type ConnectorError } from '../errors.ts';
import { HttpExchangeError, mayHaveArrived } from '../http/exchange-error.ts';
import type { Exchange, NextStep } from '../http/request.ts';
import { displayUrl, serverTimeOf, wordsOf } from '../http/response.ts';
import { PAGE } from '../limits.ts';
import { counted, grouped } from '../protocol/messages.ts';
import { BadPageError, OtherShapeError, type Page } from '../rows/page.ts';
import type { Authorization } from '../token/provider.ts';
import { BarePageError, mayFollowRows } from './bare-page.ts';
import { pageIn } from './page-in.ts';
import type { ListMemory } from './page-memory.ts';
import type { ConcurrencyLimit, RequestLimiter } from './request-limits.ts';
import { newOutage } from './outage.ts';
import { withRetry } from './retry.ts';
import type { RetryContext, RetryDeps } from './retry.ts';
import { sizedQuery, type LimitedContext } from './sized-query.ts';
import {
  BadResponseError,
  StatusError,
  aboutToken,
  describeBrokenPage,
  describeFault,
  describeOtherShape,
  describeStatus,
} from './status-error.ts';
import { isRetryable, refusesForm, type ListEndpoint } from './status-error.ts';

/**
 * A page, the server's time (see `serverTimeOf`) and the local time of the request, both in ms since the epoch; `failures` of attempts
 * before it that fewer rows might have avoided, absent for none.
 */
export type ListPage = PageAt & { readonly failures?: number | undefined };
type PageAt = Awaited<ReturnType<typeof getPage>>;

/** Checks the content of a page; throws BadPageError to have the request retried. */
export type PageCheck = (page: CheckedPage) => void;

/** A page, with the members beside it; absent if there are none. */
export type CheckedPage = Pick<Page, 'rows' | 'pagination'> & Partial<Pick<Page, 'extras'>>;

/** What a caller passes along with the request for a page. */
export interface PageContext extends RetryContext, LimitedContext {
  /** Local time, ms since the epoch, after which no attempt may be sent, because what it asks for may have expired; absent: no limit. */
  readonly sendByMs?: number | undefined;
  /** What to change if the server refuses the request because of a bound in it; absent: there is none. */
  readonly boundAdvice?: string | undefined;
  /**
   * Whether what is asked for can be a reason to refuse the request, as a cursor, an offset or a bound can; `in its form` if only the form
   * of the bound can. Absent: it can.
   */
  readonly mayBeRefused?: boolean | 'in its form' | undefined;
}

/** No attempt could be sent in time. */
export class LateRequestError extends Error {
  override readonly name = 'LateRequestError';
}

export type ListClient = Readonly<ReturnType<typeof createListClient>>;

export interface ListClientDeps extends Authorization {
  readonly endpoint: ListEndpoint;
  readonly exchange: Exchange;
  readonly retry: RetryDeps;
  readonly memory: Pick<ListMemory, 'request'>;
  readonly limitConcurrency: ConcurrencyLimit; // both limits apply to the whole process, and to retries too
  readonly limitRate: RequestLimiter;
  readonly log: ((message: string) => void) | null; // logs each request with its result
  readonly redact: (text: string) => string; // masks secrets in quoted responses
}

/**
 * A client for one list. These are all layers around a request, from the outside in:
 *
 * 1. retry: repeats all other layers as one attempt, and blocks no other request while it waits
 * 2. token: renewed if it is due or was rejected; waiting for it blocks no other request
 * 3. concurrency limit: limits the requests in flight of the whole process, halved by a 429
 * 4. rate limit: requests per minute; comes last, so requests held back above are not sent in a burst
 * 5. request: one exchange with a deadline and a maximum size, then checks of the status and the page, including the caller's
 */
export function createListClient(deps: ListClientDeps) {
  const { endpoint, retry } = deps;
  const known = { accepted: new Set<string>(), confirmed: new Set<string>() };
  const { accepted, confirmed } = known;
  const outage = newOutage();
  return {
    /**
     * Returns one page, complete and checked. Throws a config_error if a person must fix the cause, else a transient_error; or a
     * LateRequestError.
     */
    get: async (query: URLSearchParams, check: PageCheck, context: PageContext): Promise<ListPage> => {
      const { signal } = context;
      const sized = sizedQuery(query, context);
      const judge = retryPolicy(known, deps.onRefusal, context, query);
      let token = '';
      let parameters = '';
      const attempt = async (onSend: (atMs: number) => void): Promise<PageAt> => {
        parameters = parametersIn(sized.next());
        const url = new URL(`${endpoint.url.href}?${parameters}`);
        token = await deps.getToken(context);
        const request = () => getPage(url, token, check, { ...context, onSend }, deps);
        return deps.memory.request(() => deps.limitConcurrency(request, signal));
      };
      const taken = (page: PageAt): ListPage => {
        accepted.add(token);
        return { ...page, failures: sized.failures() };
      };
      const judged = (error: unknown): Promise<NextStep> => {
        sized.note(error);
        return judge(error, token);
      };
      try {
        return taken(await withRetry(attempt, judged, endpoint, { ...retry, outage }, { ...context, sized }));
      } catch (error) {
        if (error instanceof BarePageError) {
          retry.patience.succeeded();
          return taken((error as BarePageError<PageAt>).page);
        }
        if (error instanceof StatusError && accepted.size > 0) confirmed.add(saidIn(error));
        const asked = { query: parameters, boundAdvice: context.boundAdvice ?? null };
        throw described(error, endpoint, asked, accepted.size > 0);
      }
    },
  };
}

/** The error for a failed request: what happened, and what a person can do about it. */
function described(
  error: unknown,
  endpoint: ListEndpoint,
  { query, boundAdvice }: { readonly query: string; readonly boundAdvice: string | null },
  hasReturnedPage: boolean,
): unknown {
  if (error instanceof HttpExchangeError) return describeFault(error, endpoint);
  if (error instanceof OtherShapeError) return describeOtherShape(error, endpoint, hasReturnedPage);
  if (error instanceof BadPageError) return describeBrokenPage(error, endpoint);
  if (error instanceof StatusError) return describeStatus(error, endpoint, query, boundAdvice);
  if (boundAdvice === null || hasReturnedPage || !isServerError(error)) return error;
  const message = `${error.message} If it fails each time: ${boundAdvice}`;
  return transientError('API_UNAVAILABLE', message, error.cause);
}

/** True if the server failed to process a request in every attempt. */
export function isServerError(error: unknown): error is ConnectorError {
  if (!isConnectorError(error, 'API_UNAVAILABLE')) return false;
  return error.cause instanceof StatusError && error.cause.status === 500;
}

/** The query of a request. Not every server decodes the + that stands for a blank in a form. */
function parametersIn(query: URLSearchParams): string {
  return query.toString().replaceAll('+', '%20');
}

/** What the responses of a list have shown. */
interface Known {
  readonly accepted: ReadonlySet<string>; // tokens with which it has returned a page: the response to an old one may come after the first to a new one
  readonly confirmed: ReadonlySet<string>; // what refusals said that lasted: one that says the same is no accident either
}

/** What the server says in a refusal, whatever the numbers in it. */
function saidIn(error: StatusError): string {
  return `${error.status} ${wordsOf(error)}`.replaceAll(/\d+/g, '0');
}

/** Returns a function that decides what follows each failed attempt of a request. */
function retryPolicy(
  { accepted, confirmed }: Known,
  onRefusal: Authorization['onRefusal'],
  { signal, mayBeRefused = true }: PageContext,
  query: URLSearchParams,
) {
  const refusedTokens = new Set<string>();
  return async (error: unknown, token: string): Promise<NextStep> => {
    const hasReturnedPage = accepted.size > 0;
    if (error instanceof BarePageError) return mayFollowRows(query) ? 'last' : 'confirm';
    if (error instanceof OtherShapeError && !hasReturnedPage) return 'confirm';
    if (isAnswer(error)) return 'last';
    if (isRetryable(error)) return 'retry';
    const isMalformed = error instanceof HttpExchangeError && error.fault === 'malformed';
    if (!(error instanceof StatusError) && !isMalformed) return 'fail';
    const status = error instanceof StatusError ? aboutToken(error, query.has('after')) : null;
    if (status !== null) {
      const isRepeated = refusedTokens.has(token);
      refusedTokens.add(token);
      const wasAccepted = accepted.has(token);
      return onRefusal({ token, status, hasReturnedPage, wasAccepted, isRepeated }, signal);
    }
    if (!hasReturnedPage) return 'fail';
    // a list that has returned pages exists, so this is an outage, as while a new version is deployed
    if (!(error instanceof StatusError) || error.status < 400 || error.status >= 500) return 'retry';
    const isRefusal = mayBeRefused === 'in its form' ? refusesForm(error) : mayBeRefused;
    if (mayBeRefused === true && confirmed.has(saidIn(error))) return 'fail';
    // gateways sometimes reject a valid request briefly
    return isRefusal ? 'confirm' : 'retry';
  };
}

/** True for a body that the list itself has sent, as a whole, and that cannot be read all the same. */
function isAnswer(error: unknown): boolean {
  if (error instanceof HttpExchangeError) return error.fault === 'unasked';
  if (error instanceof OtherShapeError) return error.hasRows;
  if (error instanceof BadResponseError) return error.isWhole;
  // others are from a check of a page
  return error instanceof BadPageError;
}

/** Waits for the rate limit, sends one request and parses the page in its response. */
async function getPage(
  url: URL,
  token: string,
  check: PageCheck,
  { signal, onSend, sendByMs = Infinity }: PageContext & { readonly onSend: (atMs: number) => void },
  deps: ListClientDeps,
) {
  const { exchange, redact, log, limitRate } = deps;
  const { now, patience, count } = deps.retry;
  await limitRate(signal);
  const sentAtMs = now();
  onSend(sentAtMs);
  if (sentAtMs > sendByMs) throw new LateRequestError('the request could not be sent in time');
  let wasSent = true;
  const report = (result: () => string): void =>
    log?.(`GET ${displayUrl(url)}${url.search}: ${result()} (${grouped(now() - sentAtMs)} ms)`);
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
  const limits = { deadlineMs: patience.budget.deadlineMs, maxBytes: PAGE.maxBytes };
  try {
    const response = await exchange({ method: 'GET', url, headers, body: null, ...limits, signal });
    const page = pageIn(response, redact);
    check(page);
    const { rows, pagination, isBare } = page;
    const found = () => ({
      rows,
      pagination,
      serverTimeMs: serverTimeOf(response),
      sentAtMs,
      receivedAtMs: now(),
    });
    if (isBare) throw new BarePageError(found());
    report(() => sizeOf(page));
    return found();
  } catch (error) {
    wasSent = mayHaveArrived(error);
    report(() => messageOf(error));
    throw error;
  } finally {
    if (wasSent) count('requests');
  }
}

/** Returns the number of rows of a page, and of the list if it is stated. */
function sizeOf({ rows, pagination }: Page): string {
  const total = pagination['totalCount'];
  return counted(rows.length, 'row', 'rows') + (typeof total === 'number' ? ` of ${grouped(total)}` : '');
}
