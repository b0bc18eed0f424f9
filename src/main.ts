#!/usr/bin/env node
import spec from '../spec.json' with { type: 'json' };
import { parseCommandLine } from './cli.ts';
import { systemClock as clock } from './clock.ts';
import { proxySecrets } from './http/proxy.ts';
import { exitCodeOf, reportFailure, watchProcessEnd } from './process-end.ts';
import { createRedactor } from './protocol/redactor.ts';
import { createWriter } from './protocol/writer.ts';
import { standardError, standardOutput } from './standard-streams.ts';

const redactor = createRedactor();
for (const secret of proxySecrets(process.env)) redactor.hide(secret);
const writer = createWriter(standardOutput(), redactor);
const processEnd = watchProcessEnd((failure) => reportFailure(failure, { writer, clock }));
const signal = AbortSignal.any([writer.closed, processEnd.signal]);
const own = { writer, redactor, stderr: standardError(process.env), clock, signal };

async function main(args: readonly string[]): Promise<number> {
  const line = await parseCommandLine(args);
  if (line.name === 'help') await writer.write(Buffer.from(`${line.text}\n`));
  else if (line.name === 'spec') await writer.send({ type: 'SPEC', spec });
  else {
    // loaded late, because `spec` and `--help` would take half as long again
    const { runWithConfig } = await import('./commands/with-config.ts');
    return runWithConfig(line, own);
  }
  return 0;
}

// warnings of Node.js go to the log, since stderr stays silent; this variable has no effect but a warning (see `exchange`)
delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
process.removeAllListeners('warning');
process.on('warning', ({ message }) => void writer.warn(`Node.js: ${message}`).catch(() => undefined));
// not awaited: if a module waits forever, Node.js prints a warning on stderr
void exitCodeOf(() => main(process.argv.slice(2)), own).then(processEnd.end);
