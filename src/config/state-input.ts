import type { StateInput } from '../generated/state-message.generated.ts';
import { validate } from '../generated/validators/state-message.generated.ts';
import { INPUT } from '../limits.ts';
import type { StreamState } from '../protocol/messages.ts';
import { describeFaults } from './faults.ts';
import { fileProblem, invalidInput, isObject, parsedJson, type JsonObject, type OpenFile } from './files.ts';
import { linesOf } from './lines.ts';

export interface LoadedState {
  readonly states: ReadonlyMap<string | null, StreamState>; // the last of each stream; null for one that names no stream
  readonly truncatedLines: number; // skipped: an earlier STATE repeats rows, but loses none
}

/** What is wrong with a state, without the name of its file. */
export class StateFormError extends Error {
  override readonly name = 'StateFormError';
}

const MARK = '\uFEFF'; // the byte order mark that some editors write
/** Where the next message follows on the same line: a line end is missing, or became a blank. Never occurs in valid JSON. */
const JOINT = /\}\s*(?=\{"type")/g;
/** The beginning of a truncated message. */
const TRUNCATED = String.raw`(?:\{(?:"(?:t(?:y(?:p(?:e(?:":?)?)?)?)?)?)?\s*)`;
const TRUNCATED_LINE = new RegExp(String.raw`^\s*${TRUNCATED}*(?:\{"type":"|$)`);
/** The same after a whole message on the same line. */
const TRUNCATED_JOINT = new RegExp(String.raw`\}\s*${TRUNCATED}+(?:\{"type":"|$)`);
const HEAD_CHARS = 1024; // enough to identify a message that is too large to be a state
const STATE_TYPES = ['STATE', 'STREAM', 'GLOBAL', 'LEGACY'];
/** The types of state by the member that each has: old states do not name their type. */
const MEMBERS = { stream: 'STREAM', global: 'GLOBAL', data: 'LEGACY' };
const MAX_DEPTH = 10; // of nested lists and messages; no platform nests more than two

type Entry = readonly [stream: string | null, state: StreamState];
/** The states in a whole message, or whether a truncated one may have been a STATE. */
type Found = readonly Entry[] | boolean;

/**
 * Reads a state file: the saved output of one or more reads, in which the last STATE of each stream counts, a JSON document (see
 * `statesOf`), or an empty file. It is read once, line by line, so it may be a pipe. Throws a config_error STATE_INVALID that names
 * the file and the problem: a damaged state never causes a silent restart.
 */
export async function loadState(path: string, open: OpenFile): Promise<LoadedState> {
  try {
    return await statesIn(linesOf(open(path), INPUT.maxLineBytes, tooLong));
  } catch (error) {
    const problem = error instanceof StateFormError ? error.message : fileProblem(error);
    throw problem === null ? error : invalidInput('state', path, problem);
  }
}

function tooLong(): StateFormError {
  return new StateFormError('has a line longer than any that a read writes');
}

/** Returns the last STATE of each stream in lines of saved output, or the states in the document that the lines form. */
export async function statesIn(lines: AsyncIterable<string> | Iterable<string>): Promise<LoadedState> {
  const states: Map<string | null, StreamState> = new Map();
  /** By line number, whether what was truncated may have been a STATE. */
  const truncated = new Map<number, boolean>();
  const document: string[] = [];
  let size = 0;
  let number = 0;
  let hasMessage = false;
  let fault: StateFormError | null = null;
  for await (const line of lines) {
    number++;
    size += line.length + 1;
    const text = line.startsWith(MARK) ? line.slice(MARK.length) : line;
    if (size <= INPUT.maxBytes) document.push(text);
    if (fault !== null || !/\S/.test(text)) continue;
    try {
      for (const found of readLine(text)) {
        hasMessage = hasMessage || typeof found === 'object';
        if (typeof found === 'boolean') truncated.set(number, found);
        else for (const [stream, state] of found) states.set(stream, state);
      }
    } catch (error) {
      if (!(error instanceof StateFormError)) throw error;
      fault = new StateFormError(`line ${number}: ${error.message}`);
    }
  }
  if (!hasMessage && [...truncated.values()].includes(true))
    fault ??= new StateFormError('damaged: the only state in it was cut off');
  if (fault === null) return { states, truncatedLines: truncated.size };
  const text = document.join('\n');
  const value = size <= INPUT.maxBytes ? parsedJson(text) : undefined;
  if (value === undefined) throw fault;
  expectText(text);
  return { states: new Map(statesOf(value, '', 0)), truncatedLines: 0 };
}

/** Reads the messages on a line, up to the first truncated one; throws a StateFormError if it is no line of saved output. */
function* readLine(line: string): Generator<Found> {
  for (const text of messagesOn(line)) {
    const message = text.length > INPUT.maxBytes ? largeMessage(text) : parsedJson(text);
    if (message === undefined) {
      // a whole message may be followed by beginnings of others
      const joint = text.search(TRUNCATED_JOINT);
      if (joint > 0) yield* readLine(text.slice(0, joint + 1));
      else if (!TRUNCATED_LINE.test(text))
        throw new StateFormError('neither a line of saved output nor part of a whole JSON document');
      yield mayBeState(text);
      return;
    }
    if (!isObject(message) || !('type' in message))
      throw new StateFormError('neither a message of a connector nor a whole state document');
    const isState = STATE_TYPES.includes(String(message['type']));
    if (isState) expectText(text);
    yield isState ? statesOf(message, '', 0) : [];
  }
}

/** The messages on a line, separated by joints. */
function* messagesOn(line: string): Generator<string> {
  let start = 0;
  for (const {
    0: { length },
    index,
  } of line.matchAll(JOINT)) {
    yield line.slice(start, index + 1);
    start = index + length;
  }
  yield line.slice(start);
}

/** Throws a StateFormError if bytes were replaced: a stream with a damaged name would be skipped as unknown. */
function expectText(text: string): void {
  if (text.includes('\ufffd'))
    throw new StateFormError('damaged: it contains bytes that are not valid UTF-8');
}

/** Returns the type of a message that is too large to be a state; undefined if it is truncated. */
function largeMessage(text: string): JsonObject | undefined {
  const [, type = ''] = /^\s*\{\s*"type"\s*:\s*"([A-Z_]+)"/.exec(text.slice(0, HEAD_CHARS)) ?? [];
  if (STATE_TYPES.includes(type)) throw new StateFormError('a STATE larger than any that a read writes');
  return type !== '' && text.slice(-HEAD_CHARS).trimEnd().endsWith('}') ? { type } : undefined;
}

/** True unless enough of a truncated line is left to rule out a STATE. */
function mayBeState(line: string): boolean {
  const [, type = '', quote] = /^\{"type":"([A-Z_]*)("?)/.exec(line) ?? [];
  return STATE_TYPES.some((known) => (quote === '"' ? known === type : known.startsWith(type)));
}

/**
 * Returns the states in one document (protocol: AirbyteStateMessage), in order: a list of STREAM states or of whole STATE messages,
 * one of them, GLOBAL, LEGACY, an object of states by stream name, `{}`, null, or a bare `{"created_since": …}`, which names no
 * stream. Throws a StateFormError that begins with `place`, such as `[2]: state: `.
 */
export function statesOf(document: unknown, place: string, depth: number): readonly Entry[] {
  if (depth > MAX_DEPTH) throw new StateFormError(`${place}is nested too deeply to be a state`);
  if (document === null) return [];
  if (Array.isArray(document))
    return document.flatMap((element, index) => statesOf(element, `${place}[${index}]: `, depth + 1));
  if (!isObject(document)) throw new StateFormError(`${place}must be an object or an array of states`);
  const { type } = document;
  if (type === 'STATE') return statesOf(document['state'], `${place}state: `, depth + 1);
  if (Object.hasOwn(document, 'created_since')) return [[null, document]];
  const [, implied] = Object.entries(MEMBERS).find(([member]) => isObject(document[member])) ?? [];
  const kind = typeof type === 'string' ? type : implied;
  return kind === undefined ? byName(document, place) : typed({ ...document, type: kind }, place);
}

function typed(document: JsonObject, place: string): readonly Entry[] {
  // some clients write null for members that a state does not have (PyAirbyte: global and data)
  const members = Object.fromEntries(Object.entries(document).filter(([, value]) => value !== null));
  const faults = describeFaults(members, validate);
  if (faults !== null) throw new StateFormError(`${place}${faults}`);
  const { type, stream, global, data } = members as unknown as StateInput;
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
