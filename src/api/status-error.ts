import type { IncomingHttpHeaders } from 'node:http';

import { configError } from '../errors.ts';
import { asSaid, shownAddress, withoutSlashes } from '../http/answer.ts';
import type { AnswerWords } from '../http/answer.ts';
import { describeScope } from '../token/rules.ts';
import type { TokenScope } from '../token/rules.ts';

/** 304 among them: nothing was asked conditionally, so some cache on the way is at fault. */
const RETRYABLE = new Set([304, 408, 425, 429]);
/** Of errors whose status says what is wrong. */
const CODES: Partial<Record<number, 'UNAUTHORIZED' | 'FORBIDDEN' | 'NOT_FOUND'>> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
};

/** The server answered with a status that is not the one asked for. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly words: AnswerWords;
  /** True if the same request may well succeed later. */
  readonly isRetryable: boolean;

  constructor(
    { status, headers }: Pick<StatusError, 'status' | 'headers'>,
    words: AnswerWords,
    isRetryable: boolean,
  ) {
    const ids = words.requestIds === '' ? '' : ` (${words.requestIds})`;
    super(`status ${status}${ids}${words.excerpt === '' ? '' : `: ${words.excerpt}`}`);
    this.status = status;
    this.headers = headers;
    this.words = words;
    this.isRetryable = isRetryable;
  }
}

/** True for a status that may well be another one the next time, whatever was asked. */
export function mayPass(status: number): boolean {
  return status >= 500 || status < 300 || RETRYABLE.has(status);
}

/** What comes first where a refusal is not in the form of an API. */
const GATEWAY =
  'a gateway or firewall on the way seems to refuse the request, since the answer is no JSON: check that this machine ' +
  'may reach the API. If it is the API itself: ';

/** Where a list is and what opens it. Nothing in it is secret. */
export interface ListEndpoint {
  readonly stream: string;
  readonly place: string; // where the config describes it, such as `lists[1]`
  /** For example `https://host/v1/name`, without a query; `baseUrl` is as configured. */
  readonly url: URL;
  readonly baseUrl: string;
  readonly scope: TokenScope;
}

/** The error for a status that will not pass by itself: what happened and what a person can do about it. */
export function describeStatus({ status, words }: StatusError, endpoint: ListEndpoint, query: string): Error {
  const { stream, place, url, scope } = endpoint;
  const audience = describeScope(scope);
  const address = shownAddress(url);
  const baseUrl = shownAddress(new URL(endpoint.baseUrl));
  const path = address.slice(withoutSlashes(baseUrl).length);
  const modules = ` The token is for ${audience}: token.scopes must name the module of ${stream} too.`;
  const texts = {
    UNAUTHORIZED:
      `the API does not accept a fresh token for audience ${audience} (401). ` +
      `Check \`token\` and the audience of ${stream} in the config.`,
    FORBIDDEN:
      `${words.isForeign ? GATEWAY : ''}permission missing or product not bought (403). A privileged user in the ` +
      `customer organization must grant the integrator the permission for ${stream}, and the organization must have ` +
      `bought the product.${scope.scopes === null ? '' : modules}`,
    NOT_FOUND:
      `there is no list at ${address} (404). ${place}.base_url${place === stream ? '' : ` or ${place}.path`} is probably ` +
      `wrong; the base_url is what stands before ${path}, now: ${baseUrl}.`,
    REDIRECTED:
      `the address redirects elsewhere (${status}), which is never followed because it could ` +
      `carry the token to another host. Set ${place}.base_url to the final address, now: ${baseUrl}.`,
    REQUEST_REFUSED:
      `the API refuses the request (${status}) with ${query}. Check what the config says of ${stream}: ` +
      `base_url, page_size${query.includes('createdSince=') ? ', start_date' : ''}.`,
  };
  const code = CODES[status] ?? (status < 400 ? 'REDIRECTED' : 'REQUEST_REFUSED');
  return configError(code, `${stream}: ${texts[code]}${code === 'REDIRECTED' ? '' : asSaid(words)}`);
}
