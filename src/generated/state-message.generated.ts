// Generated from src/config/state-message.schema.json by `npm run generate`. Do not edit.

/**
 * A state as a platform returns it (protocol: AirbyteStateMessage), of type STREAM, GLOBAL or LEGACY.
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
  [k: string]: unknown;
}
