import type { IncomingHttpHeaders } from 'node:http';

import { configError } from '../errors.ts';
import type { ConnectorError } from '../errors.ts';
import { asSaid, shownAddress } from '../http/answer.ts';
import type { AnswerWords } from '../http/answer.ts';

/** 304 among them: nothing was asked conditionally, so some cache on the way is at fault. */
const RETRYABLE = new Set([304, 408, 425, 429]);

/** An answer with a status that is not the one asked for. */
export interface RefusedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly words: AnswerWords;
}

/** The server answered with a status that is not the one asked for. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly answer: RefusedAnswer;

  constructor(answer: RefusedAnswer) {
    const { status, words } = answer;
    const ids = words.requestIds === '' ? '' : ` (${words.requestIds})`;
    super(`status ${status}${ids}${words.excerpt === '' ? '' : `: ${words.excerpt}`}`);
    this.answer = answer;
  }

  get status(): number {
    return this.answer.status;
  }

  /** True if the same request may well succeed later. */
  get isRetryable(): boolean {
    return this.status >= 500 || this.status < 300 || RETRYABLE.has(this.status);
  }
}

/** A refusal that is not believed yet: it comes from a list that answered a moment ago. */
export class DoubtfulStatusError extends StatusError {
  override get isRetryable(): boolean {
    return true;
  }
}

/** What comes first where a refusal is not in the form of an API. */
const GATEWAY =
  'a gateway or firewall on the way seems to refuse the request, since the answer is no JSON: check that this machine ' +
  'may reach the API. If it is the API itself: ';

/** Where a list is and what opens it. Nothing in it is secret. */
export interface ListEndpoint {
  readonly stream: string;
  /** Full address of the list, for example `https://host/v1/assets`, without a query. */
  readonly url: URL;
  /** As configured. */
  readonly baseUrl: string;
  /** What its token is for, in words. */
  readonly audience: string;
  /** True if that token is limited to modules which the config lists. */
  readonly isScoped: boolean;
}

/** The error for a status that will not pass by itself: what happened and what a person can do about it. */
export function describeStatus(error: StatusError, endpoint: ListEndpoint, query: string): ConnectorError {
  const { words } = error.answer;
  const said = asSaid(words);
  const { stream, audience, url } = endpoint;
  const address = shownAddress(url);
  const baseUrl = shownAddress(new URL(endpoint.baseUrl));
  const path = address.slice(baseUrl.replace(/\/+$/, '').length);
  switch (error.status) {
    case 401:
      return configError(
        'UNAUTHORIZED',
        `${stream}: the API does not accept a fresh token for audience ${audience} (401). ` +
          `Check \`token\` and the audience of ${stream} in the config.${said}`,
      );
    case 403:
      return configError(
        'FORBIDDEN',
        `${stream}: ${words.isForeign ? GATEWAY : ''}permission missing or product not bought (403). A privileged user in the customer organization ` +
          `must grant the integrator the permission for ${stream}, and the organization must have bought the product.${scopesHint(endpoint)}${said}`,
      );
    case 404:
      return configError(
        'NOT_FOUND',
        `${stream}: there is no list at ${address} (404). ${stream}.base_url is probably wrong; ` +
          `it is what stands before ${path}, now: ${baseUrl}.${said}`,
      );
    default:
      if (error.status >= 300 && error.status < 400)
        return configError(
          'REDIRECTED',
          `${stream}: the address redirects elsewhere (${error.status}), which is never followed because it could ` +
            `carry the token to another host. Set ${stream}.base_url to the final address, now: ${baseUrl}.`,
        );
      return configError(
        'REQUEST_REFUSED',
        `${stream}: the API refuses the request (${error.status}) with ${query}. Check what the config says of ${stream}: ` +
          `base_url, page_size${query.includes('createdSince=') ? ', start_date' : ''}.${said}`,
      );
  }
}

function scopesHint({ stream, audience, isScoped }: ListEndpoint): string {
  return isScoped ? ` The token is for ${audience}: token.scopes must name the module of ${stream} too.` : '';
}
