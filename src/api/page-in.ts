import { excerptOf, quoteHeader, type Excerpt, type HttpResponse } from '../http/response.ts';
import { statedStatus } from '../http/stated-status.ts';
import { BadPageError, LargeBodyError, OtherShapeError, parsePage, type Page } from '../rows/page.ts';
import { describePageFault, describeShape } from './page-fault.ts';
import { BadResponseError, StatusError } from './status-error.ts';

type Redact = (text: string) => string;

/**
 * Returns the page in a response. Throws StatusError, BadPageError or OtherShapeError if there is none; they quote the body, which may be a login page or the message of a gateway.
 */
export function pageIn(response: HttpResponse, redact: Redact): Page {
  if (!mayHavePage(response.status)) throw noPage(response, excerptOf(response, redact));
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
  const status = statedStatus(response.body, text);
  if (status !== null) {
    const where = ` (stated in a response with status ${response.status})${requestIds}`;
    return new StatusError({ ...response, status }, { ...excerpt, requestIds: where });
  }
  const shape = error instanceof OtherShapeError ? describeShape(response.body) : null;
  if (shape !== null) {
    // without rows, what it says may be the reason
    const said = shape.hasRows || text === '' ? '' : `: ${text}`;
    return new OtherShapeError(`the body is ${redact(shape.words)}${requestIds}${said}`, null, shape.hasRows);
  }
  const type = quoteHeader(response.headers['content-type'] ?? 'no content type', redact);
  const details = `(status ${response.status}, ${type})${requestIds}`;
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
