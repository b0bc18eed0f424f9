import type { StateInput } from '../generated/state-message.generated.ts';
import { listed, quoted, type StreamState } from '../protocol/messages.ts';
import { describeFaults } from './faults.ts';
import { isObject, keyName, parsedJson, snakeCased, type JsonObject } from './files.ts';
import { MESSAGE, withoutLead } from './lines.ts';
import schema from './state-message.schema.json' with { type: 'json' };

/** What is wrong with a state, without the name of its file. */
export class StateFormError extends Error {
  override readonly name = 'StateFormError';
}

/** The stream of a state is null if it names none. */
export type Entry = readonly [stream: string | null, state: StreamState];

export const STATE_TYPES = ['STATE', 'STREAM', 'GLOBAL', 'LEGACY'];
/** The other messages of connectors (Airbyte, Singer). */
export const OTHER_TYPES =
  'RECORD LOG TRACE CONTROL CATALOG SPEC CONNECTION_STATUS DESTINATION_CATALOG SCHEMA ACTIVATE_VERSION BATCH'.split(
    ' ',
  );
const MESSAGE_TYPES = [...STATE_TYPES, ...OTHER_TYPES];
/** The members that contain a state, next to its type. */
const CONTENTS = ['state', 'value', 'stream', 'global', 'data'];
/** What else the protocol has next to them. */
const STATISTICS = ['type', 'source_stats', 'destination_stats'];
/** The types of state by the member that each has: old states do not name their type. */
const MEMBERS = { stream: 'STREAM', global: 'GLOBAL', data: 'LEGACY' };
/** Members in which Singer, Meltano and others wrap states. What a later one contains replaces what an earlier one does. */
const WRAPPERS = [
  'state',
  'connectionState',
  'airbyte_state',
  'bookmarks',
  'singer_state',
  'completed',
  'completed_state',
  'partial',
  'partial_state',
];
const MAX_DEPTH = 10; // of nested lists and messages; no platform nests more than two

/** The type of a message, in capitals; null if the value is none of the known messages of connectors, which alone may be skipped. */
export function messageType(value: unknown): string | null {
  const { type } = isObject(value) ? value : {};
  const known = typeof type === 'string' ? type.toUpperCase() : '';
  return MESSAGE_TYPES.includes(known) ? known : null;
}

/** Says in which member of a document, or of others inside it, a log collector has put the messages of a read; null if in none. */
export function outputInside(document: unknown, depth: number): string | null {
  const mayWrap = typeof document === 'object' && document !== null && messageType(document) === null;
  if (!mayWrap || depth > MAX_DEPTH) return null;
  const members = Object.entries(document).filter(([name]) => !WRAPPERS.includes(name));
  const [name] = members.find(([, value]) => isMessage(value)) ?? [];
  if (name === undefined || Array.isArray(document))
    return members.map(([, value]) => outputInside(value, depth + 1)).find((found) => found !== null) ?? null;
  return (
    `contains the output of a read in ${nameOf(name)}, as a log collector keeps it. Extract that first, for example by jq -j, which also ` +
    'joins what was cut; or save what the program writes to stdout'
  );
}

/** True for a message, and for a text that begins like one. */
function isMessage(value: unknown): boolean {
  return typeof value === 'string' ? BEGIN.test(withoutLead(value)) : messageType(value) !== null;
}

const BEGIN = new RegExp(String.raw`^\s*${MESSAGE}`);

/**
 * Returns the states in one document, in order. It may be a list of STREAM states or of messages of a read, one of them, GLOBAL, LEGACY
 * (protocol: AirbyteStateMessage), an object of states by stream name, `{}`, null, a bare `{"created_since": …}`, which names no stream,
 * or what tools write that WRAPPERS names, also in camel case. A member that has the name of a stream in `known` is its
 * state, whatever else it could be. Throws a StateFormError if any part may be a state and is not understood.
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
  const type = messageType(document);
  if (type !== null && OTHER_TYPES.includes(type)) return [];
  const isContent = (name: string): boolean => type !== null && CONTENTS.includes(name);
  if (Object.keys(document).some((name) => known.includes(name) && !isContent(name)))
    return byName(document, at);
  // in a message of Singer the state is its value
  if (type === 'STATE') return statesIn(document['state'] ?? document['value'], inside(at, 'state'));
  if (Object.hasOwn(document, 'created_since')) return stateOf(null, document);
  if (typeof document['stateType'] === 'string') return ofConnection(document, at);
  const own = snakeCased(document);
  if (isObject(own['stream_descriptor'])) return typed({ type: 'STREAM', stream: own }, at);
  const kind = type ?? document['type'] ?? impliedType(document);
  if (kind !== undefined && !isObject(kind)) return typed({ ...document, type: kind }, at);
  return isWrapper(document, known) ? unwrapped(document, at) : byName(document, at);
}

/** The type of a state that does not name it; undefined unless one is certain. */
function impliedType(document: JsonObject): string | undefined {
  const implied = Object.entries(MEMBERS).filter(([member]) => isObject(document[member]));
  return implied.length === 1 ? implied[0]?.[1] : undefined;
}

/** The members of the state of a connection, as the API of Airbyte returns it, by its type. */
const CONNECTION_STATES = { stream: 'streamState', global: 'globalState', legacy: 'state' };

/** The state of a connection: null where there is none, which the type says too. */
function ofConnection(document: JsonObject, at: Place): readonly Entry[] {
  const type = String(document['stateType']).toLowerCase();
  const member = Object.entries(CONNECTION_STATES).find(([name]) => name === type)?.[1];
  const present = Object.values(CONNECTION_STATES).filter((name) => (document[name] ?? null) !== null);
  const isKnown = member === undefined ? type === 'not_set' : Object.hasOwn(document, member);
  const [other] = present.filter((name) => name !== member);
  if (!isKnown || other !== undefined)
    throw new StateFormError(
      `${at.place}has no state for its stateType${other === undefined ? '' : `, but ${other}`}`,
    );
  if (member === undefined) return [];
  const state = document[member];
  const isGlobal = type === 'global' && state !== null;
  return statesIn(isGlobal ? { type: 'GLOBAL', global: state } : state, inside(at, member));
}

/** True if a document only wraps others: nothing that may be a state, or name its stream, is next to them. */
function isWrapper(document: JsonObject, known: readonly string[]): boolean {
  const names = Object.keys(document);
  const others = names.filter((name) => !WRAPPERS.includes(name)).map((name) => document[name]);
  const isNeeded = (value: unknown): boolean => mayHold(value) || known.some((name) => name === value);
  return others.length < names.length && !others.some(isNeeded);
}

/** True for an object, a list with one, or a text of either. */
function mayHold(value: unknown): boolean {
  const inner = decoded(value);
  return Array.isArray(inner) ? inner.some(mayHold) : isObject(inner);
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
  const beside = Object.keys(snakeCased(document)).filter(
    (name) => ![...CONTENTS, ...STATISTICS].includes(name),
  );
  return entries.flatMap(({ stream_descriptor: { name, namespace }, stream_state: state, ...others }) => {
    const present = listed([...Object.keys(others), ...beside], nameOf);
    if (state === undefined && present !== '')
      throw new StateFormError(`${place}"stream_state" is missing next to ${present}`);
    // our streams have no namespace, so a state with one belongs to another source
    const owner = (namespace ?? '') === '' ? name : `${namespace}.${name}`;
    return stateOf(owner, state ?? null);
  });
}

function byName(document: JsonObject, { known, place }: Place): readonly Entry[] {
  const entries = Object.entries(document).map(([stream, state]) => [stream, decoded(state)] as const);
  const wrong = entries.filter(([, state]) => !isObject(state)).map(([name]) => name);
  const own = wrong.find((name) => known.includes(name) && decoded(document[name]) !== null);
  if (own !== undefined)
    throw new StateFormError(`${place}${own} must be an object: the state of that stream`);
  const hasOwn = entries.some(([name]) => known.includes(name));
  const unknown = wrong.filter((name) => !hasOwn || (!known.includes(name) && !isFlag(document[name])));
  if (unknown.length > 0)
    throw new StateFormError(
      `${place}has none of the forms of a state: the config has no stream ${listed(unknown, nameOf)}`,
    );
  return entries.flatMap(([stream, state]) => (isObject(state) ? stateOf(stream, state) : []));
}

/** True for what holds no part of a state, as a text may. */
function isFlag(value: unknown): boolean {
  return value === null || typeof value === 'boolean' || typeof value === 'number';
}

/** The state of a stream, unless there is none: old CDKs wrote only the sync mode of streams without one. */
function stateOf(stream: string | null, state: JsonObject | null): readonly Entry[] {
  if (state === null) return [];
  const present = withoutNulls(state, STATE_DEPTH) as JsonObject;
  const size = Object.keys(present).length;
  if (size === 1 && present['sync_mode'] === 'full_refresh') return [];
  // nothing but null is no state that anything wrote
  return [[stream, size === 0 ? state : present]];
}

const STATE_DEPTH = 3; // of the members of a state

/** Returns a value without members that are null, as databases write absent ones. In `confirmed_since`, null is the beginning of the list. */
function withoutNulls(value: unknown, depth: number): unknown {
  if (depth === 0) return value;
  if (Array.isArray(value)) return value.map((element) => withoutNulls(element, depth - 1));
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(
    ([name, member]) => member !== null || name === 'confirmed_since',
  );
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member, depth - 1)]));
}

/** The members by which a state is known, in each of its forms. */
const STATE_MEMBERS = ['created_since', 'stream_descriptor', 'stream_state', 'stream_states'];

/** True if any part of a document may be a state, whole or damaged: of a stream in `known`, or with a member of states. */
export function mayBeState(document: unknown, known: readonly string[], depth: number): boolean {
  const value = decoded(document);
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return false;
  const names = Object.keys(snakeCased(value));
  const ofStreams = Object.entries(value).filter(([name]) => known.includes(name));
  return (
    names.some((name) => STATE_MEMBERS.includes(name)) ||
    ofStreams.some(([, state]) => isObject(decoded(state))) ||
    Object.values(value).some((member) => mayBeState(member, known, depth + 1))
  );
}

/** What comes from a document that is no state may be long, or a secret. */
const nameOf = (name: string): string => quoted(keyName(name));
