import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { AirbyteMessage } from '../../../src/generated/protocol.generated.ts';
import { validateLines } from '../conformance/validate-output.ts';
import { startRowApi } from '../../support/fixed-api.ts';
import type { Behaviour, RowApi } from '../../support/fixed-api.ts';
import { writeInputs } from '../../support/input-files.ts';
import type { Inputs } from '../../support/input-files.ts';
import { startConnector } from '../../support/start-connector.ts';
import type { Exit, StartOptions, Started } from '../../support/start-connector.ts';

/** An API that lives as long as the test. */
export async function useRowApi(rows: number, rowBytes: number, behaviour: Behaviour): Promise<RowApi> {
  const api = await startRowApi(rows, rowBytes, behaviour);
  onTestFinished(api.close);
  return api;
}

/** A folder that lives as long as the test. */
export async function useFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'process-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** How `start` starts a command, beside its input files. */
export interface StartChoice extends Partial<StartOptions> {
  /** Arguments behind those of the input files. */
  readonly more?: readonly string[];
}

/** Starts a command whose stdout somebody else reads, in a folder of its own unless it is given one; it is killed with the test. */
export async function startAs(command: string, inputs: Inputs, choice: StartChoice): Promise<Started> {
  const { folder, args } = await writeInputs(choice.folder ?? (await useFolder()), inputs);
  const started = startConnector([command, ...args, ...(choice.more ?? [])], { folder, ...choice });
  onTestFinished(() => {
    started.process.kill('SIGKILL');
  });
  return started;
}

/** How a process ended, and all that it wrote since nobody else read. */
export interface Ended extends Exit {
  readonly stdout: Buffer;
  /** Valid messages in a valid order, of streams that have all come to an end. */
  readonly messages: readonly AirbyteMessage[];
}

/** A command that runs, and the reader of its stdout. */
export interface Running extends Started {
  /** Resolves when these words have been read. */
  readonly until: (words: string) => Promise<void>;
  /** Resolves when they have been read so many times. */
  readonly untilTimes: (words: string, times: number) => Promise<void>;
  /** Whether nothing has been read. */
  readonly isEmpty: () => boolean;
  /** Reads no more, so that the connector soon stands still at a full pipe. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Rejects if a line is cut or no valid message, or if a stream that STARTED has not ended. */
  readonly ended: () => Promise<Ended>;
  /** The same, held to an exit code or a signal, to silence on stderr, and to an outline of what it wrote. */
  readonly endsAs: (end: number | NodeJS.Signals, words: readonly unknown[]) => Promise<Ended>;
}

/** Starts a command with some variables of the environment, and reads its output. */
export async function start(
  command: 'check' | 'discover' | 'read',
  inputs: Inputs,
  env: Readonly<Record<string, string>>,
): Promise<Running> {
  return readOutput(await startAs(command, inputs, { env }));
}

/** Starts to read. */
export function readOutput(started: Started): Running {
  const chunks: Buffer[] = [];
  const waiting: { readonly words: string; readonly times: number; readonly resolve: () => void }[] = [];
  const tell = (): void => {
    const all = Buffer.concat(chunks).toString('latin1');
    for (const { words, times, resolve } of waiting) if (all.split(words).length > times) resolve();
  };
  const untilTimes = (words: string, times: number): Promise<void> =>
    new Promise((resolve) => {
      waiting.push({ words, times, resolve });
      tell();
    });
  started.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    if (waiting.length > 0) tell();
  });
  const ended = async (): Promise<Ended> => {
    const exit = await started.exit;
    const stdout = Buffer.concat(chunks);
    return { ...exit, stdout, messages: validateLines(stdout) };
  };
  return {
    ...started,
    until: (words) => untilTimes(words, 1),
    untilTimes,
    isEmpty: () => chunks.length === 0,
    pause: () => started.stdout.pause(),
    resume: () => started.stdout.resume(),
    ended,
    endsAs: async (end, words) => {
      const found = await ended();
      const { code, signal, stderr, messages } = found;
      expect([code ?? signal, stderr, outline(messages)]).toStrictEqual([end, '', words]);
      return found;
    },
  };
}

/** What a person sees of messages, in a word each; records are left out. */
export function outline(messages: readonly AirbyteMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.type === 'TRACE' && message.trace.type === 'STREAM_STATUS')
      return [message.trace.stream_status.status];
    if (message.type === 'TRACE' && message.trace.type === 'ERROR')
      return [`${message.trace.error.failure_type}: ${message.trace.error.message}`];
    return message.type === 'STATE' || message.type === 'CONNECTION_STATUS' ? [message.type] : [];
  });
}
