import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import type { AirbyteMessage, StreamStatus } from '../../../src/generated/protocol.generated.ts';

const ajv = new Ajv({ allErrors: true, discriminator: true, strictTypes: false });
formats.default(ajv);
const isMessage = ajv.compile<AirbyteMessage>(
  JSON.parse(readFileSync(join(import.meta.dirname, 'airbyte-protocol.schema.json'), 'utf8')),
);

/** What some readers take for the end of a line, as far as JSON allows it. */
const lineSplitter = /[\n\r\u0085\u2028\u2029]/;

/**
 * The one message that a line of stdout holds. `line` comes without its newline.
 *
 * @throws Error that says what is wrong: bytes that are not UTF-8, a character that breaks the line for some readers, no
 * JSON, or the places at which the message departs from `airbyte-protocol.schema.json`.
 */
export function parseMessage(line: string | Buffer): AirbyteMessage {
  if (typeof line !== 'string' && !isUtf8(line)) throw new Error('is not valid UTF-8');
  const text = line.toString();
  const splitter = lineSplitter.exec(text);
  if (splitter !== null) {
    const code = splitter[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    throw new Error(`holds a raw U+${code} at character ${splitter.index}`);
  }
  const value: unknown = JSON.parse(text);
  if (isMessage(value)) return value;
  const faults = (isMessage.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${instancePath === '' ? 'message' : instancePath} ${message ?? 'is invalid'} ${JSON.stringify(params)}`,
  );
  throw new Error(faults.join('; '));
}

type StreamEvent = StreamStatus | 'RECORD' | 'STATE' | 'ESTIMATE';

/** What the stream of an output has told so far; one that nothing has been said about is `undefined`. */
interface StreamProgress {
  readonly phase: 'started' | 'running' | 'ended';
  /** Rows since the last STATE of this stream, or since its start. */
  readonly rowsSinceState: number;
  readonly hasState: boolean;
}

/**
 * The progress of a stream after one more message: STARTED once and first; then RUNNING, any number of times; then COMPLETE
 * or INCOMPLETE, once and last. Records and states come only while it is RUNNING, each state with exactly the rows since the
 * one before as its count. COMPLETE needs RUNNING before it, and a STATE that covers every row; a stream may fail before.
 *
 * @throws Error that names the broken rule.
 */
function afterEvent(
  before: StreamProgress | undefined,
  event: StreamEvent,
  recordCount: number,
): StreamProgress {
  if (event === 'STARTED') {
    if (before !== undefined) throw new Error(`STARTED, but the stream has ${before.phase} already`);
    return { phase: 'started', rowsSinceState: 0, hasState: false };
  }
  if (before === undefined) throw new Error(`${event}, but the stream has not STARTED`);
  const { phase, rowsSinceState, hasState } = before;
  if (phase === 'ended') throw new Error(`${event}, but the stream has ended`);
  if (event === 'ESTIMATE') return before;
  if (event === 'RUNNING') return { ...before, phase: 'running' };
  if (event === 'INCOMPLETE') return { ...before, phase: 'ended' };
  if (phase === 'started') throw new Error(`${event}, but the stream is not RUNNING yet`);
  if (event === 'RECORD') return { ...before, rowsSinceState: rowsSinceState + 1 };
  if (event === 'STATE') {
    if (recordCount !== rowsSinceState)
      throw new Error(`recordCount is ${recordCount}, but ${rowsSinceState} rows came since the last STATE`);
    return { ...before, rowsSinceState: 0, hasState: true };
  }
  if (!hasState) throw new Error('COMPLETE, but the stream has no STATE');
  if (rowsSinceState > 0)
    throw new Error(`COMPLETE, but no STATE covers the last rows of the stream (${rowsSinceState})`);
  return { ...before, phase: 'ended' };
}

/** Judges an output line by line, in memory that grows with the number of streams only. */
export interface OutputValidator {
  /**
   * The message of the next line, which comes without its newline. Only bytes can be checked for valid UTF-8.
   *
   * @throws Error with the number of the line, the line (its first 300 characters) and every rule that it breaks.
   */
  line(line: string | Buffer): AirbyteMessage;
  /**
   * Says that the output is over. Leave it out if the process was killed.
   *
   * @throws Error if there was no line, or a stream that STARTED has not ended.
   */
  end(): void;
}

/**
 * A validator for one output. Beside the rules of `parseMessage` and `afterEvent`, SPEC, CATALOG and CONNECTION_STATUS come
 * once, and never beside what a read writes; LOG, CONTROL and the other traces go with both.
 */
export function createOutputValidator(): OutputValidator {
  const streams = new Map<string, StreamProgress>();
  let kind: 'undecided' | 'answered' | 'read' = 'undecided';
  let lines = 0;

  const follow = (message: AirbyteMessage): void => {
    const name = message.type === 'TRACE' ? message.trace.type : message.type;
    if (['SPEC', 'CATALOG', 'CONNECTION_STATUS'].includes(name)) {
      if (kind === 'answered') throw new Error(`${name} is a second answer`);
      if (kind === 'read') throw new Error(`${name} in the output of a read`);
      kind = 'answered';
    } else if (['RECORD', 'STATE', 'STREAM_STATUS', 'ESTIMATE'].includes(name)) {
      if (kind === 'answered') throw new Error(`${name} after the answer of spec, check or discover`);
      kind = 'read';
    }
    const step = stepOf(message);
    if (step === undefined) return;
    const [stream, event, recordCount] = step;
    streams.set(stream, afterEvent(streams.get(stream), event, recordCount));
  };

  return {
    line(line) {
      lines += 1;
      try {
        const message = parseMessage(line);
        follow(message);
        return message;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`line ${lines}: ${reason}\n${cut(line)}`, { cause: error });
      }
    },
    end() {
      if (lines === 0) throw new Error('the output is empty');
      const open = [...streams].filter(([, { phase }]) => phase !== 'ended').map(([name]) => name);
      if (open.length > 0) throw new Error(`neither COMPLETE nor INCOMPLETE: ${open.join(', ')}`);
    },
  };
}

/** The stream that a message tells of, what it tells, and the count of a state; undefined if it tells of none. */
function stepOf(
  message: AirbyteMessage,
): [name: string, event: StreamEvent, recordCount: number] | undefined {
  if (message.type === 'RECORD') return [message.record.stream, 'RECORD', 0];
  if (message.type === 'STATE') {
    const { stream, sourceStats } = message.state;
    return [stream.stream_descriptor.name, 'STATE', sourceStats.recordCount];
  }
  if (message.type !== 'TRACE') return undefined;
  const { trace } = message;
  if (trace.type === 'STREAM_STATUS') {
    const { stream_descriptor, status } = trace.stream_status;
    return [stream_descriptor.name, status, 0];
  }
  if (trace.type !== 'ESTIMATE' || trace.estimate.type !== 'STREAM') return undefined;
  return [trace.estimate.name, 'ESTIMATE', 0];
}

function cut(line: string | Buffer): string {
  const text = line.toString();
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
