import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../../../src/config/temporary-file.test-support.ts';
import type { AirbyteMessage } from '../../../src/generated/protocol.generated.ts';
import { startRowApi } from '../../support/fixed-api.ts';
import type { RowApi } from '../../support/fixed-api.ts';
import { writeInputs } from '../../support/input-files.ts';
import type { Inputs } from '../../support/input-files.ts';
import { startConnector } from '../../support/start-connector.ts';
import type { StartOptions } from '../../support/start-connector.ts';
import { outputOf } from '../conformance/validate-output.ts';

/** An API that lives as long as the test. */
export async function useRowApi(...parameters: Parameters<typeof startRowApi>): Promise<RowApi> {
  const api = await startRowApi(...parameters);
  onTestFinished(api.close);
  return api;
}

type StartChoice = Partial<StartOptions> & Pick<Inputs, 'state'>;

/**
 * Starts a command, with its options, whose stdout somebody else reads, in a folder of its own unless it is given one; it is
 * killed with the test.
 */
export async function startUnread(command: string, config: object, { state, ...options }: StartChoice) {
  const { folder, args } = await writeInputs(options.folder ?? temporaryDirectory(), { config, state });
  const started = startConnector([...command.split(' '), ...args], { folder, ...options });
  onTestFinished(() => {
    started.process.kill('SIGKILL');
  });
  return started;
}

/** Starts a command and reads its output. */
export async function start(command: string, config: object, choice: StartChoice) {
  const started = await startUnread(command, config, choice);
  const chunks: Buffer[] = [];
  started.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  /** All that was read so far. */
  const output = (): Buffer => Buffer.concat(chunks);
  /** How it ended, and its messages; rejects if one is cut or invalid, or if a stream that STARTED has not ended. */
  const ended = async () => {
    const exit = await started.exit;
    return { ...exit, stdout: output().toString(), messages: outputOf(output(), true).messages };
  };
  return {
    ...started,
    output,
    ended,
    /** Resolves when these words have been read. */
    until: async (words: string): Promise<void> => {
      while (!output().includes(words)) await once(started.stdout, 'data');
    },
    /** The end, held to an exit code or a signal, to silence on stderr, and to an outline of what it wrote. */
    endsAs: async (end: number | NodeJS.Signals, words: readonly unknown[]) => {
      const found = await ended();
      const { code, signal, stderr, messages } = found;
      expect([code ?? signal, stderr, outline(messages)]).toStrictEqual([end, '', words]);
      return found;
    },
  };
}

/** An environment in which a process leaves its peak memory behind, and that memory, in bytes, once it has ended. */
export function measuredMemory(env: Readonly<Record<string, string>>) {
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
