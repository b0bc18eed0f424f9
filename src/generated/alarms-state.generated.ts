// Generated from src/streams/alarms-state.schema.json by `npm run generate`. Do not edit.

/**
 * Fingerprints of rows at or behind a watermark that were emitted.
 */
export type SeenRows = string[];

/**
 * State of the stream alarms. `created_since` alone is enough, and may be written by hand.
 */
export interface AlarmsState {
  /**
   * Watermark: nothing created before it is missing. A time in the format of the API's records.
   */
  created_since?: string;
  seen?: SeenRows;
  /**
   * What is older was emitted, or is not wanted; one second below created_since if it is not there.
   */
  seen_since?: string;
  /**
   * Inside an unfinished read: cursor of the next page, a hint that is tried while it is young.
   */
  after?: string;
  /**
   * Local time at which `after` was current.
   */
  after_saved_at?: string;
  /**
   * createdSince of the chain that `after` belongs to; null if it had none.
   */
  chain_since?: string | null;
  /**
   * The latest created time that the chain had come to.
   */
  chain_newest?: string;
  /**
   * Server time at the chain's first answer.
   */
  read_started?: string;
  /**
   * Inside an unfinished read: the end_date that it left rows out by. With another one its place does not hold.
   */
  end_date?: string;
  /**
   * The start_date from which on the reads so far have covered the list; absent if that is its beginning, or if the state was written by hand.
   */
  covered_from?: string;
  earlier?: AlarmsState;
  ranges?: StateRanges;
}
/**
 * Inside an unfinished read by several chains: the ranges of time that are still open.
 */
export interface StateRanges {
  /**
   * @minItems 1
   * @maxItems 1000
   */
  open: StateRange[];
  origin: StateOrigin;
  /**
   * Server time at the start of the read.
   */
  read_started: string;
  /**
   * The latest created time seen, in the format of the API's records.
   */
  newest?: string;
}
export interface StateRange {
  since?: string;
  seen_since?: string;
  seen: SeenRows;
  /**
   * Rows created at this time or later belong to the next range.
   */
  until?: string;
  after?: string;
  after_saved_at?: string;
  chain_since?: string | null;
  chain_newest?: string;
}
/**
 * Watermark at which the read began.
 */
export interface StateOrigin {
  since?: string;
  seen_since?: string;
  seen: SeenRows;
}
