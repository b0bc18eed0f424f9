import type { Clock } from '../clock.ts';
import type { OpenFile } from '../config/json-file.ts';
import type { Exchange } from '../http/request.ts';
import type { Redactor } from '../protocol/redactor.ts';
import type { Log, Writer } from '../protocol/writer.ts';
import type { StandardError } from '../standard-streams.ts';
import type { OpenTokenStore } from '../token/store.ts';

/** What a command has of its process: the one way to stdout, the one to stderr, time, and how to stop. */
export interface OwnProcess {
  readonly writer: Writer;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly stderr: StandardError;
  readonly clock: Clock;
  /** Aborted when the command shall end early. */
  readonly signal: AbortSignal;
}

/** What a command meets outside of the process. */
export interface World {
  /** The one way to the network. */
  readonly exchange: Exchange;
  /** Opens config, catalog and state. */
  readonly openFile: OpenFile;
  /** Where tokens are kept between processes. */
  readonly openTokenStore: OpenTokenStore;
}

/** All that a command with a config gets. */
export interface Environment extends OwnProcess, World {}
