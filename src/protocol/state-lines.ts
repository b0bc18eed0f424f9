import type { StreamState } from './messages.ts';
import { StateFormError, statesOf } from './state-forms.ts';
import type { StreamStates } from './state-forms.ts';

/** How a line of this connector begins: what was cut off still begins so, unless it was cut within it. */
const MESSAGE_START = '{"type":"';
const STATE_TYPES = ['STATE', 'STREAM', 'GLOBAL', 'LEGACY'];
export interface LoadedState {
  readonly states: StreamStates;
  /** Lines of saved output that were cut off, and passed over: an earlier STATE only means repeating. */
  readonly cutLines: number;
}

export interface StateLines {
  /** Takes the next line of saved output. A fault is kept for `end`, since the whole may still be one document. */
  readonly line: (line: string) => void;
  /**
   * What the lines hold; null if there was no line at all.
   *
   * @throws StateFormError with the first fault
   */
  readonly end: () => LoadedState | null;
}

/** Finds the last STATE of each stream in saved output, one or several joined, in memory for one line. */
export function createStateLines(): StateLines {
  const states = new Map<string, StreamState>();
  let number = 0;
  let messages = 0;
  let cutLines = 0;
  let stateCut = false;
  let fault: StateFormError | null = null;

  const take = (line: string): void => {
    const message = parseMessage(line);
    if (message !== undefined) {
      messages++;
      if (!STATE_TYPES.includes(String(message.type))) return;
      expectText(line);
      for (const [stream, state] of statesOf(message)) states.set(stream, state);
      return;
    }
    const joint = endOfFirstMessage(line);
    if (joint !== null) {
      take(line.slice(0, joint));
      take(line.slice(joint));
      return;
    }
    if (!isCut(line))
      throw new StateFormError('neither a line of saved output nor part of a whole JSON document');
    cutLines++;
    stateCut ||= mayBeState(line);
  };

  return {
    line: (line) => {
      number++;
      const text = line.replace(/^\uFEFF/, '');
      if (fault !== null || text.trim() === '') return;
      try {
        take(text);
      } catch (error) {
        if (!(error instanceof StateFormError)) throw error;
        fault = new StateFormError(`line ${number}: ${error.message}`);
      }
    },
    end: () => {
      if (fault !== null) throw fault;
      if (messages === 0 && stateCut) throw new StateFormError('damaged: the only state in it was cut off');
      return messages === 0 && cutLines === 0 ? null : { states, cutLines };
    },
  };
}

/**
 * @throws StateFormError if bytes were replaced as the text was read: a name that is damaged would pass for another
 *   stream's, whose state is passed over
 */
export function expectText(text: string): void {
  if (text.includes('\ufffd')) throw new StateFormError('damaged: it holds bytes that are not text in UTF-8');
}

/** Where the next output begins, if the one before lost nothing but its last line end; else null. */
function endOfFirstMessage(line: string): number | null {
  for (const { index } of line.matchAll(/\}\}\{/g))
    if (parseMessage(line.slice(0, index + 2)) !== undefined) return index + 2;
  return null;
}

/** True for what is left of a line of this connector, also with the next output's first line glued to it. */
function isCut(line: string): boolean {
  let rest = line;
  while (rest !== '' && !rest.startsWith(MESSAGE_START)) {
    const common = commonStart(rest, MESSAGE_START);
    if (common === 0) return false;
    rest = rest.slice(common);
  }
  return true;
}

function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

/** True unless enough of a cut line is left to tell that it was no STATE. */
function mayBeState(line: string): boolean {
  const [, type, quote] = /^\{"type":"([A-Z_]*)("?)/.exec(line) ?? [];
  return STATE_TYPES.some((known) => (quote === '"' ? known === type : known.startsWith(type ?? '')));
}

function parseMessage(line: string): { readonly type: unknown } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value === 'object' && value !== null && 'type' in value) return value;
  throw new StateFormError('neither a message of a connector nor a whole state document');
}
