import { ConnectorError } from '../errors.ts';
import { INTERACTIVE_BUDGET } from '../limits.ts';
import type { SourceStream } from '../streams/stream.ts';
import { createCheckReport } from './check-report.ts';
import { openConnector, interactiveContext, type ConfigOptions, type Environment } from './connector.ts';

export interface CheckOptions extends ConfigOptions {
  readonly verbose: boolean;
}

/**
 * `check`: validates the config, gets a token and requests one row of each configured stream. Sends a CONNECTION_STATUS with one
 * line per stream. It is FAILED if any stream cannot be read; the exit code is still 0. Internal errors are thrown. `verbose` adds
 * a report of requests and responses on stderr.
 */
export async function runCheck(options: CheckOptions, environment: Environment): Promise<number> {
  const { writer, signal, stderr, redactor, clock } = environment;
  const report = options.verbose ? createCheckReport() : null;
  const refusals = new Set<string>();
  const refusal = (error: unknown): string => {
    if (!(error instanceof ConnectorError)) throw error;
    refusals.add(error.message);
    return error.message;
  };
  const probe = ({ name, probe: ask }: SourceStream): Promise<string> =>
    ask(interactiveContext(name, environment)).then((result) => `${name}: ${result}`, refusal);
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
    // a result that several streams share appears once
    lines = [...new Set(results)];
    // an aborted check says nothing about the config
    signal.throwIfAborted();
    const status = refusals.size > 0 ? 'FAILED' : 'SUCCEEDED';
    await writer.send({ type: 'CONNECTION_STATUS', connectionStatus: { status, message: lines.join('\n') } });
  } finally {
    // masked first, because the report changes white space, which may be part of a secret
    const missing = lines.filter((line) => refusals.has(line)).map(redactor.redact);
    if (report !== null) stderr.write(redactor.redact(report.text(missing, clock.now())));
  }
  return 0;
}
