import type { IncomingHttpHeaders } from 'node:http';
import { configError } from '../errors.ts';
import { GATEWAY_HINT, HttpExchangeError, displayUrl, serverSays, trimSlashes } from '../http/response.ts';
import type { Excerpt, HttpResponse } from '../http/response.ts';
import { BadPageError } from '../rows/page.ts';
import { describeScope, type TokenScope } from '../token/rules.ts';

/** The server responded with a status other than 200. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly excerpt: Excerpt;

  constructor({ status, headers }: Pick<HttpResponse, 'status' | 'headers'>, excerpt: Excerpt) {
    super(`status ${status}${excerpt.requestIds}${excerpt.text === '' ? '' : `: ${excerpt.text}`}`);
    this.status = status;
    this.headers = headers;
    this.excerpt = excerpt;
  }
}

/** 304 is retryable because no request is conditional, so a cache between the API and us must be at fault. */
const RETRYABLE = new Set([304, 408, 425, 429]);

/** True for a failure that may be temporary, whatever was requested. */
export function isRetryable(error: unknown): boolean {
  if (!(error instanceof StatusError))
    return error instanceof HttpExchangeError || error instanceof BadPageError;
  return error.status >= 500 || error.status < 300 || RETRYABLE.has(error.status);
}

/** Where a list is, and which token it requires; contains no secrets. */
export interface ListEndpoint {
  readonly stream: string;
  readonly place: string; // its path in the config, such as `lists[1]`
  readonly url: URL; // for example `https://host/v1/name`, without a query
  readonly baseUrl: string; // as configured
  readonly scope: TokenScope;
}

const CODES: Partial<Record<number, 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND'>> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
};

/** The config_error for a permanent failure: what happened, and what a person can do about it. */
export function describeStatus({ status, excerpt }: StatusError, endpoint: ListEndpoint, query: string) {
  const { stream, place, url, scope } = endpoint;
  const audience = describeScope(scope);
  const address = displayUrl(url);
  const baseUrl = displayUrl(new URL(endpoint.baseUrl));
  const path = address.slice(trimSlashes(baseUrl).length);
  const modules = ` The token is for ${audience}: token.scopes must name the module of ${stream} too.`;
  const texts = {
    UNAUTHORIZED:
      `the API rejected a valid token for audience ${audience} (401). ` +
      `Check \`token\` and the audience of ${stream} in the config.`,
    FORBIDDEN:
      `${excerpt.isNotJson ? `status 403. ${GATEWAY_HINT}` : ''}the permission is missing or the product was not bought (403). A privileged user in the ` +
      `customer organization must grant the integrator the permission for ${stream}, and the organization must have ` +
      `bought the product.${scope.scopes === null ? '' : modules}`,
    NOT_FOUND:
      `there is no list at ${address} (404). ${place}.base_url (currently ${baseUrl})${place === stream ? '' : ` or ${place}.path`} is ` +
      `probably wrong; base_url is the part before ${path}.`,
    REDIRECTED:
      `the address redirects (${status}). Redirects are never followed, because they could send the token to another ` +
      `host. Set ${place}.base_url (currently ${baseUrl}) to the final address.`,
    REQUEST_REFUSED:
      `the API rejected the request (${status}) with ${query}. Check these settings of ${stream}: ` +
      `base_url, page_size${query.includes('createdSince=') ? ', start_date' : ''}.`,
  };
  const code = CODES[status] ?? (status < 400 ? 'REDIRECTED' : 'REQUEST_REFUSED');
  return configError(code, `${stream}: ${texts[code]}${code === 'REDIRECTED' ? '' : serverSays(excerpt)}`);
}
