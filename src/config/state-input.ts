import { INPUT } from '../limits.ts';
import type { StreamState } from '../protocol/messages.ts';
import { inUtf8 } from './encoding.ts';
import { findRepeatedName, jsonDocuments } from './faults.ts';
import { fileProblem, invalidInput, parsedJson, type JsonObject, type OpenFile } from './files.ts';
import { MESSAGE, isOtherText, linesOf, objectAfterLead, withoutLead } from './lines.ts';
import {
  OTHER_TYPES,
  STATE_TYPES,
  StateFormError,
  mayBeState,
  messageType,
  outputInside,
  statesOf,
  type Entry,
} from './state-forms.ts';

export interface LoadedState {
  readonly states: ReadonlyMap<string | null, StreamState>; // the last of each stream; null for one that names no stream
  readonly truncatedLines: number; // skipped: an earlier STATE repeats rows, but loses none
  readonly isOutput: boolean; // it is saved output, of which some messages are whole
}

const MARK = '\uFEFF'; // the byte order mark that some editors write
/** Where the next message follows on the same line: a line end is missing, or became a blank. Never occurs in valid JSON. */
const JOINT = /\}\s*(?=\{\s*"type")/g;
/** The type of a message, and the quote after it unless it is cut off. */
const TYPE = new RegExp(`^${MESSAGE}(\\w*)("?)`);
/** The beginning of a truncated message. */
const TRUNCATED = String.raw`(?:\{\s*(?:"(?:t(?:y(?:p(?:e(?:"(?:\s*:)?)?)?)?)?)?\s*)?)`;
const TRUNCATED_LINE = new RegExp(String.raw`^\s*${TRUNCATED}*(?:${MESSAGE}|$)`);
/** The same after a whole message on the same line. */
const TRUNCATED_JOINT = new RegExp(String.raw`\}\s*${TRUNCATED}+(?:${MESSAGE}|$)`);
/** A part of the file that was allocated, but not written before the power failed. */
const UNWRITTEN = /^\0+/;
const HEAD_CHARS = 1024; // enough to identify a message that is too large to be a state
const NO_MESSAGE = 'neither a line of saved output nor part of a whole JSON document';
/** The states in a whole message, or whether a truncated one may have been a STATE; null for text between messages. */
type Found = readonly Entry[] | boolean | null;

/**
 * Reads a state file: the saved output of one or more reads, in which the last STATE of each stream counts, JSON documents (see
 * `statesOf`), or an empty file. It is read once, line by line, so it may be a pipe. `known` are the streams of the config. Throws a
 * config_error STATE_INVALID that names the file and the problem: a damaged state never causes a silent restart.
 */
export async function loadState(
  path: string,
  known: readonly string[],
  open: OpenFile,
): Promise<LoadedState> {
  try {
    return await statesInLines(linesOf(inUtf8(open(path)), INPUT.maxLineBytes, tooLong), known);
  } catch (error) {
    const problem = error instanceof StateFormError ? error.message : fileProblem(error);
    throw problem === null ? error : invalidInput('state', path, problem);
  }
}

function tooLong(): StateFormError {
  return new StateFormError('has a line longer than any that a read writes');
}

/** Returns the last STATE of each stream in lines of saved output, or in the documents that the lines form. */
export async function statesInLines(
  lines: AsyncIterable<string> | Iterable<string>,
  known: readonly string[],
): Promise<LoadedState> {
  const states: Map<string | null, StreamState> = new Map();
  /** By line number, whether what was truncated may have been a STATE. */
  const truncated = new Map<number, boolean>();
  const document: string[] = [];
  let size = 0;
  let number = 0;
  let hasMessage = false;
  let fault: StateFormError | null = null;
  let words: StateFormError | null = null; // for text that is skipped between messages
  for await (const line of lines) {
    number++;
    size += line.length + 1;
    const text = line.startsWith(MARK) ? line.slice(MARK.length) : line;
    if (size <= INPUT.maxBytes) document.push(text);
    const message = withoutLead(text);
    if (fault !== null || !/\S/.test(message)) continue;
    try {
      const isText = isOtherText(message, truncated.has(number - 1));
      for (const found of isText ? [null] : readLine(message, known)) {
        hasMessage = hasMessage || Array.isArray(found);
        if (found === null) words ??= new StateFormError(`line ${number}: ${NO_MESSAGE}`);
        else if (typeof found === 'boolean') truncated.set(number, found);
        else for (const [stream, state] of found) states.set(stream, state);
      }
    } catch (error) {
      if (!(error instanceof StateFormError)) throw error;
      const cause = hasMessage && truncated.has(number - 1) ? `. ${cutAt(number - 1)}` : '';
      fault = new StateFormError(`line ${number}: ${error.message}${cause}`);
    }
  }
  // text in a document is its first fault
  if (!hasMessage) fault = words ?? fault;
  const isCut = !hasMessage && [...truncated.values()].includes(true);
  if (fault === null && isCut) throw new StateFormError('damaged: the only state in it was cut off');
  if (fault === null) return { states, truncatedLines: truncated.size, isOutput: hasMessage };
  if (hasMessage) throw fault;
  if (size > INPUT.maxBytes) throw new StateFormError(`${fault.message}. ${TOO_LARGE}`);
  return statesInDocuments(document.join('\n'), fault, known);
}

/** The likely cause of lines that end within messages. */
function cutAt(number: number): string {
  const cut = `Line ${number} ends within a message, as if a log collector had cut it; Docker does so after 16 KiB`;
  return `${cut}. Save what the program writes to stdout instead`;
}

const TOO_LARGE = `A document of more than ${INPUT.maxBytes / 1024 ** 2} MiB is no state: pass the output as the program wrote it, or only its STATE messages`;

/**
 * Returns the states in a text that is no saved output, for the reason in `fault`: one JSON document, or several, such as messages that a
 * tool has written on many lines each. Throws the fault if the text is no JSON either.
 */
function statesInDocuments(text: string, fault: StateFormError, known: readonly string[]): LoadedState {
  const documents = jsonDocuments(text);
  if (typeof documents === 'string')
    throw fault.message.endsWith(NO_MESSAGE)
      ? new StateFormError(`is not valid JSON at ${documents}`)
      : fault;
  const states = statesOfAll(documents, known);
  expectText(JSON.stringify(states));
  if (states.length > 0) expectUnique(text, false);
  return { states: new Map(states), truncatedLines: 0, isOutput: text.includes('"type"') };
}

function statesOfAll(documents: readonly unknown[], known: readonly string[]): readonly Entry[] {
  try {
    return documents.flatMap((document) => statesOf(document, known));
  } catch (error) {
    const cause = outputInside(documents, 0);
    throw cause === null ? error : new StateFormError(cause);
  }
}

/** Reads the messages on a line, up to the first truncated one; throws a StateFormError if it is no line of saved output. */
function* readLine(line: string, known: readonly string[]): Generator<Found> {
  const content = line.replace(UNWRITTEN, '');
  if (content !== line) yield true;
  if (content === '') return;
  for (const text of messagesOn(content)) {
    const message = text.length > INPUT.maxBytes ? largeMessage(text) : parsedJson(text);
    // a whole message may be followed by beginnings of others
    const joint = message === undefined ? text.search(TRUNCATED_JOINT) : -1;
    if (joint > 0) yield* readLine(text.slice(0, joint + 1), known);
    if (joint > 0 || (message === undefined && TRUNCATED_LINE.test(text))) {
      yield mayBeCutState(text);
      return;
    }
    const type = messageType(message);
    if (type === null) {
      yield otherJson(message ?? parsedJson(objectAfterLead(text)), text, known);
      continue;
    }
    const isState = STATE_TYPES.includes(type);
    if (isState) {
      expectText(text);
      expectUnique(text, true);
    }
    yield isState ? statesOf(message, known) : [];
  }
}

/** Returns null for JSON that is text between messages, as loggers write it; throws a StateFormError if it may be a state, or is no JSON. */
function otherJson(value: unknown, line: string, known: readonly string[]): null {
  if (value === undefined) throw new StateFormError(lineFault(line));
  const output = outputInside(value, 0);
  if (output !== null || mayBeState(value, known, 0)) throw new StateFormError(output ?? NO_MESSAGE);
  return null;
}

function lineFault(line: string): string {
  return line.includes('\0')
    ? 'contains zero bytes, as text in UTF-16 does; save the whole file as UTF-8'
    : NO_MESSAGE;
}

/** The messages on a line, separated by joints. */
function* messagesOn(line: string): Generator<string> {
  let start = 0;
  for (const joint of line.matchAll(JOINT)) {
    yield line.slice(start, joint.index + 1);
    start = joint.index + joint[0].length;
  }
  yield line.slice(start);
}

/** Throws a StateFormError if bytes were replaced: a stream with a damaged name would be skipped as unknown. */
function expectText(text: string): void {
  if (text.includes('\ufffd'))
    throw new StateFormError('damaged: it contains bytes that are not valid UTF-8');
}

/** Throws a StateFormError if a name is there twice: one of its values would not count. */
function expectUnique(text: string, isLine: boolean): void {
  const repeated = findRepeatedName(text);
  if (repeated === null) return;
  throw new StateFormError(`is ambiguous at ${isLine ? repeated.replace(/^line 1, /, '') : repeated}`);
}

/** Returns the type of a message that is too large to be a state; undefined if it is truncated. */
function largeMessage(text: string): JsonObject | undefined {
  const [, type] = new RegExp(`^\\s*${MESSAGE}(\\w+)"`).exec(text.slice(0, HEAD_CHARS)) ?? [];
  const known = messageType({ type });
  if (known === null) return undefined;
  if (STATE_TYPES.includes(known)) throw new StateFormError('a STATE larger than any that a read writes');
  return text.slice(-HEAD_CHARS).trimEnd().endsWith('}') ? { type } : undefined;
}

/** True unless enough of a truncated line is left to know it for another message. */
function mayBeCutState(line: string): boolean {
  const [, type = '', quote] = TYPE.exec(line) ?? [];
  const written = type.toUpperCase();
  const isOne = (known: string): boolean => (quote === '"' ? known === written : known.startsWith(written));
  return STATE_TYPES.some(isOne) || !OTHER_TYPES.some(isOne);
}
