import type { Log } from '../protocol/log.ts';
import type { Redactor } from '../protocol/redactor.ts';
import type { StandardError } from '../protocol/standard-error.ts';
import type { Writer } from '../protocol/writer.ts';

/** What every command gets: the one way to stdout, the one to stderr, and how to stop. */
export interface Environment {
  readonly writer: Writer;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly stderr: StandardError;
  readonly now: () => number;
  /** Aborted when the command shall end early. */
  readonly signal: AbortSignal;
}
