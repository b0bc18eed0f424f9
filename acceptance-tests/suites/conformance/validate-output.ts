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

const LINE_SPLITTER = /[\n\r\u0085\u2028\u2029]/; // characters that JSON allows and some readers treat as line ends

/**
 * Parses a line of stdout, without its newline.
 *
 * @throws Error if it is not UTF-8, contains a line end of some readers, is not JSON, or does not match
 * `airbyte-protocol.schema.json`
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

/** The events that may follow in each phase of a stream. It may fail before it runs. */
const NEXT = {
  'not STARTED': ['STARTED'],
  'only STARTED': ['ESTIMATE', 'RUNNING', 'STATE', 'INCOMPLETE'],
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

/** The stream of a message, its event, and the count of a state; undefined if it belongs to no stream. */
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

/** Validates one output. SPEC, CATALOG and CONNECTION_STATUS occur once, and never in a read. */
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
    /** Returns the message of the next line. Throws an Error with the line, its number and what is wrong. */
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
    /** Ends the output of a process that was not killed. Throws if it is empty or a stream has not ended. */
    end: (): void => {
      if (lines === 0) throw new Error('the output is empty');
      const open = [...streams].filter(([, stream]) => !stream.hasEnded()).map(([name]) => name);
      if (open.length > 0) throw new Error(`neither COMPLETE nor INCOMPLETE: ${open.join(', ')}`);
    },
  };
}

const NEWLINE = 10;

/**
 * Parses the output of a process, which may be truncated unless the process `hasEnded` by itself. A truncated line is ignored,
 * except a STATE that lacks only its newline, because the connector resumes from it.
 *
 * @throws Error if the output breaks a rule of the protocol
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
