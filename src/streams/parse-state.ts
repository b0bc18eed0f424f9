import { createValidator, describeFaults } from '../config/validator.ts';
import { configError } from '../errors.ts';
import type { StreamState } from '../protocol/messages.ts';

/**
 * Checks the state of a stream against its schema.
 *
 * @throws config_error STATE_INVALID with the path and what is expected there: never a silent restart
 */
export function checkState(stream: string, schema: object, state: StreamState): void {
  const faults = createValidator(schema)(state);
  if (faults.length > 0) throw invalidState(stream, describeFaults(faults));
}

export function invalidState(stream: string, words: string): Error {
  return configError(
    'STATE_INVALID',
    `state of ${stream}: ${words}. Mend it, or leave the stream out of the state to read it from its start.`,
  );
}
