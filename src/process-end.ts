import { setMaxListeners } from 'node:events';
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import type { ProcessContext } from './commands/connector.ts';
import { isConnectorError, transientError } from './errors.ts';
import { errorMessage } from './protocol/messages.ts';
import { UnwritableError } from './protocol/writer.ts';

const WRONG_USAGE = 2;

type Reporting = Pick<ProcessContext, 'writer' | 'stderr' | 'clock' | 'signal'>;

/** Returns the exit code of a command, and reports its failure as a TRACE ERROR. Never throws. */
export async function exitCodeOf(command: () => Promise<number>, reporting: Reporting): Promise<number> {
  const { signal } = reporting;
  try {
    const exitCode = await command();
    // an aborted command may be incomplete
    if (exitCode === 0) signal.throwIfAborted();
    return exitCode;
  } catch (error) {
    // after an abort, whatever fails does so because of it
    return reportFailure(signal.aborted ? signal.reason : error, reporting);
  }
}

/** Sends the TRACE ERROR of a failure, and returns its exit code. If stdout cannot be written, a line on stderr says so. */
export async function reportFailure(
  failure: unknown,
  { writer, stderr, clock }: Omit<Reporting, 'signal'>,
): Promise<number> {
  if (!writer.closed.aborted)
    await writer.send(errorMessage(failure, null, clock.now())).catch(() => undefined);
  const { reason } = writer.closed as { reason: unknown };
  if (reason instanceof UnwritableError)
    stderr.write(`stdout cannot be written: ${reason.message}. The output is incomplete.\n`);
  return isConnectorError(failure, 'USAGE') ? WRONG_USAGE : 1;
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
type EndSignal = (typeof SIGNALS)[number];

/**
 * Watches the process from now on. `signal` is aborted by the first SIGTERM, SIGINT or SIGHUP, by an uncaught exception, and if the event
 * loop is empty before `end` is called: otherwise, a promise that never settles would look like success. If `end` is still not
 * called, `onStall` reports this and returns the exit code. A second one ends the process immediately. Where no stream is a
 * terminal, SIGHUP is ignored: Node.js forgets that `nohup` ignores it.
 */
export function watchProcessEnd(onStall: (error: unknown) => Promise<number>) {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  let received: EndSignal | null = null;
  const onSignal = (signal: EndSignal): void => {
    if (received === null) {
      received = signal;
      const message = `the connector was stopped (${signal}) before it finished. Run it again; a read goes on from its saved state.`;
      stop.abort(transientError('ABORTED', message, null));
      return;
    }
    raise(signal);
    // drops pending output, which would keep PID 1 alive; Node.js overrides `_destroy` so that stdout cannot be destroyed
    Reflect.deleteProperty(process.stdout, '_destroy');
    process.stdout.destroy();
  };
  const hasTerminal = [0, 1, 2].some((fd) => isatty(fd));
  for (const name of SIGNALS)
    process.on(name, name === 'SIGHUP' && !hasTerminal ? () => undefined : onSignal);
  // in case the process ends in an unforeseen way
  process.exitCode = 1;
  /** Ends the process by the received signal, or with the exit code, once everything has been written. */
  const end = (exitCode: number): void => {
    process.removeAllListeners('beforeExit');
    process.exitCode = exitCode;
    if (received !== null) raise(received);
  };
  // without a handler, Node.js would open a port for debuggers
  process.on('SIGUSR1', () => undefined);
  // also receives unhandled rejections
  process.on('uncaughtException', (error) => stop.abort(error));
  process.once('beforeExit', () => {
    stop.abort(new Error('nothing is left to wait for, and the command has not ended'));
    process.once('beforeExit', () => void onStall(stop.signal.reason).then(end));
    // otherwise, `beforeExit` would not be emitted again
    setImmediate(() => undefined);
  });
  return { signal: stop.signal, end };
}

/** Ends the process by a signal, without the handlers. */
function raise(signal: EndSignal): void {
  // as PID 1, a process ignores its own signals unless it handles them, so it exits with the code that a shell would show
  process.exitCode = 128 + constants.signals[signal];
  for (const name of SIGNALS) process.removeAllListeners(name);
  process.kill(process.pid, signal);
}
