import { ConnectorError } from '../errors.ts';
import { INTERACTIVE_BUDGET } from '../limits.ts';
import type { SourceStream } from '../streams/stream.ts';
import { createCheckReport } from './check-report.ts';
import { openConnector, promptContext } from './connector.ts';
import type { ConfigOptions, Environment } from './connector.ts';

/**
 * `check`: validates the config, gets a token and asks each configured stream for one row. One CONNECTION_STATUS with a line
 * per stream, FAILED if any cannot be used; that is an answer, so the exit code is 0. A fault of ours is none, and thrown.
 * `verbose`: a table for people on stderr, of what was asked and answered.
 */
export async function runCheck(
  options: ConfigOptions & { readonly verbose: boolean },
  environment: Environment,
): Promise<number> {
  const { writer, signal, stderr, redactor, clock } = environment;
  const report = options.verbose ? createCheckReport() : null;
  const refusals = new Set<string>();
  const refusal = (error: unknown): string => {
    if (!(error instanceof ConnectorError)) throw error;
    refusals.add(error.message);
    return error.message;
  };
  const probe = ({ name, probe: ask }: SourceStream): Promise<string> =>
    ask(promptContext(name, environment)).then((words) => `${name}: ${words}`, refusal);
  let lines: readonly string[] = [];
  try {
    const verdicts = await openConnector(
      options,
      INTERACTIVE_BUDGET,
      report?.observer ?? null,
      environment,
    ).then(
      ({ streams }) => Promise.all(streams.map(probe)),
      (error: unknown) => [refusal(error)],
    );
    // what several streams have in common is said once
    lines = [...new Set(verdicts)];
    // told to stop, it knows nothing about the config
    signal.throwIfAborted();
    const status = refusals.size > 0 ? 'FAILED' : 'SUCCEEDED';
    await writer.send({ type: 'CONNECTION_STATUS', connectionStatus: { status, message: lines.join('\n') } });
  } finally {
    const missing = lines.filter((line) => refusals.has(line));
    // before its lines are broken, which would break a secret too
    const masked = missing.map(redactor.redact);
    if (report !== null) stderr.write(redactor.redact(report.text(masked, clock.now())));
  }
  return 0;
}
