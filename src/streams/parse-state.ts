import type { ValidateFunction } from 'ajv';

import { createValidator, describeFaults } from '../config/validator.ts';
import { configError } from '../errors.ts';
import type { StreamState } from '../protocol/messages.ts';

/** The JSON Schema of a state: the keys that mean something. */
interface StateSchema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly validate: ValidateFunction;
}

/**
 * Checks the state of a stream against its schema. Keys that the schema does not name are accepted beside one of
 * `places`, which say where to go on; without any, the state would silently stand for the start of the list. (Keys with
 * an underscore are a platform's own.)
 *
 * @throws config_error STATE_INVALID with the path and what is expected there: never a silent restart
 */
export function checkState(
  stream: string,
  schema: StateSchema,
  state: StreamState,
  places: readonly string[],
): void {
  const faults = createValidator(schema, schema.validate)(state);
  if (faults.length > 0) throw invalidState(stream, describeFaults(faults));
  const unknown = Object.keys(state).filter(
    (key) => !Object.hasOwn(schema.properties, key) && !key.startsWith('_'),
  );
  if (unknown.length > 0 && !places.some((key) => Object.hasOwn(state, key)))
    throw invalidState(
      stream,
      `${places.join(', ')} are all missing, and ${unknown.join(', ')} means nothing`,
    );
}

export function invalidState(stream: string, words: string): Error {
  return configError(
    'STATE_INVALID',
    `state of ${stream}: ${words}. Mend it, or leave the stream out of the state to read it from its start.`,
  );
}
