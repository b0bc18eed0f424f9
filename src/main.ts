#!/usr/bin/env node
import { parseCommandLine } from './cli.ts';
import { isConnectorError } from './errors.ts';
import { invoke } from './invocation.ts';
import { proxySecrets } from './http/proxy-choice.ts';
import { watchProcessEnd } from './process-end.ts';
import { createLog } from './protocol/log.ts';
import { errorMessage } from './protocol/messages.ts';
import { createRedactor } from './protocol/redactor.ts';
import { standardError } from './protocol/standard-error.ts';
import { standardOutput } from './protocol/standard-output.ts';
import { createWriter } from './protocol/writer.ts';

const WRONG_USAGE = 2;

const redactor = createRedactor();
for (const secret of proxySecrets(process.env)) redactor.hide(secret);
const writer = createWriter(standardOutput(), redactor);
const log = createLog(writer);
const processEnd = watchProcessEnd(tell);
const signal = AbortSignal.any([writer.gone, processEnd.signal]);

/** Runs one command line to its exit code. */
async function main(args: readonly string[]): Promise<number> {
  try {
    const line = await parseCommandLine(args);
    if ('text' in line) {
      await writer.write(Buffer.from(line.text));
      return 0;
    }
    const stderr = standardError(process.env);
    const environment = { writer, log, redactor, stderr, now: Date.now, signal };
    const exitCode = await invoke(line, environment);
    // a success that is said to be none
    if (exitCode === 0) signal.throwIfAborted();
    return exitCode;
  } catch (error) {
    // once it is told to stop, whatever fails does so for that reason
    return tell(signal.aborted ? signal.reason : error);
  }
}

/** The TRACE ERROR of a failure, and its exit code. */
async function tell(failure: unknown): Promise<number> {
  // if the reader of stdout went away, now or before, nobody is left to tell
  if (!writer.gone.aborted) await writer.send(errorMessage(failure, null, Date.now())).catch(() => undefined);
  return isConnectorError(failure, 'USAGE') ? WRONG_USAGE : 1;
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
void main(process.argv.slice(2)).then(processEnd.end);
