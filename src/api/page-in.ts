import { isRemark, mayReport, reportsFailure } from '../http/reported-failure.ts';
import { excerptOf, lineOf, quoteHeader, type Excerpt, type HttpResponse } from '../http/response.ts';
import { statedStatus } from '../http/stated-status.ts';
import { QUOTED } from '../limits.ts';
import {
  BadPageError,
  LargeBodyError,
  OtherShapeError,
  extraValue,
  parsePage,
  type Page,
} from '../rows/page.ts';
import { describePageFault, describeShape } from './page-fault.ts';
import { BadResponseError, StatusError } from './status-error.ts';

type Redact = (text: string) => string;

/**
 * Returns the page in a response. Throws StatusError, BadPageError or OtherShapeError if there is none; they quote the body, which may be a login page or the message of a gateway.
 */
export function pageIn(response: HttpResponse, redact: Redact): Page {
  if (!mayHavePage(response.status)) throw noPage(response, excerptOf(response, redact));
  const page = parsed(response, redact);
  const said = failureIn(page);
  if (said !== null) throw failedPage(said, page, response, redact);
  return page;
}

function parsed(response: HttpResponse, redact: Redact): Page {
  try {
    return parsePage(response.body);
  } catch (error) {
    throw error instanceof BadPageError ? describedFault(error, response, redact) : error;
  }
}

/** Any success but those without a result: a 202 may not have all of it yet. That a body is whole, as in a 206, its JSON tells. */
const mayHavePage = (status: number): boolean => status >= 200 && status < 300 && !WITHOUT_RESULT.has(status);
const WITHOUT_RESULT = new Set([202, 204, 205]);
const NO_PAGE = 'an answer without content, where a page is expected';

/** The error for a status without a page; one without content says nothing itself. */
function noPage(response: HttpResponse, excerpt: Excerpt): StatusError {
  const isEmpty = WITHOUT_RESULT.has(response.status) && excerpt.text === '';
  return new StatusError(response, isEmpty ? { ...excerpt, text: NO_PAGE } : excerpt);
}

/** The error for a body that is no page. */
function describedFault(error: BadPageError, response: HttpResponse, redact: Redact): Error {
  const excerpt = excerptOf(response, redact);
  const { text, requestIds } = excerpt;
  const stated = statedIn(response, excerpt);
  if (stated !== null) return stated;
  const shape = error instanceof OtherShapeError ? describeShape(response.body) : null;
  if (shape !== null) {
    // without rows, what it says may be the reason
    const said = shape.hasRows || text === '' ? '' : `: ${text}`;
    return new OtherShapeError(`the body is ${redact(shape.words)}${requestIds}${said}`, null, shape.hasRows);
  }
  const details = `${detailsOf(response, redact)}${requestIds}`;
  // scanning again takes long, so only texts that are broken are scanned
  const isBroken = error.message.startsWith('the body is not valid');
  const fault = isBroken ? describePageFault(response.body) : null;
  const problem = fault === null ? error.message : `the body is ${redact(fault.words)}`;
  const message = `${problem} ${details}${text === '' ? '' : `: ${text}`}`;
  const isLarge = error instanceof LargeBodyError;
  const isPage = !isBroken && !isLarge && !(error instanceof OtherShapeError) && response.body.length > 0;
  // of what is around a page, a smaller one has as much
  const isCut = fault?.isWrapped === false || response.body.length === 0 || isLarge;
  const nature = { isWhole: isPage || fault?.isCut === false, isCut };
  return new BadResponseError(message, fault?.words ?? null, nature, response.headers);
}

/** The error for the status that a body states instead of its own; null if it states none. */
function statedIn(response: HttpResponse, excerpt: Excerpt): StatusError | null {
  const status = statedStatus(response.body, excerpt.text);
  if (status === null) return null;
  const where = ` (stated in a response with status ${response.status})${excerpt.requestIds}`;
  return new StatusError({ ...response, status }, { ...excerpt, requestIds: where });
}

function detailsOf({ status, headers }: HttpResponse, redact: Redact): string {
  return `(status ${status}, ${quoteHeader(headers['content-type'] ?? 'no content type', redact)})`;
}

/** The members beside a page that say that it failed, and its remarks, as they were sent; null if it did not fail. */
function failureIn({ extras }: Page): string | null {
  const failures = extras.filter((one) => mayReport(one.name) && reportsFailure(one.name, extraValue(one)));
  if (failures.length === 0) return null;
  const remarks = extras.filter(({ name }) => isRemark(name));
  return [...failures, ...remarks]
    .map(({ name, json }) => `${JSON.stringify(name)}: ${json.toString('utf8', 0, QUOTED.maskedChars)}`)
    .join(', ');
}

/** The error for a page that says that it failed. One without rows is no answer of the list, so it counts as an outage. */
function failedPage(said: string, { rows }: Page, response: HttpResponse, redact: Redact): Error {
  const text = lineOf(said, redact);
  const excerpt = excerptOf(response, redact);
  const stated = statedIn(response, { ...excerpt, text });
  if (stated !== null) return stated;
  const message = `the page reports a failure, so rows may be missing: ${text} ${detailsOf(response, redact)}${excerpt.requestIds}`;
  return new BadResponseError(message, null, { isWhole: rows.length > 0, isCut: false }, response.headers);
}
