import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import type { AirbyteMessage } from '../../../src/generated/protocol.generated.ts';
import type { Output } from '../../support/run-views.ts';

const ajv = new Ajv({ allErrors: true, discriminator: true, strictTypes: false });
formats.default(ajv);
const isMessage = ajv.compile<AirbyteMessage>(
  JSON.parse(readFileSync(join(import.meta.dirname, 'airbyte-protocol.schema.json'), 'utf8')),
);

/** What some readers take for the end of a line, as far as JSON allows it. */
const LINE_SPLITTER = /[\n\r\u0085\u2028\u2029]/;

/**
 * The one message that a line of stdout holds. `line` comes without its newline.
 *
 * @throws Error that says what is wrong: bytes that are not UTF-8, a character that breaks the line for some readers, no
 * JSON, or the places at which the message departs from `airbyte-protocol.schema.json`.
 */
export function parseMessage(line: string | Buffer): AirbyteMessage {
  if (typeof line !== 'string' && !isUtf8(line)) throw new Error('is not valid UTF-8');
  const text = line.toString();
  const splitter = LINE_SPLITTER.exec(text);
  if (splitter !== null) {
    const code = splitter[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    throw new Error(`holds a raw U+${code} at character ${splitter.index}`);
  }
  const value: unknown = JSON.parse(text);
  if (isMessage(value)) return value;
  const faults = (isMessage.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath || 'message'} ${message ?? 'is invalid'} ${JSON.stringify(params)}`,
  );
  throw new Error(faults.join('; '));
}

/** What may come next of a stream, by where it stands. It may fail before it runs. */
const NEXT = {
  'not STARTED': ['STARTED'],
  'only STARTED': ['ESTIMATE', 'RUNNING', 'INCOMPLETE'],
  RUNNING: ['ESTIMATE', 'RUNNING', 'RECORD', 'STATE', 'COMPLETE', 'INCOMPLETE'],
  ended: [],
};
type Phase = keyof typeof NEXT;
const PHASES: Readonly<Record<string, Phase>> = {
  STARTED: 'only STARTED',
  RUNNING: 'RUNNING',
  COMPLETE: 'ended',
  INCOMPLETE: 'ended',
};

/** Follows one stream; throws if a message of it breaks a rule. */
function createStreamFollower() {
  let phase: Phase = 'not STARTED';
  let rows = 0;
  let hasState = false;
  return {
    hasEnded: () => phase === 'ended',
    follow: (event: string, recordCount: number): void => {
      const next: readonly string[] = NEXT[phase];
      if (!next.includes(event)) throw new Error(`${event}, but the stream is ${phase}`);
      phase = PHASES[event] ?? phase;
      if (event === 'RECORD') rows += 1;
      if (event === 'COMPLETE' && !hasState) throw new Error('COMPLETE, but the stream has no STATE');
      if (event === 'COMPLETE' && rows > 0)
        throw new Error(`COMPLETE, but ${rows} rows came since the last STATE`);
      if (event !== 'STATE') return;
      if (recordCount !== rows)
        throw new Error(`recordCount is ${recordCount}, but ${rows} rows came since the last STATE`);
      rows = 0;
      hasState = true;
    },
  };
}

/** The stream that a message tells of, what it tells, and the count of a state; undefined if it tells of none. */
function stepOf(message: AirbyteMessage): [stream: string, event: string, recordCount: number] | undefined {
  if (message.type === 'RECORD') return [message.record.stream, 'RECORD', 0];
  if (message.type === 'STATE') {
    const { stream, sourceStats } = message.state;
    return [stream.stream_descriptor.name, 'STATE', sourceStats.recordCount];
  }
  if (message.type !== 'TRACE' || message.trace.type === 'ERROR') return undefined;
  if (message.trace.type === 'ESTIMATE') return [message.trace.estimate.name, 'ESTIMATE', 0];
  const { stream_descriptor, status } = message.trace.stream_status;
  return [stream_descriptor.name, status, 0];
}

/**
 * A validator for one output, in memory that grows with the number of streams only. SPEC, CATALOG and CONNECTION_STATUS come
 * once, and never beside what a read tells of streams; LOG, CONTROL and errors go with both.
 */
export function createOutputValidator() {
  const streams = new Map<string, ReturnType<typeof createStreamFollower>>();
  let answer: string | null = null;
  let lines = 0;

  const follow = (message: AirbyteMessage): void => {
    const step = stepOf(message);
    const isAnswer = ['SPEC', 'CATALOG', 'CONNECTION_STATUS'].includes(message.type);
    if (answer !== null && (isAnswer || step !== undefined))
      throw new Error(`${message.type} after ${answer}`);
    if (isAnswer && streams.size > 0) throw new Error(`${message.type} in the output of a read`);
    if (isAnswer) answer = message.type;
    if (step === undefined) return;
    const [name, event, recordCount] = step;
    const stream = streams.get(name) ?? createStreamFollower();
    streams.set(name, stream);
    stream.follow(event, recordCount);
  };

  return {
    /**
     * The message of the next line, which comes without its newline. Only bytes can be checked for valid UTF-8.
     *
     * @throws Error with the number of the line, the line (its first 300 characters) and what is wrong with it.
     */
    line: (line: string | Buffer): AirbyteMessage => {
      lines += 1;
      try {
        const message = parseMessage(line);
        follow(message);
        return message;
      } catch (error) {
        const shown = line.toString().replace(/^([^]{300})[^]+$/, '$1…');
        throw new Error(`line ${lines}: ${(error as Error).message}\n${shown}`, { cause: error });
      }
    },
    /** Says that the output is over: throws if there was no line, or if a stream has not ended. Not for a killed process. */
    end: (): void => {
      if (lines === 0) throw new Error('the output is empty');
      const open = [...streams].filter(([, stream]) => !stream.hasEnded()).map(([name]) => name);
      if (open.length > 0) throw new Error(`neither COMPLETE nor INCOMPLETE: ${open.join(', ')}`);
    },
  };
}

const NEWLINE = 10;

/**
 * What has reached the reader of a process. A line that was cut off tells nothing, unless it is a STATE that lacks only its
 * newline, since the connector will go on from that one too.
 *
 * @throws Error if a whole line breaks a rule of the protocol, or, where the process `hasEnded` by itself, if the end is missing
 */
export function outputOf(bytes: Buffer, hasEnded: boolean): Output {
  const validator = createOutputValidator();
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  const rest = bytes.subarray(start);
  if (hasEnded && rest.length > 0) throw new Error(`the last line has no newline: ${rest.toString()}`);
  if (isState(rest)) lines.push(rest);
  const messages = lines.map((line) => validator.line(line));
  if (hasEnded) validator.end();
  return { messages, lines };
}

function isState(line: Buffer): boolean {
  try {
    return (JSON.parse(line.toString()) as { type?: unknown }).type === 'STATE';
  } catch {
    return false;
  }
}
