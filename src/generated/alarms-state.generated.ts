// Generated from src/streams/alarms-state.schema.json by `npm run generate`. Do not edit.

/**
 * State of the stream alarms. `created_since` alone is enough, and may be written by hand.
 */
export interface AlarmsState {
  /**
   * Watermark: nothing created before it is missing. A time in the format of the API's records.
   */
  created_since?: string;
  /**
   * Fingerprints of the rows at or behind the watermark that were emitted.
   */
  seen?: string[];
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
   * Server time at the chain's first answer.
   */
  read_started?: string;
}
