import type { StateInput } from '../generated/state-message.generated.ts';
import type { StreamState } from '../protocol/messages.ts';
import { describeFaults } from './faults.ts';
import { isObject, type JsonObject } from './files.ts';
import schema from './state-message.schema.json' with { type: 'json' };

/** What is wrong with a state, without the name of its file. */
export class StateFormError extends Error {
  override readonly name = 'StateFormError';
}

/** The stream of a state is null if it names none. */
export type Entry = readonly [stream: string | null, state: StreamState];

export const STATE_TYPES = ['STATE', 'STREAM', 'GLOBAL', 'LEGACY'];
/** The other messages of connectors (Airbyte, Singer). */
const MESSAGE_TYPES =
  'RECORD LOG TRACE CONTROL CATALOG SPEC CONNECTION_STATUS SCHEMA ACTIVATE_VERSION BATCH'.split(' ');
/** The types of state by the member that each has: old states do not name their type. */
const MEMBERS = { stream: 'STREAM', global: 'GLOBAL', data: 'LEGACY' };
/** The members that the settings page and the API of Airbyte write in camel case. */
const SNAKE_CASE: Readonly<Record<string, string>> = {
  streamDescriptor: 'stream_descriptor',
  streamState: 'stream_state',
  streamStates: 'stream_states',
  sharedState: 'shared_state',
};
/** Members in which Singer, Meltano and others wrap states. What a later one contains replaces what an earlier one does. */
const WRAPPERS = [
  'state',
  'airbyte_state',
  'bookmarks',
  'singer_state',
  'completed',
  'completed_state',
  'partial',
  'partial_state',
];
const MAX_DEPTH = 10; // of nested lists and messages; no platform nests more than two

/**
 * Returns the states in one document, in order. It may be a list of STREAM states or of messages of a read, one of them, GLOBAL, LEGACY
 * (protocol: AirbyteStateMessage), an object of states by stream name, `{}`, null, a bare `{"created_since": …}`, which names no stream,
 * or what the tools write that WRAPPERS and SNAKE_CASE name. A member that has the name of a stream in `known` is its
 * state, whatever else it could be. Throws a StateFormError.
 */
export function statesOf(document: unknown, known: readonly string[]): readonly Entry[] {
  return statesIn(document, { known, place: '', depth: 0 });
}

interface Place {
  readonly known: readonly string[];
  readonly place: string; // with which messages begin, such as `[2]: state: `
  readonly depth: number;
}

function inside({ known, place, depth }: Place, step: string): Place {
  return { known, place: `${place}${step}: `, depth: depth + 1 };
}

function statesIn(document: unknown, at: Place): readonly Entry[] {
  const { known, place, depth } = at;
  if (depth > MAX_DEPTH) throw new StateFormError(`${place}is nested too deeply to be a state`);
  if (document === null) return [];
  if (Array.isArray(document))
    return document.flatMap((element, index) => statesIn(element, inside(at, `[${index}]`)));
  if (!isObject(document)) throw new StateFormError(`${place}must be an object or an array of states`);
  const { type } = document;
  if (MESSAGE_TYPES.includes(String(type))) return [];
  // in a message of Singer the state is its value
  if (type === 'STATE') return statesIn(document['state'] ?? document['value'], inside(at, 'state'));
  if (Object.hasOwn(document, 'created_since')) return [[null, document]];
  if (typeof document['stateType'] === 'string') return ofConnection(document, at);
  const own = snakeCased(document);
  if (isObject(own['stream_descriptor'])) return typed({ type: 'STREAM', stream: own }, place);
  const [, implied] = Object.entries(MEMBERS).find(([member]) => isObject(document[member])) ?? [];
  const kind = typeof type === 'string' ? type : implied;
  if (kind !== undefined) return typed({ ...document, type: kind }, place);
  return isWrapper(document, known) ? unwrapped(document, at) : byName(document, place);
}

/** The state of a connection, as the API of Airbyte returns it. */
function ofConnection(document: JsonObject, at: Place): readonly Entry[] {
  const { stateType: type, streamState: streams, globalState: global, state } = document;
  if (type === 'global') return statesIn({ type: 'GLOBAL', global }, inside(at, 'globalState'));
  if (type === 'legacy') return statesIn(state ?? null, inside(at, 'state'));
  return statesIn(streams ?? null, inside(at, 'streamState'));
}

/** True if a document only wraps others: neither a stream of the config nor another object is next to them. */
function isWrapper(document: JsonObject, known: readonly string[]): boolean {
  const names = Object.keys(document);
  const others = names.filter((name) => !WRAPPERS.includes(name));
  if (others.length === names.length || names.some((name) => known.includes(name))) return false;
  return others.every((name) => !isObject(document[name]));
}

function unwrapped(document: JsonObject, at: Place): readonly Entry[] {
  return WRAPPERS.flatMap((name) => statesIn(document[name] ?? null, inside(at, name)));
}

function snakeCased(value: unknown): JsonObject {
  const members = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(members.map(([name, member]) => [SNAKE_CASE[name] ?? name, member]));
}

/** A state of a type, with the names of the protocol. */
function renamed({ stream, global, ...members }: JsonObject): JsonObject {
  const own = snakeCased(global);
  const { stream_states: entries } = own;
  const states = Array.isArray(entries) ? { stream_states: entries.map(renamedEntry) } : {};
  return {
    ...members,
    ...(stream === undefined ? {} : { stream: renamedEntry(stream) }),
    ...(global === undefined ? {} : { global: isObject(global) ? { ...own, ...states } : global }),
  };
}

const renamedEntry = (entry: unknown): unknown => (isObject(entry) ? snakeCased(entry) : entry);

function typed(document: JsonObject, place: string): readonly Entry[] {
  // some clients write null for members that a state does not have (PyAirbyte: global and data)
  const members = Object.entries(document).filter(([, value]) => value !== null);
  const input = renamed(Object.fromEntries(members));
  const faults = describeFaults(input, schema);
  if (faults !== null) throw new StateFormError(`${place}${faults}`);
  const { type, stream, global, data } = input as unknown as StateInput;
  if (type === 'LEGACY') return byName(data as JsonObject, place);
  const entries = (type === 'GLOBAL' ? global?.stream_states : stream && [stream]) ?? [];
  return entries.flatMap(({ stream_descriptor: { name, namespace }, stream_state: state, ...others }) => {
    const present = Object.keys(others).join(', ');
    if (state === undefined && present !== '')
      throw new StateFormError(`${place}stream_state is missing next to ${present}`);
    // our streams have no namespace, so a state with one belongs to another source
    const owner = (namespace ?? '') === '' ? name : `${namespace}.${name}`;
    return state ? [[owner, state] as const] : [];
  });
}

function byName(document: JsonObject, place: string): readonly Entry[] {
  return Object.entries(document).map(([stream, state]) => {
    if (isObject(state)) return [stream, state];
    throw new StateFormError(`${place}${stream} must be an object: the state of that stream`);
  });
}
