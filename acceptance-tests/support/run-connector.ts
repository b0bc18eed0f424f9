import type { AirbyteMessage } from '../../src/generated/protocol.generated.ts';
import type { Exit } from './start-connector.ts';
import { streamConnector } from './stream-connector.ts';
import type { CheckedLine, StreamOptions } from './stream-connector.ts';

/** A run that has ended, with all that it wrote. */
export interface Run extends Exit {
  readonly stdout: Buffer;
  /** One for each line of stdout, in order; each has passed the checks of `streamConnector`. */
  readonly messages: readonly AirbyteMessage[];
  /** The bytes of each line, without its newline. */
  readonly lines: readonly Buffer[];
}

/** What a run gets, and who watches it. */
export interface RunOptions extends StreamOptions {
  /** Sees each line as it comes; while it is pending the connector stands still at a full pipe. */
  readonly onLine?: (line: CheckedLine) => void | Promise<void>;
}

/** Runs the built connector to its end and keeps its output. Throws what `streamConnector` throws. */
export async function runConnector(args: readonly string[], options: RunOptions): Promise<Run> {
  const messages: AirbyteMessage[] = [];
  const lines: Buffer[] = [];
  const exit = await streamConnector(args, options, async (line) => {
    messages.push(line.message);
    lines.push(line.bytes);
    await options.onLine?.(line);
  });
  const newline = Buffer.from('\n');
  return { ...exit, messages, lines, stdout: Buffer.concat(lines.flatMap((line) => [line, newline])) };
}
