import { createValidator, describeFaults } from '../config/validator.ts';
import type { StateInput } from '../generated/state-message.generated.ts';
import type { StreamState } from './messages.ts';
import { validate } from '../generated/validators/state-message.generated.ts';
import schema from './state-message.schema.json' with { type: 'json' };

/** The last state of each stream, by name. */
export type StreamStates = ReadonlyMap<string, StreamState>;

/** A document is not a state in any form that we know; the message says what is wrong, without the file's name. */
export class StateFormError extends Error {
  override readonly name = 'StateFormError';
}

/** Lists and messages in one another: no platform nests more than two. */
const DEEPEST = 10;

type Entry = readonly [stream: string, state: StreamState];
type Json = Readonly<Record<string, unknown>>;

/**
 * The states in one document, in their order (protocol: AirbyteStateMessage). Every form that a person or a platform
 * has at hand: a list of STREAM states or of whole STATE messages, one of them, GLOBAL, LEGACY, an object of states by
 * stream name, `{}` and null, or a bare `{"created_since": …}`, which can only be one of alarms.
 *
 * @throws StateFormError
 */
export function statesOf(document: unknown): readonly Entry[] {
  return statesIn(document, 0);
}

function statesIn(document: unknown, depth: number): readonly Entry[] {
  if (depth > DEEPEST) throw new StateFormError('is nested too deep to be a state');
  if (document === null) return [];
  if (Array.isArray(document))
    return document.flatMap((element, index) => within(`[${index}]`, () => statesIn(element, depth + 1)));
  if (!isObject(document)) throw new StateFormError('must be an object or an array of states');
  if (document['type'] === 'STATE') return within('state', () => statesIn(document['state'], depth + 1));
  if (Object.hasOwn(document, 'created_since')) return [['alarms', document]];
  if (typeof document['type'] === 'string') return typed(document);
  // states of the old kind carry no type
  if (isObject(document['stream'])) return typed({ ...document, type: 'STREAM' });
  if (isObject(document['global'])) return typed({ ...document, type: 'GLOBAL' });
  if (isObject(document['data'])) return typed({ ...document, type: 'LEGACY' });
  return byName(document);
}

function typed(document: Json): Entry[] {
  // some clients write out the members that a state does not have, as null (PyAirbyte: global and data)
  const present = Object.fromEntries(Object.entries(document).filter(([, value]) => value !== null));
  const faults = createValidator(schema, validate)(present);
  if (faults.length > 0) throw new StateFormError(describeFaults(faults));
  const input = present as unknown as StateInput;
  if (input.type === 'LEGACY') return byName(input.data as Json);
  const entries = input.type === 'GLOBAL' ? input.global?.stream_states : [input.stream];
  return (entries ?? []).flatMap((entry): Entry[] => {
    if (entry === undefined || entry.stream_state === null) return [];
    if (entry.stream_state === undefined) {
      const others = Object.keys(entry).filter((key) => key !== 'stream_descriptor');
      if (others.length === 0) return [];
      throw new StateFormError(`stream_state is missing beside ${others.join(', ')}`);
    }
    const { name, namespace } = entry.stream_descriptor;
    // our streams have no namespace: a state with one belongs to somebody else's stream
    return [[(namespace ?? '') === '' ? name : `${namespace}.${name}`, entry.stream_state]];
  });
}

function byName(document: Json): Entry[] {
  return Object.entries(document).map(([stream, state]) => {
    if (!isObject(state)) throw new StateFormError(`${stream} must be an object: the state of that stream`);
    return [stream, state];
  });
}

function within(place: string, read: () => readonly Entry[]): readonly Entry[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof StateFormError) throw new StateFormError(`${place}: ${error.message}`);
    throw error;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
