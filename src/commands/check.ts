import { loadConfig } from '../config/config.ts';
import { ConnectorError } from '../errors.ts';
import type { SourceStream } from '../streams/stream.ts';
import { AT_ONCE, createConnector } from './connector.ts';
import type { ConfigOptions } from './connector.ts';
import type { Environment } from './environment.ts';
import { warnUnknownKeys } from './unknown-keys.ts';

/**
 * `check`: validates the config, gets a token and asks each configured stream for one row. One CONNECTION_STATUS with
 * a line per stream, FAILED if any of them cannot be used; that is an answer, so the exit code is 0.
 *
 * @throws whatever is no ConnectorError: a fault of ours is no verdict about the config
 */
export async function runCheck(
  { config: configPath, tokenCache }: ConfigOptions,
  environment: Environment,
): Promise<number> {
  try {
    const loaded = await loadConfig(configPath);
    await warnUnknownKeys(configPath, loaded.unknownKeys, environment.log);
    const { streams } = await createConnector(loaded, { ...AT_ONCE, tokenCache }, environment);
    const verdicts = await Promise.all(streams.map((stream) => probe(stream, environment)));
    const failed = verdicts.some(({ ok }) => !ok);
    await answer(
      failed ? 'FAILED' : 'SUCCEEDED',
      [...new Set(verdicts.map(({ words }) => words))].join('\n'),
      environment,
    );
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    await answer('FAILED', error.message, environment);
  }
  return 0;
}

interface Verdict {
  readonly ok: boolean;
  readonly words: string;
}

async function probe(stream: SourceStream, { signal, log }: Environment): Promise<Verdict> {
  try {
    const words = await stream.probe(signal, ({ reason }) =>
      log.info(`${stream.name}: one more attempt (${reason})`),
    );
    return { ok: true, words: `${stream.name}: ${words}` };
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    return { ok: false, words: error.message };
  }
}

async function answer(
  status: 'SUCCEEDED' | 'FAILED',
  message: string,
  { writer, signal }: Environment,
): Promise<void> {
  // told to stop, it knows nothing about the config
  signal.throwIfAborted();
  await writer.send({ type: 'CONNECTION_STATUS', connectionStatus: { status, message } });
}
