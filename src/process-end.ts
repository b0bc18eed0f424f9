import { setMaxListeners } from 'node:events';
import { constants } from 'node:os';

import type { OwnProcess } from './commands/connector.ts';
import { isConnectorError, transientError } from './errors.ts';
import { errorMessage } from './protocol/messages.ts';

const WRONG_USAGE = 2;

type Told = Pick<OwnProcess, 'writer' | 'clock' | 'signal'>;

/** The exit code of a command; a failure is told as a TRACE ERROR. Never throws. */
export async function exitCodeOf(command: () => Promise<number>, told: Told): Promise<number> {
  const { signal } = told;
  try {
    const exitCode = await command();
    // told to stop, it may have left out anything
    if (exitCode === 0) signal.throwIfAborted();
    return exitCode;
  } catch (error) {
    // once it is told to stop, whatever fails does so for that reason
    return tellFailure(signal.aborted ? signal.reason : error, told);
  }
}

/** The TRACE ERROR of a failure, and its exit code. */
export async function tellFailure(failure: unknown, { writer, clock }: Omit<Told, 'signal'>) {
  // if the reader of stdout went away, now or before, nobody is left to tell
  if (!writer.closed.aborted)
    await writer.send(errorMessage(failure, null, clock.now())).catch(() => undefined);
  return isConnectorError(failure, 'USAGE') ? WRONG_USAGE : 1;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
type EndSignal = (typeof SIGNALS)[number];

/**
 * Watches over the process from now on. `signal` is aborted by the first SIGTERM or SIGINT, by whatever our own code throws
 * where nobody catches it, and when nothing is left to wait for though `end` has not been called: a promise that never
 * settles would else pass for success. If even then nobody calls `end`, `onStandstill` tells of it and gives the exit code.
 * A second SIGTERM or SIGINT ends the process at once.
 */
export function watchProcessEnd(onStandstill: (error: unknown) => Promise<number>) {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  let sent: EndSignal | null = null;
  // of a process that ends in a way that nobody thought of
  process.exitCode = 1;

  const raise = (signal: EndSignal): void => {
    // what PID 1 sends to itself is ignored without a handler, so the code of a shell stands in for it
    process.exitCode = 128 + constants.signals[signal];
    for (const name of SIGNALS) process.removeListener(name, onSignal);
    process.kill(process.pid, signal);
  };
  const onSignal = (signal: EndSignal): void => {
    if (sent !== null) {
      raise(signal);
      // lets go of what a reader does not take, which holds a PID 1; Node guards stdout against being destroyed
      Reflect.deleteProperty(process.stdout, '_destroy');
      process.stdout.destroy();
      return;
    }
    sent = signal;
    const words = `the connector was told to stop (${signal}) before the end; start it again.`;
    stop.abort(transientError('ABORTED', words, null));
  };
  const end = (exitCode: number): void => {
    process.removeAllListeners('beforeExit');
    if (sent === null) process.exitCode = exitCode;
    else raise(sent);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  // without a handler of ours Node.js opens a port for debuggers
  process.on('SIGUSR1', () => undefined);
  // a rejection that nobody handles comes here too
  process.on('uncaughtException', (error) => stop.abort(error));
  process.once('beforeExit', () => {
    stop.abort(new Error('nothing is left to wait for, and the command has not ended'));
    process.once('beforeExit', () => void onStandstill(stop.signal.reason).then(end));
    // or nobody would come back here
    setImmediate(() => undefined);
  });
  return {
    /** Aborted with the reason when the process shall end early. */
    signal: stop.signal,
    /** Ends the process by the signal sent, or with the exit code, set and never forced: what was written leaves first. */
    end,
  };
}
