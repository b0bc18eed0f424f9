import type { AirbyteMessage } from '../../src/generated/protocol.generated.ts';
import { createOutputValidator } from '../suites/conformance/validate-output.ts';
import { linesOf } from './lines.ts';
import type { Output } from './run-views.ts';
import { startConnector, type Exit, type StartOptions } from './start-connector.ts';

/** A valid line of output, without its newline. */
export interface CheckedLine {
  readonly message: AirbyteMessage;
  readonly bytes: Buffer;
}

export interface RunOptions extends StartOptions {
  readonly secrets: readonly string[]; // texts that must not appear in any output
  /** Called with each line; reading pauses until it resolves. */
  readonly onLine?: ((line: CheckedLine) => void | Promise<void>) | undefined;
}

/** A run that has ended, with its output. */
export interface Run extends Exit, Output {
  readonly stdout: Buffer;
}

/** Runs the built connector and returns its output. Throws what `streamConnector` throws. */
export async function runConnector(args: readonly string[], options: RunOptions): Promise<Run> {
  const messages: AirbyteMessage[] = [];
  const lines: Buffer[] = [];
  const onLine = async (line: CheckedLine): Promise<void> => {
    messages.push(line.message);
    lines.push(line.bytes);
    await options.onLine?.(line);
  };
  const exit = await streamConnector(args, { ...options, onLine });
  const newline = Buffer.from('\n');
  return { ...exit, messages, lines, stdout: Buffer.concat(lines.flatMap((line) => [line, newline])) };
}

/**
 * Runs the built connector in constant memory.
 *
 * @throws Error if a line is not a valid message in a valid order, stderr is not empty, the output contains a secret, or the exit
 * code does not match the TRACE ERRORs. After a signal the output may be truncated.
 */
export async function streamConnector(args: readonly string[], options: RunOptions): Promise<Exit> {
  const { process, stdout, exit } = startConnector(args, options);
  const validator = createOutputValidator();
  let errors = 0;
  let cut: Buffer | undefined;
  try {
    for await (const { bytes, isWhole } of linesOf(stdout)) {
      if (!isWhole) {
        cut = bytes;
        break;
      }
      const message = validator.line(bytes);
      expectNoSecret(message, bytes, options.secrets);
      if (message.type === 'TRACE' && message.trace.type === 'ERROR') errors += 1;
      await options.onLine?.({ message, bytes });
    }
  } catch (error) {
    process.kill('SIGKILL');
    throw error;
  }
  const ended = await exit;
  if (ended.stderr !== '') throw new Error(`stderr is not empty: ${ended.stderr}`);
  if (ended.signal !== null) return ended;
  if (cut !== undefined) throw new Error(`the last line has no newline: ${cut.toString()}`);
  validator.end();
  if ((ended.code === 0) !== (errors === 0))
    throw new Error(`exit code ${ended.code} with ${errors} TRACE ERROR`);
  return ended;
}

/** @throws Error if a line contains a secret; CONTROL messages may */
export function expectNoSecret({ type }: AirbyteMessage, line: Buffer, secrets: readonly string[]): void {
  if (type !== 'CONTROL' && secrets.some((secret) => line.includes(secret)))
    throw new Error(`a secret is in the output: ${line.toString()}`);
}
