#!/usr/bin/env node
import { parseCommandLine } from './cli.ts';
import { systemWorld } from './commands/world.ts';
import { exitCodeOf, tellFailure } from './exit-code.ts';
import { proxySecrets } from './http/proxy.ts';
import { watchProcessEnd } from './process-end.ts';
import { createLog, createWriter } from './protocol/writer.ts';
import { createRedactor } from './protocol/redactor.ts';
import { standardError, standardOutput } from './standard-streams.ts';

const redactor = createRedactor();
for (const secret of proxySecrets(process.env)) redactor.hide(secret);
const writer = createWriter(standardOutput(), redactor);
const log = createLog(writer);
const processEnd = watchProcessEnd((failure) => tellFailure(failure, { writer, ...systemWorld }));
const signal = AbortSignal.any([writer.gone, processEnd.signal]);
const stderr = standardError(process.env);
const environment = { writer, log, redactor, stderr, signal, ...systemWorld };

/** Runs one command line to its exit code. */
async function main(args: readonly string[]): Promise<number> {
  const command = await parseCommandLine(args);
  return command(environment);
}

/** Node's own words go to the log: stderr stays silent. */
function redirectWarnings(): void {
  // it changes nothing here (see `exchange`), but for a warning that it does
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  process.removeAllListeners('warning');
  process.on('warning', ({ message }) => void log.warn(`Node.js: ${message}`).catch(() => undefined));
}

redirectWarnings();
// not awaited: a module that waits for ever ends with words of Node's own on stderr
void exitCodeOf(() => main(process.argv.slice(2)), environment).then(processEnd.end);
