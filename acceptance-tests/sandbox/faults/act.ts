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
  /** The cursor that was asked for before this request's. */
  readonly cursorBefore: string | undefined;
}

/** Lets a fault happen in the place of the answer. False: it cannot happen here, and nothing has been sent. */
export type Act = (scene: Scene) => boolean;
