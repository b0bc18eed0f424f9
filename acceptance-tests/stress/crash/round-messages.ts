import type { AirbyteMessage } from '../../../src/generated/protocol.generated.ts';
import { createOutputValidator } from '../../suites/conformance/validate-output.ts';

/** A message of a round, with the bytes of its line. */
export interface RoundMessage {
  readonly message: AirbyteMessage;
  readonly line: Buffer;
}

/**
 * The messages in what reached us of one round. A line that was cut off tells nothing; only if it lacks nothing but its
 * newline, and is a STATE, it counts, since the connector will count it too.
 *
 * @throws Error if a whole line breaks a rule of the protocol, or, in a round that ended by itself, if the end is missing
 */
export function messagesOf(output: Buffer, ended: boolean): RoundMessage[] {
  const validator = createOutputValidator();
  const messages: RoundMessage[] = [];
  let start = 0;
  for (let end = output.indexOf(10); end >= 0; end = output.indexOf(10, start)) {
    const line = output.subarray(start, end);
    messages.push({ line, message: validator.line(line) });
    start = end + 1;
  }
  const rest = output.subarray(start);
  if (ended) {
    if (rest.length > 0) throw new Error(`the last line has no newline: ${rest.toString()}`);
    validator.end();
  } else if (isState(rest)) messages.push({ line: rest, message: validator.line(rest) });
  return messages;
}

function isState(line: Buffer): boolean {
  try {
    return (JSON.parse(line.toString()) as { type?: unknown }).type === 'STATE';
  } catch {
    return false;
  }
}
