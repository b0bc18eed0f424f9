import type { AirbyteStream, SyncMode } from '../generated/protocol.generated.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Instant } from '../paging/instant.ts';
import type { StreamState } from '../protocol/messages.ts';
import type { Row } from '../protocol/row.ts';

/** What one read of a stream gets from its surroundings. */
export interface ReadContext extends RequestContext {
  readonly syncMode: SyncMode;
  /** The state handed in, if there is one for this stream. */
  readonly state: StreamState | null;
  /** Local time in ms since the epoch. */
  readonly now: () => number;
  readonly info: (message: string) => Promise<void>;
  readonly warn: (message: string) => Promise<void>;
}

/** Rows to emit, in order, and the state that is safe once they and all before them have left. */
export interface Batch {
  readonly rows: readonly Row[];
  /** Rows of the whole list where the API says so. */
  readonly total: number | undefined;
  /** Rows of the whole list that are behind the read, those of earlier processes included; absent where that is not known. */
  readonly covered?: number | undefined;
  /** The latest created time seen; absent where rows have none. */
  readonly newest?: Instant | undefined;
  /** Computed only when a state is due; null where the state before is still the best. Call it before the next batch. */
  readonly state: (() => StreamState) | null;
}

/** One stream of the source. */
export interface SourceStream {
  readonly name: 'assets' | 'alarms';
  /** Its entry in the catalog, with the schema as shipped (protocol: AirbyteStream). */
  readonly catalogEntry: AirbyteStream;
  /** Fields that the schema must declare though nothing says what they hold: sampled rows know better. */
  readonly assumedFields: readonly string[];
  /** Asks for one row, to see whether the stream can be read; returns words for a person, such as "ok (12,345 rows)". */
  readonly probe: (context: RequestContext) => Promise<string>;
  /** About `count` rows from both ends of the list, page by page; where one end cannot be had, a log line says so. */
  readonly sample: (
    count: number,
    context: RequestContext,
    info: (message: string) => Promise<void>,
  ) => AsyncGenerator<readonly Row[]>;
  /**
   * Reads the stream. The last batch carries the state after the finished read.
   *
   * @throws ConnectorError; what was yielded before stays valid
   */
  readonly read: (context: ReadContext) => AsyncGenerator<Batch>;
}
