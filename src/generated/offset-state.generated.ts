// Generated from src/streams/offset-state.schema.json by `npm run generate`. Do not edit.

export type Fingerprints = string[];

/**
 * State of an offset-paged stream: the position of an unfinished read, or a marker for a finished one.
 */
export interface OffsetState {
  __ab_full_refresh_sync_complete?: boolean;
  offset?: number;
  anchors?: Fingerprints;
  head?: Fingerprints;
  rows?: number;
  clash?: true;
  aligned?: number;
}
