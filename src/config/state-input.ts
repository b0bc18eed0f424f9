import { configError } from '../errors.ts';
import type { StateInput } from '../generated/state-message.generated.ts';
import { validate } from '../generated/validators/state-message.generated.ts';
import { INPUT } from '../limits.ts';
import type { StreamState } from '../protocol/messages.ts';
import { fileProblem } from './json-file.ts';
import type { OpenFile } from './json-file.ts';
import { describeFaults } from './validator.ts';

export interface LoadedState {
  /** The last state of each stream, by name; null for one that names no stream. */
  readonly states: ReadonlyMap<string | null, StreamState>;
  /** Lines of saved output that were cut off, and skipped: an earlier STATE only means repeating. */
  readonly cutLines: number;
}

/** What is wrong with a state, without the file's name. */
export class StateFormError extends Error {
  override readonly name = 'StateFormError';
}

const LINE_FEED = 0x0a;
const BLANK = 0x20;
/** The byte order mark that some editors write. */
const MARK = Buffer.from('\uFEFF');
/** Where an output that has lost its last line end goes on with the next one: no valid JSON holds these characters. */
const JOINT = '}{"type"';
/** Beginnings of messages: each was cut off, and the last may go on. */
const CUT = String.raw`(?:\{(?:"(?:t(?:y(?:p(?:e(?:":?)?)?)?)?)?)?)`;
const CUT_LINE = new RegExp(`^${CUT}*(?:\\{"type":"|$)`);
/** The same after a whole message on one line. */
const CUT_JOINT = new RegExp(`\\}${CUT}+(?:\\{"type":"|$)`);
/** Bytes by which a message is known that is too large to be a state. */
const HEAD_BYTES = 1024;
const STATE_TYPES = ['STATE', 'STREAM', 'GLOBAL', 'LEGACY'];
/** The member that each type of state has: those of the old kind bear no type. */
const MEMBERS = { stream: 'STREAM', global: 'GLOBAL', data: 'LEGACY' };
/** Lists and messages in one another: no platform nests more than two. */
const DEEPEST = 10;

type Entry = readonly [stream: string | null, state: StreamState];
type Json = Readonly<Record<string, unknown>>;

/**
 * Reads a state file: the saved output of earlier reads, one or several joined, in which the last STATE of each stream
 * counts, or one JSON document (see `statesOf`), or nothing at all; once and line by line, so that a pipe will do as well.
 * What is damaged never restarts silently: a config_error STATE_INVALID names the file and what is wrong.
 */
export async function loadState(path: string, open: OpenFile): Promise<LoadedState> {
  const output = createStateLines();
  const document: Buffer[] = [];
  let size = 0;
  try {
    for await (const line of linesOf(open(path))) {
      output.line(line);
      size += line.length + 1;
      if (size <= INPUT.maxBytes) document.push(Buffer.from(line), Buffer.of(LINE_FEED));
    }
    return output.end(size <= INPUT.maxBytes ? Buffer.concat(document).toString() : '');
  } catch (error) {
    const words = error instanceof StateFormError ? error.message : fileProblem(error);
    throw words === null ? error : configError('STATE_INVALID', `state ${path}: ${words}.`);
  }
}

/** The lines of a text without their line feeds, in memory for one; each is a view that is valid until the next. */
async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun = Buffer.alloc(INPUT.maxBytes / 1024);
  let size = 0;
  const add = (piece: Buffer): void => {
    const needed = size + piece.length;
    if (needed > INPUT.maxLineBytes)
      throw new StateFormError('has a line longer than any that a read writes');
    // doubled, so that pieces of any size are copied a few times only
    if (needed > begun.length) begun = Buffer.concat([begun.subarray(0, size)], Math.max(needed, 2 * size));
    begun.set(piece, size);
    size = needed;
  };
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(LINE_FEED); end !== -1; end = piece.indexOf(LINE_FEED, start)) {
      const rest = piece.subarray(start, end);
      if (size > 0) add(rest);
      yield size > 0 ? begun.subarray(0, size) : rest;
      size = 0;
      start = end + 1;
    }
    add(piece.subarray(start));
  }
  if (size > 0) yield begun.subarray(0, size);
}

/** Finds the last STATE of each stream in saved output, in memory for one line. */
export function createStateLines() {
  const states: Map<string | null, StreamState> = new Map();
  let [number, messages, cutLines] = [0, 0, 0];
  let isStateCut = false;
  let fault: StateFormError | null = null;

  /** Takes one message; returns false for what is left of one, since what follows it on the same line is not looked at. */
  const takeMessage = (bytes: Buffer): boolean => {
    const isLarge = bytes.length > INPUT.maxBytes;
    const text = bytes.toString('utf8', 0, isLarge ? HEAD_BYTES : bytes.length);
    const message = isLarge ? largeMessage(text, bytes) : parsed(text);
    if (message === undefined) {
      const joint = text.search(CUT_JOINT);
      if (joint > 0 && takeMessage(Buffer.from(text.slice(0, joint + 1)))) cutLines++;
      else if (joint <= 0) takeCut(text);
      return false;
    }
    if (!isObject(message) || !('type' in message))
      throw new StateFormError('neither a message of a connector nor a whole state document');
    messages++;
    if (!STATE_TYPES.includes(String(message['type']))) return true;
    expectText(text);
    for (const [stream, state] of statesOf(message, '', 0)) states.set(stream, state);
    return true;
  };
  const takeCut = (text: string): void => {
    if (!CUT_LINE.test(text))
      throw new StateFormError('neither a line of saved output nor part of a whole JSON document');
    cutLines++;
    isStateCut ||= mayBeState(text);
  };
  const take = (line: Buffer): void => {
    let start = 0;
    for (let end = line.indexOf(JOINT); end !== -1; end = line.indexOf(JOINT, start)) {
      if (!takeMessage(line.subarray(start, end + 1))) return;
      start = end + 1;
    }
    takeMessage(line.subarray(start));
  };
  return {
    /** Takes the next line. A fault is kept for `end`, since the whole may still be one document. */
    line: (line: Buffer): void => {
      number++;
      const text = line.subarray(line.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0);
      if (fault !== null || text.every((byte) => byte <= BLANK)) return;
      try {
        take(text);
      } catch (error) {
        if (!(error instanceof StateFormError)) throw error;
        fault = new StateFormError(`line ${number}: ${error.message}`);
      }
    },
    /** What the lines hold, or, where they are no output, what is in the whole as one document; throws a StateFormError. */
    end: (document: string): LoadedState => {
      if (messages === 0 && isStateCut)
        fault ??= new StateFormError('damaged: the only state in it was cut off');
      if (fault === null) return { states, cutLines };
      const value = parsed(document.replace(/^\uFEFF/, ''));
      if (value === undefined) throw fault;
      expectText(document);
      return { states: new Map(statesOf(value, '', 0)), cutLines: 0 };
    },
  };
}

/** Throws a StateFormError if bytes were replaced: a name that is damaged would pass for another stream's, which is skipped. */
function expectText(text: string): void {
  if (text.includes('\ufffd')) throw new StateFormError('damaged: it holds bytes that are not text in UTF-8');
}

/** A message that is too large to be a state, as far as its head tells of it; undefined if it is none, or was cut off. */
function largeMessage(head: string, bytes: Buffer): Json | undefined {
  const [, type = ''] = /^\s*\{\s*"type"\s*:\s*"([A-Z_]+)"/.exec(head) ?? [];
  if (STATE_TYPES.includes(type)) throw new StateFormError('a STATE that is larger than any other');
  const isWhole = bytes
    .toString('latin1', bytes.length - HEAD_BYTES)
    .trimEnd()
    .endsWith('}');
  return type !== '' && isWhole ? { type } : undefined;
}

/** True unless enough of a cut line is left to tell that it was no STATE. */
function mayBeState(line: string): boolean {
  const [, type = '', quote] = /^\{"type":"([A-Z_]*)("?)/.exec(line) ?? [];
  return STATE_TYPES.some((known) => (quote === '"' ? known === type : known.startsWith(type)));
}

/** The value that a JSON text stands for; undefined if it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The states in one document, in their order (protocol: AirbyteStateMessage): a list of STREAM states or of whole STATE
 * messages, one of them, GLOBAL, LEGACY, an object of states by stream name, `{}` and null, or a bare
 * `{"created_since": …}`, which names no stream. Throws a StateFormError. `place` leads there: `[2]: state: `.
 */
export function statesOf(document: unknown, place: string, depth: number): readonly Entry[] {
  if (depth > DEEPEST) throw new StateFormError(`${place}is nested too deep to be a state`);
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
  // some clients write out the members that a state does not have, as null (PyAirbyte: global and data)
  const present = Object.fromEntries(Object.entries(document).filter(([, value]) => value !== null));
  const faults = describeFaults(present, validate);
  if (faults !== null) throw new StateFormError(`${place}${faults}`);
  const { type, stream, global, data } = present as unknown as StateInput;
  if (type === 'LEGACY') return byName(data as Json, place);
  const entries = (type === 'GLOBAL' ? global?.stream_states : stream && [stream]) ?? [];
  return entries.flatMap(({ stream_descriptor: { name, namespace }, stream_state: state, ...others }) => {
    const beside = Object.keys(others).join(', ');
    if (state === undefined && beside !== '')
      throw new StateFormError(`${place}stream_state is missing beside ${beside}`);
    // our streams have no namespace: a state with one belongs to somebody else's stream
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
