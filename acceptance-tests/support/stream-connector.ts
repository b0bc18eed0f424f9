import type { ChildProcess } from 'node:child_process';
import type { AirbyteMessage } from '../../src/generated/protocol.generated.ts';
import { createOutputValidator } from '../suites/conformance/validate-output.ts';
import { outputLines } from './output-lines.ts';
import { startConnector } from './start-connector.ts';
import type { Exit, StartOptions } from './start-connector.ts';

/** What a run is held to beside the protocol. */
export interface StreamOptions extends StartOptions {
  /** Texts that must not appear in any output; asked for again with every line, since tokens come up during a run. */
  readonly secrets: () => readonly string[];
}

/** A line that has passed the checks. */
export interface CheckedLine {
  readonly message: AirbyteMessage;
  /** Without the newline. */
  readonly bytes: Buffer;
  readonly process: ChildProcess;
}

/**
 * Runs the built connector and hands on each line of its output, in constant memory. While `onLine` is pending nothing
 * more is read, so the connector comes to stand still at a full pipe.
 *
 * @throws Error if the run breaks a rule that holds for every run: each line is a valid message in a valid order (see
 * `createOutputValidator`), stderr is empty, no secret is in any output (a CONTROL message may hold one), and an exit code
 * other than 0 goes with a TRACE ERROR, 0 with none. What a signal ended may lack its end. It also throws what `onLine` throws.
 */
export async function streamConnector(
  args: readonly string[],
  options: StreamOptions,
  onLine: (line: CheckedLine) => void | Promise<void>,
): Promise<Exit> {
  const started = await startConnector(args, options);
  const validator = createOutputValidator();
  let errors = 0;
  let cut: Buffer | undefined;
  try {
    for await (const { bytes, whole } of outputLines(started.stdout)) {
      if (!whole) {
        cut = bytes;
        break;
      }
      const message = validator.line(bytes);
      if (message.type !== 'CONTROL') expectNoSecret(bytes, options.secrets());
      if (message.type === 'TRACE' && message.trace.type === 'ERROR') errors += 1;
      await onLine({ message, bytes, process: started.process });
    }
  } catch (error) {
    started.process.kill('SIGKILL');
    throw error;
  }
  const exit = await started.exit;
  expectNoSecret(Buffer.from(exit.stderr), options.secrets());
  if (exit.stderr !== '') throw new Error(`stderr is not empty: ${exit.stderr}`);
  if (exit.signal !== null) return exit;
  if (cut !== undefined) throw new Error(`the last line has no newline: ${cut.toString()}`);
  validator.end();
  if ((exit.code === 0) !== (errors === 0))
    throw new Error(`exit code ${exit.code} with ${errors} TRACE ERROR`);
  return exit;
}

function expectNoSecret(output: Buffer, secrets: readonly string[]): void {
  if (secrets.some((secret) => output.includes(secret)))
    throw new Error(`a secret is in the output: ${output.toString()}`);
}
