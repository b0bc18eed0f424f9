import type { Tell } from './tell.ts';

/** A row of a list of the simulated API. Moments are numbers of requests that the whole API has served before. */
export interface SimulatedRow {
  readonly number: number;
  /** The moment from which it is in the list. */
  readonly from: number;
  /** The moment at which it was deleted; infinite for one that never was. */
  until: number;
}

/** What the API has answered, before anything happens to it on its way. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** One request to a list that was answered with a page. */
export interface ServedPage {
  readonly moment: number;
  /** The first row that was asked for; 0 in a list of cursors. */
  readonly offset: number;
  /** Numbers of the rows that were shown. */
  readonly rows: readonly number[];
}

export interface SimulatedList<Row extends SimulatedRow> {
  /** Answers one request; the list may change before it does. */
  readonly answer: (query: URLSearchParams) => Answer;
  /** Changes the list so many times between two reads. */
  readonly change: (times: number) => void;
  readonly rows: readonly Row[];
  /** What this read was shown, in order. */
  readonly served: readonly ServedPage[];
  /** A read begins. */
  readonly nextRead: () => void;
  /** The row that a RECORD holds, undefined for a text that was never shown. */
  readonly rowOf: (line: string) => number | undefined;
}

/** What a list goes by. */
export interface Surroundings {
  /** Server time, ms since the epoch. */
  readonly now: () => number;
  /** Requests that the whole API has served so far. */
  readonly moment: () => number;
  readonly tell: Tell;
  /** True while nothing changes. */
  readonly isCalm: () => boolean;
}

/** Refuses a request in words. */
export function refusal(status: number, words: string): Answer {
  return { status, body: JSON.stringify({ error: words }) };
}

/** A page as docs/api.md has it. */
export function pageOf(texts: readonly string[], pagination: Readonly<Record<string, unknown>>): Answer {
  const metadata = JSON.stringify({ pagination });
  return { status: 200, body: `{"items":[${texts.join(',')}],"metadata":${metadata}}` };
}
