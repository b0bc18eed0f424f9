import type { StateInput } from '../generated/state-message.generated.ts';
import { listed, quoted, type StreamState } from '../protocol/messages.ts';
import { describeFaults } from './faults.ts';
import { isObject, keyName, parsedJson, snakeCased, type JsonObject } from './files.ts';
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
 * or what tools write that WRAPPERS names, also in camel case. A member that has the name of a stream in `known` is its
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

function statesIn(given: unknown, at: Place): readonly Entry[] {
  const { known, place, depth } = at;
  const document = decoded(given);
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
  if (isObject(own['stream_descriptor'])) return typed({ type: 'STREAM', stream: own }, at);
  const [, implied] = Object.entries(MEMBERS).find(([member]) => isObject(document[member])) ?? [];
  const kind = typeof type === 'string' ? type : implied;
  if (kind !== undefined) return typed({ ...document, type: kind }, at);
  return isWrapper(document, known) ? unwrapped(document, at) : byName(document, at);
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

function renamedEntry(entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  const { stream_state: state, ...own } = snakeCased(entry);
  return state === undefined ? own : { ...own, stream_state: decoded(state) };
}

/** Returns a value, or what a text of JSON contains: tables and variables hold states as texts. */
function decoded(value: unknown): unknown {
  return typeof value === 'string' ? (parsedJson(value) ?? value) : value;
}

function typed(document: JsonObject, at: Place): readonly Entry[] {
  const { place } = at;
  // some clients write null for members that a state does not have (PyAirbyte: global and data)
  const members = Object.entries(document).filter(([, value]) => value !== null);
  const input = renamed(Object.fromEntries(members));
  const faults = describeFaults(input, schema);
  if (faults !== null) throw new StateFormError(`${place}${faults}`);
  const { type, stream, global, data } = input as unknown as StateInput;
  if (type === 'LEGACY') return byName(data as JsonObject, at);
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

function byName(document: JsonObject, { known, place }: Place): readonly Entry[] {
  const entries = Object.entries(document).map(([stream, state]) => [stream, decoded(state)] as const);
  const wrong = entries.filter(([, state]) => !isObject(state)).map(([name]) => name);
  const [own] = wrong.filter((name) => known.includes(name));
  if (own !== undefined)
    throw new StateFormError(`${place}${own} must be an object: the state of that stream`);
  if (wrong.length === 0) return entries as Entry[];
  throw new StateFormError(
    `${place}has none of the forms of a state: the config has no stream ${listed(wrong, nameOf)}`,
  );
}

/** What comes from a document that is no state may be long, or a secret. */
const nameOf = (name: string): string => quoted(keyName(name));
