import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Answer, Query } from '../api/answer.ts';
import type { EndpointName } from '../lists.ts';

/** One request to an endpoint of the API. `response` is still untouched. */
export interface Call {
  endpoint: EndpointName;
  headers: IncomingHttpHeaders;
  query: Query;
  /** The text of the body; empty for a GET. */
  body: string;
  response: ServerResponse;
}

/** A moment at which a fault can happen: the request, the right answer to it, and how to send an answer. */
export interface Scene {
  readonly call: Call;
  readonly answer: Answer;
  /** Sends an answer, whole, and logs it. */
  readonly deliver: (answer: Answer) => void;
  /** The cursor of the page before the one that a cursor selects; undefined where that is not known. */
  readonly cursorBefore: (cursor: string) => string | undefined;
}

/** Lets a fault happen in the place of the answer. False: it cannot happen here, and nothing has been sent. */
export type Act = (scene: Scene) => boolean;

/** What the answer to a list says, read again; numbers may lose digits. */
export interface ReadPage {
  items: unknown[];
  metadata: { pagination: Record<string, unknown> };
}

/** The page in a right answer of a list. */
export function pageOf(answer: Answer): ReadPage {
  return JSON.parse(answer.body) as ReadPage;
}
