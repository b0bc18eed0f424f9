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

/** Refuses a request in words. */
export function refusal(status: number, words: string): Answer {
  return { status, body: JSON.stringify({ error: words }) };
}

/** A page as docs/api.md has it. */
export function pageBody(texts: readonly string[], pagination: Readonly<Record<string, unknown>>): string {
  return `{"items":[${texts.join(',')}],"metadata":{"pagination":${JSON.stringify(pagination)}}}`;
}
