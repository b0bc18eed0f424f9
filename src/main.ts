#!/usr/bin/env node
import { parseCommandLine } from './cli.ts';
import { isConnectorError } from './errors.ts';
import { createLog } from './protocol/log.ts';
import { errorMessage } from './protocol/messages.ts';
import { createRedactor } from './protocol/redactor.ts';
import { createWriter } from './protocol/writer.ts';

const WRONG_USAGE = 2;

/** Runs one command line; the exit code is set, never forced, so that everything written leaves the process. */
async function main(args: readonly string[]): Promise<number> {
  const redactor = createRedactor();
  const writer = createWriter(process.stdout, redactor);
  try {
    const line = await parseCommandLine(args);
    if ('text' in line) {
      await writer.write(Buffer.from(line.text));
      return 0;
    }
    const environment = { writer, log: createLog(writer), redactor, now: Date.now, signal: writer.gone };
    return await line.command(environment);
  } catch (error) {
    // if the reader of stdout went away, now or before, nobody is left to tell
    if (!writer.gone.aborted) await writer.send(errorMessage(error, null, Date.now())).catch(() => undefined);
    return isConnectorError(error, 'USAGE') ? WRONG_USAGE : 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
