// Generated from src/streams/cursor-state.schema.json by `npm run generate`. Do not edit.

/**
 * State of a cursor-paged stream. `created_since` alone is enough, and may be written by hand.
 */
export interface CursorState {
  /**
   * Where an unfinished read began, and the watermark after a finished one: nothing created before it is missing. A time in the format of the API's records.
   */
  created_since?: string;
  /**
   * Fingerprints of emitted rows that may be returned again, in the order in which they were received.
   *
   * @maxItems 10000
   */
  seen?: string[];
  /**
   * The start_date from which the reads so far have covered the list; absent if that is its beginning, or if the state was written by hand.
   */
  covered_from?: string;
  /**
   * The field by whose times the open ranges are bounded.
   */
  created_field?: string;
  /**
   * Version 0.1.0 wrote this after a finished read. Accepted and ignored.
   */
  complete?: boolean;
  /**
   * Ranges of created time that are not finished, in ascending order; everything else from covered_from on has been emitted. If absent: one range, from created_since on.
   *
   * @minItems 1
   * @maxItems 64
   */
  open?: StateRange[];
}
export interface StateRange {
  /**
   * Absent in a range that starts at the beginning of the list.
   */
  since?: string;
  /**
   * Rows created at this time or later belong to the next range; absent in the newest one.
   */
  until?: string;
  chain?: StateChain;
}
/**
 * Where to go on in the range, while the order of the list is not proven.
 */
export interface StateChain {
  /**
   * Cursor of the next page.
   */
  after: string;
  /**
   * Local time of the request that returned `after`.
   */
  saved_at: string;
  /**
   * createdSince of the chain to which `after` belongs; null if it had none.
   */
  since: string | null;
  /**
   * Server time at the chain's first response.
   */
  started: string;
  /**
   * The latest created time that the chain had reached.
   */
  newest?: string;
  /**
   * Development versions wrote this instead of `first_page`. Accepted and ignored.
   */
  first?: string;
  /**
   * Version 0.1.0 wrote this. Accepted and ignored.
   *
   * @maxItems 4
   */
  first_page?: string[];
  /**
   * Version 0.1.0 wrote this if `started` was taken from the local clock. Accepted and ignored.
   */
  clock?: 'local';
  /**
   * Page size of the chain; absent if it was the server's maximum.
   */
  page_size?: number;
}
