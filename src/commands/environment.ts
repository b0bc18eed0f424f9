import type { Log, Writer } from '../protocol/writer.ts';
import type { Redactor } from '../protocol/redactor.ts';
import type { StandardError } from '../standard-streams.ts';
import type { World } from './world.ts';

/** What every command gets: the one way to stdout, the one to stderr, how to stop, and the world outside. */
export interface Environment extends World {
  readonly writer: Writer;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly stderr: StandardError;
  /** Aborted when the command shall end early. */
  readonly signal: AbortSignal;
}
