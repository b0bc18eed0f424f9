// Generated from src/config/state-message.schema.json by `npm run generate`. Do not edit.

/**
 * One state as a platform hands it back (protocol: AirbyteStateMessage), of the kind STREAM, GLOBAL or LEGACY.
 */
export type StateInput = {
  type: 'STREAM' | 'GLOBAL' | 'LEGACY';
  stream?: StreamStateEntry;
  global?: GlobalState;
  data?: LegacyState;
};

export interface StreamStateEntry {
  stream_descriptor: StateDescriptor;
  stream_state?: {} | null;
}
export interface StateDescriptor {
  name: string;
  namespace?: string | null;
}
export interface GlobalState {
  stream_states: StreamStateEntry[];
}
export interface LegacyState {
  [k: string]: {};
}
