import { configError } from '../errors.ts';
import type { StateInput } from '../generated/state-message.generated.ts';
import { validate } from '../generated/validators/state-message.generated.ts';
import { INPUT } from '../limits.ts';
import type { StreamState } from '../protocol/messages.ts';
import { describeFaults } from './faults.ts';
import { fileProblem, type OpenFile } from './files.ts';

export interface LoadedState {
  /** The last state of each stream, by name; null for a state that names no stream. */
  readonly states: ReadonlyMap<string | null, StreamState>;
  /** The number of truncated lines, which are skipped: with an earlier STATE, rows are repeated but not lost. */
  readonly truncatedLines: number;
}

/** What is wrong with a state, without the name of its file. */
export class StateFormError extends Error {
  override readonly name = 'StateFormError';
}

const LINE_FEED = 0x0a;
const SPACE = 0x20;
/** The byte order mark that some editors write. */
const MARK = Buffer.from('\uFEFF');
/** Where an output that does not end with a line feed is followed by the next output: no valid JSON contains these characters. */
const JOINT = '}{"type"';
/** The beginning of a truncated message. */
const TRUNCATED = String.raw`(?:\{(?:"(?:t(?:y(?:p(?:e(?:":?)?)?)?)?)?)?)`;
const TRUNCATED_LINE = new RegExp(`^${TRUNCATED}*(?:\\{"type":"|$)`);
/** The same after a whole message on the same line. */
const TRUNCATED_JOINT = new RegExp(`\\}${TRUNCATED}+(?:\\{"type":"|$)`);
const HEAD_BYTES = 1024; // enough to identify a message that is too large to be a state
const STATE_TYPES = ['STATE', 'STREAM', 'GLOBAL', 'LEGACY'];
/** The types of state by the member that each has: old states do not name their type. */
const MEMBERS = { stream: 'STREAM', global: 'GLOBAL', data: 'LEGACY' };
const MAX_DEPTH = 10; // of nested lists and messages; no platform nests more than two

type Entry = readonly [stream: string | null, state: StreamState];
type Json = Readonly<Record<string, unknown>>;

/** What a line of saved output contains. */
interface Line {
  readonly states: readonly Entry[];
  readonly messages: number;
  readonly isTruncated: boolean;
  readonly isStateTruncated: boolean; // what was truncated may have been a STATE
}

/**
 * Reads a state file: the saved output of one or more reads, in which the last STATE of each stream counts, a JSON document (see
 * `statesOf`), or an empty file. It is read once, line by line, so it may be a pipe. Throws a config_error STATE_INVALID that names
 * the file and the problem: a damaged state never causes a silent restart.
 */
export async function loadState(path: string, open: OpenFile): Promise<LoadedState> {
  try {
    return await statesIn(linesOf(open(path)));
  } catch (error) {
    const problem = error instanceof StateFormError ? error.message : fileProblem(error);
    throw problem === null ? error : configError('STATE_INVALID', `state ${path}: ${problem}.`);
  }
}

/** Returns the last STATE of each stream in lines of saved output, or the states in the document that the lines form. */
export async function statesIn(lines: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<LoadedState> {
  const states: Map<string | null, StreamState> = new Map();
  const document: Buffer[] = [];
  let size = 0;
  let number = 0;
  let messages = 0;
  let truncatedLines = 0;
  let isStateTruncated = false;
  let fault: StateFormError | null = null;
  for await (const line of lines) {
    number++;
    size += line.length + 1;
    if (size <= INPUT.maxBytes) document.push(line, Buffer.of(LINE_FEED));
    const text = line.subarray(line.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0);
    if (fault !== null || text.every((byte) => byte <= SPACE)) continue;
    try {
      const found = readLine(text);
      for (const [stream, state] of found.states) states.set(stream, state);
      messages += found.messages;
      if (found.isTruncated) truncatedLines++;
      if (found.isStateTruncated) isStateTruncated = true;
    } catch (error) {
      if (!(error instanceof StateFormError)) throw error;
      fault = new StateFormError(`line ${number}: ${error.message}`);
    }
  }
  if (messages === 0 && isStateTruncated)
    fault ??= new StateFormError('damaged: the only state in it was cut off');
  if (fault === null) return { states, truncatedLines };
  const text = Buffer.concat(document)
    .toString()
    .replace(/^\uFEFF/, '');
  const value = size <= INPUT.maxBytes ? parsed(text) : undefined;
  if (value === undefined) throw fault;
  expectText(text);
  return { states: new Map(statesOf(value, '', 0)), truncatedLines: 0 };
}

/** The lines of a text, without their line feeds; throws a StateFormError at one that is too long. */
async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(LINE_FEED); end !== -1; end = piece.indexOf(LINE_FEED, start)) {
      const rest = piece.subarray(start, end);
      yield size === 0 ? rest : Buffer.concat([...begun, rest]);
      begun = [];
      size = 0;
      start = end + 1;
    }
    begun.push(piece.subarray(start));
    size += piece.length - start;
    if (size > INPUT.maxLineBytes) throw new StateFormError('has a line longer than any that a read writes');
  }
  if (size > 0) yield Buffer.concat(begun);
}

/** Reads the messages on a line, up to the first truncated one; throws a StateFormError if it is no line of saved output. */
function readLine(line: Buffer): Line {
  const states: Entry[] = [];
  let messages = 0;
  for (const bytes of messagesOn(line)) {
    const isLarge = bytes.length > INPUT.maxBytes;
    const text = bytes.toString('utf8', 0, isLarge ? HEAD_BYTES : bytes.length);
    const message = isLarge ? largeMessage(text, bytes) : parsed(text);
    if (message === undefined) {
      const partial = readTruncated(text);
      return { ...partial, states: [...states, ...partial.states], messages: messages + partial.messages };
    }
    if (!isObject(message) || !('type' in message))
      throw new StateFormError('neither a message of a connector nor a whole state document');
    messages++;
    if (!STATE_TYPES.includes(String(message['type']))) continue;
    expectText(text);
    states.push(...statesOf(message, '', 0));
  }
  return { states, messages, isTruncated: false, isStateTruncated: false };
}

/** Reads what is not a whole message: the beginning of one, or a whole one followed by beginnings of others. */
function readTruncated(text: string): Line {
  const joint = text.search(TRUNCATED_JOINT);
  if (joint > 0) return { ...readLine(Buffer.from(text.slice(0, joint + 1))), isTruncated: true };
  if (!TRUNCATED_LINE.test(text))
    throw new StateFormError('neither a line of saved output nor part of a whole JSON document');
  return { states: [], messages: 0, isTruncated: true, isStateTruncated: mayBeState(text) };
}

/** The messages on a line, separated by joints. */
function* messagesOn(line: Buffer): Generator<Buffer> {
  let start = 0;
  for (let end = line.indexOf(JOINT); end !== -1; end = line.indexOf(JOINT, start)) {
    yield line.subarray(start, end + 1);
    start = end + 1;
  }
  yield line.subarray(start);
}

/** Throws a StateFormError if bytes were replaced: a stream with a damaged name would be skipped as unknown. */
function expectText(text: string): void {
  if (text.includes('\ufffd'))
    throw new StateFormError('damaged: it contains bytes that are not valid UTF-8');
}

/** Returns the type of a message that is too large to be a state; undefined if it is truncated. */
function largeMessage(head: string, bytes: Buffer): Json | undefined {
  const [, type = ''] = /^\s*\{\s*"type"\s*:\s*"([A-Z_]+)"/.exec(head) ?? [];
  if (STATE_TYPES.includes(type)) throw new StateFormError('a STATE that is larger than any other');
  const isWhole = bytes
    .toString('latin1', bytes.length - HEAD_BYTES)
    .trimEnd()
    .endsWith('}');
  return type !== '' && isWhole ? { type } : undefined;
}

/** True unless enough of a truncated line is left to rule out a STATE. */
function mayBeState(line: string): boolean {
  const [, type = '', quote] = /^\{"type":"([A-Z_]*)("?)/.exec(line) ?? [];
  return STATE_TYPES.some((known) => (quote === '"' ? known === type : known.startsWith(type)));
}

/** Returns the value of a JSON text; undefined if it is not valid JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns the states in one document (protocol: AirbyteStateMessage), in order: a list of STREAM states or of whole STATE messages,
 * one of them, GLOBAL, LEGACY, an object of states by stream name, `{}`, null, or a bare `{"created_since": …}`, which names no
 * stream. Throws a StateFormError that begins with `place`, such as `[2]: state: `.
 */
export function statesOf(document: unknown, place: string, depth: number): readonly Entry[] {
  if (depth > MAX_DEPTH) throw new StateFormError(`${place}is nested too deep to be a state`);
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

function typed(document: Json, place: string): readonly Entry[] {
  // some clients write null for members that a state does not have (PyAirbyte: global and data)
  const members = Object.fromEntries(Object.entries(document).filter(([, value]) => value !== null));
  const faults = describeFaults(members, validate);
  if (faults !== null) throw new StateFormError(`${place}${faults}`);
  const { type, stream, global, data } = members as unknown as StateInput;
  if (type === 'LEGACY') return byName(data as Json, place);
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

function byName(document: Json, place: string): readonly Entry[] {
  return Object.entries(document).map(([stream, state]) => {
    if (isObject(state)) return [stream, state];
    throw new StateFormError(`${place}${stream} must be an object: the state of that stream`);
  });
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
