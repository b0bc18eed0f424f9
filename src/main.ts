#!/usr/bin/env node
// before the libraries
import './working-folder.ts';
import { setMaxListeners } from 'node:events';
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
const stderr = standardError();
const processEnd = watchProcessEnd((failure) => reportFailure(failure, { writer, stderr, clock }));
const signal = AbortSignal.any([writer.closed, processEnd.signal]);
// each list that waits for its turn listens to it
setMaxListeners(0, signal);
const context = { writer, redactor, stderr, clock, signal };

async function main(args: readonly string[]): Promise<number> {
  const line = await parseCommandLine(args);
  signal.throwIfAborted();
  if (line.name === 'help') await writer.write(Buffer.from(`${line.text}\n`));
  if (line.name === 'spec') await writer.send({ type: 'SPEC', spec });
  if (line.name === 'help' || line.name === 'spec') return 0;
  // loaded on demand: otherwise `spec` and `--help` would take 50% longer
  const { systemIo } = await import('./commands/connector.ts');
  const environment = { ...context, ...systemIo(signal) };
  if (line.name === 'check') return (await import('./commands/check.ts')).runCheck(line.options, environment);
  if (line.name === 'discover')
    return (await import('./commands/discover.ts')).runDiscover(line.options, environment);
  if (line.name === 'about') return (await import('./commands/about.ts')).runAbout(line.options, environment);
  const { tuneGc, runRead } = await import('./commands/read.ts');
  tuneGc();
  return runRead(line.options, environment);
}

// certificates are always verified (see `route.ts`), so this variable would only cause a warning
delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
// stderr stays silent, so warnings of Node.js go to the log
process.removeAllListeners('warning');
process.on('warning', ({ message }) => void writer.warn(`Node.js: ${message}`).catch(() => undefined));
// not awaited: Node.js prints a warning on stderr if a top-level await never settles
void exitCodeOf(() => main(process.argv.slice(2)), context).then(processEnd.end);
