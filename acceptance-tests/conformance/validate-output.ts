import type { AirbyteMessage, StreamDescriptor, Trace } from '../../src/generated/protocol.generated.ts';
import { afterMessage } from './output-kind.ts';
import type { OutputKind } from './output-kind.ts';
import { parseMessage } from './parse-message.ts';
import { afterEstimate, afterRecord, afterState, afterStatus } from './stream-progress.ts';
import type { StreamProgress } from './stream-progress.ts';

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

/** The messages of a whole stdout; throws what an `OutputValidator` throws, and wants a newline as the last byte. */
export function validateLines(stdout: string | Buffer): AirbyteMessage[] {
  const bytes = typeof stdout === 'string' ? Buffer.from(stdout) : stdout;
  const validator = createOutputValidator();
  const messages: AirbyteMessage[] = [];
  let start = 0;
  for (let end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', start)) {
    messages.push(validator.line(bytes.subarray(start, end)));
    start = end + 1;
  }
  if (start < bytes.length) throw new Error(`the last byte is not a newline: ${cut(bytes.subarray(start))}`);
  validator.end();
  return messages;
}

/** A validator for one output; see `parseMessage`, `output-kind.ts` and `stream-progress.ts` for its rules. */
export function createOutputValidator(): OutputValidator {
  const streams = new Map<string, StreamProgress>();
  let kind: OutputKind = 'undecided';
  let lines = 0;

  const advance = (
    stream: StreamDescriptor,
    step: (before: StreamProgress | undefined) => StreamProgress,
  ) => {
    const key = streamKey(stream);
    streams.set(key, step(streams.get(key)));
  };

  const followTrace = (trace: Trace): void => {
    if (trace.type === 'STREAM_STATUS') {
      const { stream_descriptor, status } = trace.stream_status;
      advance(stream_descriptor, (before) => afterStatus(before, status));
    } else if (trace.type === 'ESTIMATE' && trace.estimate.type === 'STREAM') {
      advance(trace.estimate, afterEstimate);
    }
  };

  const follow = (message: AirbyteMessage): void => {
    kind = afterMessage(kind, message);
    if (message.type === 'TRACE') followTrace(message.trace);
    if (message.type === 'RECORD') {
      const { stream: name, namespace } = message.record;
      advance(namespace === undefined ? { name } : { name, namespace }, afterRecord);
    }
    if (message.type === 'STATE') {
      const { stream, sourceStats } = message.state;
      advance(stream.stream_descriptor, (before) => afterState(before, sourceStats.recordCount));
    }
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
      const open = [...streams].filter(([, { phase }]) => phase !== 'ended').map(([key]) => key);
      if (open.length > 0) throw new Error(`neither COMPLETE nor INCOMPLETE: ${open.join(', ')}`);
    },
  };
}

function streamKey({ namespace, name }: StreamDescriptor): string {
  return namespace === undefined ? JSON.stringify(name) : JSON.stringify([namespace, name]);
}

function cut(line: string | Buffer): string {
  const text = line.toString();
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
