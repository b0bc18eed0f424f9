import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../../../src/config/temporary-file.test-support.ts';
import type { AirbyteMessage } from '../../../src/generated/protocol.generated.ts';
import { outputOf } from '../conformance/validate-output.ts';
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

/** How a command is started, beside its config. */
export interface StartChoice extends Partial<StartOptions>, Pick<Inputs, 'state'> {
  /** Arguments behind those of the input files. */
  readonly more?: readonly string[];
}

/** Starts a command whose stdout somebody else reads, in a folder of its own unless it is given one; it is killed with the test. */
export async function startUnread(command: string, config: object, choice: StartChoice): Promise<Started> {
  const { state, more = [], ...options } = choice;
  const { folder, args } = await writeInputs(choice.folder ?? temporaryDirectory(), { config, state });
  const started = startConnector([command, ...args, ...more], { folder, ...options });
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

/** A command that runs, and whose stdout is read. */
export interface Running extends Started {
  /** Resolves when these words have been read. */
  readonly until: (words: string) => Promise<void>;
  /** All that was read so far. */
  readonly output: () => Buffer;
  /** Rejects if a line is cut or no valid message, or if a stream that STARTED has not ended. */
  readonly ended: () => Promise<Ended>;
  /** The same, held to an exit code or a signal, to silence on stderr, and to an outline of what it wrote. */
  readonly endsAs: (end: number | NodeJS.Signals, words: readonly unknown[]) => Promise<Ended>;
}

/** Starts a command and reads its output. */
export async function start(command: string, config: object, choice: StartChoice): Promise<Running> {
  const started = await startUnread(command, config, choice);
  const chunks: Buffer[] = [];
  started.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const output = (): Buffer => Buffer.concat(chunks);
  const ended = async (): Promise<Ended> => {
    const exit = await started.exit;
    return { ...exit, stdout: output(), messages: outputOf(output(), true).messages };
  };
  return {
    ...started,
    until: async (words) => {
      while (!output().includes(words)) await once(started.stdout, 'data');
    },
    output,
    ended,
    endsAs: async (end, words) => {
      const found = await ended();
      const { code, signal, stderr, messages } = found;
      expect([code ?? signal, stderr, outline(messages)]).toStrictEqual([end, '', words]);
      return found;
    },
  };
}

/** An environment in which a process leaves its peak memory behind, and that memory, in bytes, once it has ended. */
export function measuredMemory(env: Readonly<Record<string, string>>): {
  readonly env: Readonly<Record<string, string>>;
  readonly peak: () => number;
} {
  const PEAK_FILE = join(temporaryDirectory(), 'peak');
  const preload = new URL('../../support/peak-memory.mjs', import.meta.url).href;
  return {
    env: { ...env, NODE_OPTIONS: `${env['NODE_OPTIONS'] ?? ''} --import=${preload}`, PEAK_FILE },
    peak: () => Number(readFileSync(PEAK_FILE, 'utf8')) * 1024,
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
