import type { AirbyteMessage } from '../../src/generated/protocol.generated.ts';
import { createOutputValidator } from '../suites/conformance/validate-output.ts';
import type { Output } from './run-views.ts';

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
  const messages = lines.map((line): AirbyteMessage => validator.line(line));
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
