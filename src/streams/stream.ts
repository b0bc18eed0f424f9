import type { ValidateFunction } from 'ajv';

import { describeFaults } from '../config/validator.ts';
import { configError, isConnectorError } from '../errors.ts';
import type { AirbyteStream, SyncMode } from '../generated/protocol.generated.ts';
import type { RequestContext } from '../http/request.ts';
import type { Instant } from '../paging/instant.ts';
import type { StreamState } from '../protocol/messages.ts';
import type { Row } from '../rows/row.ts';

/** A list as messages name it. */
export interface ListName {
  readonly name: string;
  readonly place: string; // where the config describes it, such as `lists[1]`
}

/** What every list has, whichever its kind. */
export interface ListIdentity extends ListName {
  readonly schema: { readonly properties: Readonly<Record<string, unknown>> }; // of a row, as far as it is known
}

/** What a stream gets from its surroundings. */
export interface StreamContext extends RequestContext {
  readonly info: (words: string) => Promise<void>; // tells a person, in the stream's name
}

/** What one read of a stream gets beside. */
export interface ReadContext extends StreamContext {
  readonly syncMode: SyncMode;
  readonly state: StreamState | null;
  readonly now: () => number;
  readonly warn: StreamContext['info'];
}

/** Rows to emit, in order, and the state that is safe once they and all before them have left. */
export interface Batch {
  readonly rows: readonly Row[];
  readonly total: number | undefined; // rows of the whole list where the API says so
  /** Rows of the whole list that are behind the read, those of earlier processes included; absent where that is not known. */
  readonly covered?: number | undefined;
  readonly newest?: Instant | undefined; // the latest created time seen; absent where rows have none
  /** Puts a settled position into words where a state is due; null where the state before is still the best. */
  readonly state: (() => StreamState) | null;
}

/** One stream of the source. */
export interface SourceStream {
  readonly name: string;
  readonly catalogEntry: AirbyteStream; // with the schema as shipped
  /** Fields that the schema must declare though nothing says what they hold: sampled rows know better. */
  readonly assumedFields: readonly string[];
  /** Asks for one row, to see whether the stream can be read; returns words for a person, such as "ok (12,345 rows)". */
  readonly probe: (context: StreamContext) => Promise<string>;
  /** About `count` rows from both ends of the list, page by page; where one end cannot be had, a log line says so. */
  readonly sample: (count: number, context: StreamContext) => AsyncGenerator<readonly Row[]>;
  /** Reads the stream; its last batch carries the state after the finished read. What was yielded before a throw stays valid. */
  readonly read: (context: ReadContext) => AsyncGenerator<Batch>;
}

/** Of the field with the created time of a row, unless a list's own schema says more. */
const CREATED = {
  title: 'Created time',
  description: 'Time at which the row was created, a text or a number (epoch), unchanged from the API.',
  type: ['null', 'string', 'number'],
};

/** What all kinds of list have in common in the catalog; the schema declares the fields that the config names. */
export function catalogOf(
  { name, schema }: ListIdentity,
  { id_field: key, created_field: created }: { readonly id_field?: string; readonly created_field?: string },
) {
  const assumed = {
    ...(key === undefined ? {} : { [key]: { type: ['null', 'string', 'number'] } }),
    ...(created === undefined ? {} : { [created]: CREATED }),
  };
  const entry = {
    name,
    json_schema: { ...schema, type: 'object' as const, properties: { ...assumed, ...schema.properties } },
    source_defined_cursor: true,
    is_resumable: true,
    ...(key === undefined ? {} : { source_defined_primary_key: [[key]] }),
  };
  return {
    entry,
    assumedFields: Object.keys(assumed).filter((field) => !Object.hasOwn(schema.properties, field)),
  };
}

/** True if the server refuses the request itself; some answer offsets and times behind the end with a 404. */
export function isRefusal(error: unknown): boolean {
  return isConnectorError(error, 'REQUEST_REFUSED') || isConnectorError(error, 'NOT_FOUND');
}

/**
 * Checks the state of a stream against its schema; STATE_INVALID has the path and what is expected there. Keys that it does
 * not name are accepted only beside one of `places`, which say where to go on: else the state would silently stand for the
 * start of the list. (Keys with an underscore are a platform's own.)
 */
export function checkState(
  stream: string,
  schema: { readonly properties: object; readonly validate: ValidateFunction },
  state: StreamState,
  places: readonly string[],
): void {
  const faults = describeFaults(state, schema.validate);
  if (faults !== null) throw invalidState(stream, faults);
  const isUnknown = (key: string): boolean => !Object.hasOwn(schema.properties, key) && !key.startsWith('_');
  const unknown = Object.keys(state).filter(isUnknown).join(', ');
  if (unknown !== '' && !places.some((key) => Object.hasOwn(state, key)))
    throw invalidState(stream, `${places.join(', ')} are all missing, and ${unknown} means nothing`);
}

export function invalidState(stream: string, words: string): Error {
  const cure = 'Fix it, or leave the stream out of the state to read it from its start.';
  return configError('STATE_INVALID', `state of ${stream}: ${words}. ${cure}`);
}
