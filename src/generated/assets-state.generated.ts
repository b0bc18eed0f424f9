// Generated from src/streams/assets-state.schema.json by `npm run generate`. Do not edit.

export type Fingerprints = string[];

/**
 * State of the stream assets: a place in an unfinished read, or the mark of a finished one.
 */
export interface AssetsState {
  __ab_full_refresh_sync_complete?: boolean;
  offset?: number;
  anchors?: Fingerprints;
  head?: Fingerprints;
  inserted?: Fingerprints;
  rows?: number;
}
