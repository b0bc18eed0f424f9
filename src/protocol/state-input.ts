import { pipeline } from 'node:stream/promises';
import split2 from 'split2';

import { fileProblem } from '../config/json-file.ts';
import type { OpenFile } from '../config/json-file.ts';
import { describeFaults } from '../config/validator.ts';
import { configError } from '../errors.ts';
import type { StateInput } from '../generated/state-message.generated.ts';
import { validate } from '../generated/validators/state-message.generated.ts';
import type { StreamState } from './messages.ts';

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

/** Characters up to which a file may be one JSON document: our states stay far below, anything larger is saved output. */
const DOCUMENT_CHARS = 4 * 1024 * 1024;
/** The mark of byte order that some editors write. */
const MARK = /^\uFEFF/;
/** How a line of this connector goes on behind its brace: what was cut off still does, unless it was cut within it. */
const MESSAGE_START = '"type":"';
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
  let document = '';
  try {
    // a pipeline, since `pipe` alone leaves a file that cannot be read to end the process
    await pipeline(open(path), split2(), async (lines: AsyncIterable<string>) => {
      for await (const line of lines) {
        output.line(line);
        if (document.length <= DOCUMENT_CHARS) document += `${line}\n`;
      }
    });
    return output.end(document.length <= DOCUMENT_CHARS ? document : '');
  } catch (error) {
    const words = error instanceof StateFormError ? error.message : fileProblem(error);
    throw words === null ? error : configError('STATE_INVALID', `state ${path}: ${words}.`);
  }
}

/** Finds the last STATE of each stream in saved output, in memory for one line. */
export function createStateLines() {
  const states: Map<string | null, StreamState> = new Map();
  let [number, messages, cutLines] = [0, 0, 0];
  let isStateCut = false;
  let fault: StateFormError | null = null;

  const take = (line: string): void => {
    for (const end of possibleEnds(line)) {
      const text = line.slice(0, end);
      const message = parsed(text);
      if (message === undefined) continue;
      if (!isObject(message) || !('type' in message))
        throw new StateFormError('neither a message of a connector nor a whole state document');
      messages++;
      if (STATE_TYPES.includes(String(message['type']))) {
        expectText(text);
        for (const [stream, state] of statesOf(message, '', 0)) states.set(stream, state);
      }
      if (end < line.length) take(line.slice(end));
      return;
    }
    if (!isCut(line))
      throw new StateFormError('neither a line of saved output nor part of a whole JSON document');
    cutLines++;
    isStateCut ||= mayBeState(line);
  };
  return {
    /** Takes the next line. A fault is kept for `end`, since the whole may still be one document. */
    line: (line: string): void => {
      number++;
      const text = line.replace(MARK, '');
      if (fault !== null || text.trim() === '') return;
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
      const value = parsed(document.replace(MARK, ''));
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

/** Where the first message of a line may end: an output that lost nothing but its last line end goes on with the next one. */
function* possibleEnds(line: string): Generator<number> {
  yield line.length;
  for (const { index } of line.matchAll(/\}\}\{/g)) yield index + 2;
}

/** True for what is left of a line of this connector, also with the next output's first line glued to it. */
function isCut(line: string): boolean {
  const [before, ...starts] = line.split('{');
  const isPart = (start: string): boolean => MESSAGE_START.startsWith(start) && start !== MESSAGE_START;
  const whole = starts.find((start) => !isPart(start)) ?? MESSAGE_START;
  return before === '' && whole.startsWith(MESSAGE_START);
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
