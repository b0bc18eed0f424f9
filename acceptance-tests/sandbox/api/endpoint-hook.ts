import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { EndpointName } from '../client-types.ts';
import type { Knobs } from '../knobs/knobs.ts';
import type { Answer } from './answer.ts';
import type { Query } from './query.ts';

/** One request to an endpoint of the API. `response` is still untouched. */
export interface Call {
  endpoint: EndpointName;
  headers: IncomingHttpHeaders;
  query: Query;
  /** The text of the body; empty for a GET. */
  body: string;
  knobs: Knobs;
  response: ServerResponse;
}

/** Sends an answer, whole, and logs it. */
export type Deliver = (answer: Answer) => void;

/**
 * The seam for misbehaviour: what happens before an endpoint does its work, and around the sending of its answer.
 * Nothing here is used by the sandbox itself.
 */
export interface EndpointHook {
  /** May answer in the endpoint's place, or take its time. */
  before?(call: Call): Promise<Answer | undefined>;
  /** Sends the answer, changed or not, now or later; or writes to `call.response` itself; or never answers. */
  around?(call: Call, answer: Answer, deliver: Deliver): Promise<void>;
}
