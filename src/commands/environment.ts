import type { Log } from '../protocol/log.ts';
import type { Redactor } from '../protocol/redactor.ts';
import type { Writer } from '../protocol/writer.ts';

/** What every command gets: the one way to stdout, and how to stop. */
export interface Environment {
  readonly writer: Writer;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly now: () => number;
  /** Aborted when the command shall end early. */
  readonly signal: AbortSignal;
}
