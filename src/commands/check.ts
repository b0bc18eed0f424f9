import { ConnectorError } from '../errors.ts';
import { INTERACTIVE_BUDGET } from '../limits.ts';
import type { SourceStream } from '../streams/stream.ts';
import { createCheckReport } from './check-report.ts';
import { openConnector, promptContext } from './connector.ts';
import type { ConfigOptions, Environment } from './connector.ts';

/**
 * `check`: validates the config, gets a token and requests one row of each configured stream. Sends a CONNECTION_STATUS with a
 * line per stream, FAILED if any stream cannot be read; the exit code is 0 all the same. Throws internal errors. `verbose`: a
 * report of requests and responses on stderr.
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
    ask(promptContext(name, environment)).then((result) => `${name}: ${result}`, refusal);
  let lines: readonly string[] = [];
  try {
    const results = await openConnector(
      options,
      INTERACTIVE_BUDGET,
      report?.observer ?? null,
      environment,
    ).then(
      ({ streams }) => Promise.all(streams.map(probe)),
      (error: unknown) => [refusal(error)],
    );
    // what several streams have in common appears once
    lines = [...new Set(results)];
    // an aborted check says nothing about the config
    signal.throwIfAborted();
    const status = refusals.size > 0 ? 'FAILED' : 'SUCCEEDED';
    await writer.send({ type: 'CONNECTION_STATUS', connectionStatus: { status, message: lines.join('\n') } });
  } finally {
    const missing = lines.filter((line) => refusals.has(line));
    // before lines are wrapped, which would split a secret
    const masked = missing.map(redactor.redact);
    if (report !== null) stderr.write(redactor.redact(report.text(masked, clock.now())));
  }
  return 0;
}
