import { describeUnknown } from '../config/unknown-keys.ts';
import { ConnectorError } from '../errors.ts';
import { INTERACTIVE_BUDGET } from '../limits.ts';
import { listed } from '../protocol/messages.ts';
import type { SourceStream } from '../streams/stream.ts';
import { openConnector, interactiveContext, type ConfigOptions, type Environment } from './connector.ts';

/**
 * `check`: validates the config, gets a token and requests a few rows of each configured stream. Sends a CONNECTION_STATUS with one
 * line per stream. It is FAILED if any stream cannot be read, or if an unknown key most likely means a list; the exit code is still 0. Internal errors are thrown.
 */
export async function runCheck(options: ConfigOptions, environment: Environment): Promise<number> {
  const { writer, signal } = environment;
  let isFailed = false;
  const refusal = (error: unknown): string => {
    if (!(error instanceof ConnectorError)) throw error;
    isFailed = true;
    return error.message;
  };
  const probe = ({ name, probe: ask }: SourceStream): Promise<string> =>
    ask(interactiveContext(name, environment)).then((result) => `${name}: ${result}`, refusal);
  const results = await openConnector(options, INTERACTIVE_BUDGET, environment).then(
    async ({ streams, misspelledLists }) => {
      const ofStreams = await Promise.all(streams.map(probe));
      if (misspelledLists.length === 0) return ofStreams;
      isFailed = true;
      const named = listed(misspelledLists, describeUnknown);
      return [...ofStreams, `config ${options.config}: unknown keys, so a list is not read: ${named}.`];
    },
    (error: unknown) => [refusal(error)],
  );
  // an aborted check says nothing about the config
  signal.throwIfAborted();
  // a result that several streams share appears once
  const message = [...new Set(results)].join('\n');
  const status = isFailed ? 'FAILED' : 'SUCCEEDED';
  await writer.send({ type: 'CONNECTION_STATUS', connectionStatus: { status, message } });
  return 0;
}
