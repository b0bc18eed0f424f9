/** An answer that is ready to be sent. `rows`: how many items the body holds. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
  rows: number;
}

/** A successful JSON answer. */
export function jsonAnswer(status: number, body: string, rows: number): Answer {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body, rows };
}
