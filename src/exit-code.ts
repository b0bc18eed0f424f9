import type { Environment } from './commands/environment.ts';
import { isConnectorError } from './errors.ts';
import { errorMessage } from './protocol/messages.ts';

const WRONG_USAGE = 2;

type Told = Pick<Environment, 'writer' | 'clock' | 'signal'>;

/** The exit code of a command; a failure is told as a TRACE ERROR. Never throws. */
export async function exitCodeOf(command: () => Promise<number>, environment: Told): Promise<number> {
  const { signal } = environment;
  try {
    const exitCode = await command();
    // a success that is said to be none
    if (exitCode === 0) signal.throwIfAborted();
    return exitCode;
  } catch (error) {
    // once it is told to stop, whatever fails does so for that reason
    return tellFailure(signal.aborted ? signal.reason : error, environment);
  }
}

/** The TRACE ERROR of a failure, and its exit code. */
export async function tellFailure(
  failure: unknown,
  { writer, clock }: Pick<Told, 'writer' | 'clock'>,
): Promise<number> {
  // if the reader of stdout went away, now or before, nobody is left to tell
  if (!writer.gone.aborted)
    await writer.send(errorMessage(failure, null, clock.now())).catch(() => undefined);
  return isConnectorError(failure, 'USAGE') ? WRONG_USAGE : 1;
}
