import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../../../src/config/temporary-file.test-support.ts';
import type { AirbyteMessage } from '../../../src/generated/protocol.generated.ts';
import { startRowApi, type RowApi } from '../../support/fixed-api.ts';
import { writeInputs, type Inputs } from '../../support/input-files.ts';
import { recordResources } from '../../support/resource-use.ts';
import { startConnector, type StartOptions } from '../../support/start-connector.ts';
import { outputOf } from '../conformance/validate-output.ts';

/** An API that is closed after the test. */
export async function useRowApi(...parameters: Parameters<typeof startRowApi>): Promise<RowApi> {
  const api = await startRowApi(...parameters);
  onTestFinished(api.close);
  return api;
}

type StartChoice = Partial<StartOptions> & Pick<Inputs, 'catalog' | 'state'>;

/** Starts a command with its options, in a new folder unless one is given. The caller reads stdout; the test kills it at its end. */
export async function startUnread(
  command: string,
  config: object,
  { catalog, state, ...options }: StartChoice,
) {
  const { folder, args } = await writeInputs(options.folder ?? temporaryDirectory(), {
    config,
    catalog,
    state,
  });
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
  const output = (): Buffer => Buffer.concat(chunks);
  /** Resolves with the exit and the messages; rejects if one is truncated or invalid, or if a stream has not ended. */
  const ended = async () => {
    const exit = await started.exit;
    try {
      return { ...exit, stdout: output().toString(), messages: outputOf(output(), true).messages };
    } catch (error) {
      throw new Error(`invalid output of a process that ended with ${JSON.stringify(exit)}`, {
        cause: error,
      });
    }
  };
  return {
    ...started,
    output,
    ended,
    until: async (text: string): Promise<void> => {
      while (!output().includes(text)) await once(started.stdout, 'data');
    },
    /** Expects an exit code or a signal, an empty stderr, and an outline of the output. */
    endsAs: async (end: number | NodeJS.Signals, expected: readonly unknown[]) => {
      const found = await ended();
      const { code, signal, stderr, messages } = found;
      expect([code ?? signal, stderr, outline(messages)]).toStrictEqual([end, '', expected]);
      return found;
    },
  };
}

/** Records the resources that a process of this test uses. */
export const measured = (env: Readonly<Record<string, string>>) => recordResources(temporaryDirectory(), env);

/** A summary of messages, without records. */
export function outline(messages: readonly AirbyteMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.type === 'TRACE' && message.trace.type === 'STREAM_STATUS')
      return [message.trace.stream_status.status];
    if (message.type === 'TRACE' && message.trace.type === 'ERROR')
      return [`${message.trace.error.failure_type}: ${message.trace.error.message}`];
    return message.type === 'STATE' || message.type === 'CONNECTION_STATUS' ? [message.type] : [];
  });
}
