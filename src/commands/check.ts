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
 * `check`: validates the config, gets a token and asks each configured stream for one row. One CONNECTION_STATUS with a line
 * per stream, FAILED if any cannot be used; that is an answer, so the exit code is 0. A fault of ours is none, and thrown.
 */
export async function runCheck(options: CheckOptions, environment: Environment): Promise<number> {
  const { writer, signal, stderr, redactor, clock } = environment;
  const report = options.verbose ? createCheckReport() : null;
  let missing: readonly string[] = [];
  try {
    const verdicts = await openConnector(options, PROMPT, report?.observer ?? null, environment).then(
      ({ streams }) => Promise.all(streams.map((stream) => probe(stream, environment))),
      (error: unknown) => [refusal(error)],
    );
    missing = linesOf(verdicts.filter(({ isOk }) => !isOk));
    // told to stop, it knows nothing about the config
    signal.throwIfAborted();
    const status = missing.length > 0 ? 'FAILED' : 'SUCCEEDED';
    const message = linesOf(verdicts).join('\n');
    await writer.send({ type: 'CONNECTION_STATUS', connectionStatus: { status, message } });
  } finally {
    if (report !== null) stderr.write(redactor.redact(report.text(missing, clock.now())));
  }
  return 0;
}

interface Verdict {
  readonly isOk: boolean;
  readonly words: string;
}

function probe(stream: SourceStream, environment: Environment): Promise<Verdict> {
  const probing = stream.probe(promptContext(stream.name, environment));
  return probing.then((words) => ({ isOk: true, words: `${stream.name}: ${words}` }), refusal);
}

function refusal(error: unknown): Verdict {
  if (!(error instanceof ConnectorError)) throw error;
  return { isOk: false, words: error.message };
}

/** What several streams have in common is said once. */
function linesOf(verdicts: readonly Verdict[]): string[] {
  return [...new Set(verdicts.map(({ words }) => words))];
}
