import { ConnectorError } from '../errors.ts';
import { PROMPT } from '../limits.ts';
import type { SourceStream } from '../streams/stream.ts';
import { createCheckReport } from './check-report.ts';
import { openConnector, promptContext } from './connector.ts';
import type { ConfigOptions, Environment } from './connector.ts';

export interface CheckOptions extends ConfigOptions {
  /** A table for people on stderr, of what was asked and answered. */
  readonly verbose: boolean;
}

/**
 * `check`: validates the config, gets a token and asks each configured stream for one row. One CONNECTION_STATUS with
 * a line per stream, FAILED if any of them cannot be used; that is an answer, so the exit code is 0.
 *
 * @throws whatever is no ConnectorError: a fault of ours is no verdict about the config
 */
export async function runCheck(options: CheckOptions, environment: Environment): Promise<number> {
  const report = options.verbose ? createCheckReport() : null;
  let missing: readonly string[] = [];
  try {
    const { streams } = await openConnector(options, PROMPT, report?.observer ?? null, environment);
    const verdicts = await Promise.all(streams.map((stream) => probe(stream, environment)));
    missing = linesOf(verdicts.filter(({ ok }) => !ok));
    await answer(missing.length > 0 ? 'FAILED' : 'SUCCEEDED', linesOf(verdicts).join('\n'), environment);
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    missing = [...missing, error.message];
    await answer('FAILED', error.message, environment);
  } finally {
    if (report !== null) {
      const { stderr, redactor, clock } = environment;
      stderr.write(redactor.redact(report.text(missing, clock.now())));
    }
  }
  return 0;
}

/** What several streams have in common is said once. */
function linesOf(verdicts: readonly Verdict[]): string[] {
  return [...new Set(verdicts.map(({ words }) => words))];
}

interface Verdict {
  readonly ok: boolean;
  readonly words: string;
}

async function probe(stream: SourceStream, environment: Environment): Promise<Verdict> {
  try {
    const words = await stream.probe(promptContext(stream.name, environment));
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
