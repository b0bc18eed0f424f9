// Generated from src/streams/cursor-state.schema.json by `npm run generate`. Do not edit.

export type StateRow = string;

/**
 * State of a cursor-paged stream: the question that is asked next, and the rows that it may return again. `created_since` alone may be written by hand, and acts like a start date.
 */
export interface CursorState {
  /**
   * Of the form of the state; version 0.1.0 of the connector wrote none.
   */
  version?: 2;
  /**
   * The createdSince that is asked next, as it is sent; absent if there is no bound yet. A time in the format of the API's records.
   */
  created_since?: string;
  /**
   * Rows that were emitted and that the question may return again, in the order of receipt: the fingerprint of the text (11 characters), and the created second in base 36, counted from created_since, or from 1970 if that is absent. Versions before 0.3.0 wrote other fingerprints (12 characters), and 0.1.0 no time (16 characters).
   *
   * @maxItems 10000
   */
  seen?: StateRow[];
  /**
   * More such rows, which only chains ahead of the front have returned: rows before them may still be missing.
   *
   * @maxItems 10000
   */
  seen_ahead?: StateRow[];
  /**
   * The field whose times these are.
   */
  created_field?: string;
  /**
   * Inside a read, if created_since is later: the last question that has returned rows in seen; null is the beginning of the list. It is asked again if created_since returns none of the rows in seen.
   */
  confirmed_since?: string | null;
  /**
   * After a finished read: up to when it has seen the list.
   */
  read_at?: string;
  left_out?: StateLeftOut;
  /**
   * Version 0.1.0 wrote the ranges that were not finished. Accepted: the question is the lowest of them.
   *
   * @minItems 1
   * @maxItems 64
   */
  open?: StateRange[];
  /**
   * Version 0.1.0 wrote this. Accepted and ignored.
   */
  covered_from?: string;
  /**
   * Version 0.1.0 wrote this after a finished read. Accepted and ignored.
   */
  complete?: boolean;
}
/**
 * Times between which a start_date later than the question has left rows out; they are asked for once it is earlier again.
 */
export interface StateLeftOut {
  since: string;
  until: string;
}
export interface StateRange {
  /**
   * Absent in a range that starts at the beginning of the list.
   */
  since?: string;
  until?: string;
  /**
   * Where to go on in the range. Accepted and ignored.
   */
  chain?: {};
}
