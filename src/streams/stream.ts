import { StatusError } from '../api/status-error.ts';
import type { Sleep } from '../clock.ts';
import { describeFaults } from '../config/faults.ts';
import { firstNearName } from '../config/near-name.ts';
import { ConnectorError, configError, isConnectorError, messageOf } from '../errors.ts';
import type { AirbyteStream, SyncMode } from '../generated/protocol.generated.ts';
import type { RequestContext } from '../http/request.ts';
import type { Instant } from '../paging/instant.ts';
import { alternatives, listed, quoted, type StreamState } from '../protocol/messages.ts';
import type { Row } from '../rows/row.ts';

export interface ListName {
  readonly name: string;
  readonly place: string; // its path in the config, such as `lists[1]`
}

export interface ListIdentity extends ListName {
  readonly path: string; // after the base address, such as `/v1/drivers`
  readonly schema: { readonly properties: Readonly<Record<string, unknown>> }; // of a row, as far as known
}

export interface StreamContext extends RequestContext {
  readonly info: (message: string) => Promise<void>; // logs a message about the stream
}

export interface ReadContext extends StreamContext {
  readonly syncMode: SyncMode;
  readonly state: StreamState | null;
  readonly stateFile?: string | null; // which contains the state, for messages
  readonly now: () => number; // ms since the epoch
  readonly sleep: Sleep;
  readonly limitRows: number | null; // rows to emit, at most; null for no limit
  readonly warn: StreamContext['info'];
}

/** Rows to emit, in order, and the state that is safe once they and all rows before them have been written. */
export interface Batch {
  readonly rows: readonly Row[];
  readonly total: number | undefined; // rows of the whole list, if the API states it
  readonly emitted?: number | undefined; // distinct rows so far, by earlier processes too; absent if unknown
  readonly newest?: Instant | undefined; // the latest created time seen; absent if rows have none
  readonly remark?: string | undefined; // what the last line of the read says about the stream
  readonly late?: { readonly rows: number; readonly latest: bigint } | undefined; // see `Counts`
  readonly state: (() => StreamState) | null; // null if the previous state is still the latest
  readonly isLimited?: boolean; // the limit of rows was reached, and the state covers those that were emitted
}

/** One stream of the source. */
export interface SourceStream {
  readonly name: string;
  readonly catalogEntry: AirbyteStream; // with the schema as shipped
  readonly assumedFields: readonly string[]; // fields whose declared types are only assumed, until rows are sampled
  /** Requests a few rows to check that the stream is readable; returns a message such as "ok (12,345 rows)". */
  readonly probe: (context: StreamContext) => Promise<string>;
  /** Yields about `count` rows from both ends of the list, page by page; logs a line if one end is not available. */
  readonly sample: (count: number, context: StreamContext) => AsyncGenerator<readonly Row[]>;
  /** Reads the stream. The last batch has the state of the finished read. Batches remain valid if a later one throws. */
  readonly read: (context: ReadContext) => AsyncGenerator<Batch>;
}

/** Declares the created field of a row, unless the schema of the list does. */
const CREATED = {
  title: 'Created time',
  description: 'Time at which the row was created, a string or a number (epoch), unchanged from the API.',
  type: ['null', 'string', 'number'],
};

/** Returns the catalog entry that all kinds of lists share. The schema declares the fields that the config names. */
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
  const assumedFields = Object.keys(assumed).filter((field) => !Object.hasOwn(schema.properties, field));
  return { entry, assumedFields };
}

/** Adds notes, which are sentences without a full stop, to the result of a check. */
export function withNotes(result: string, notes: readonly string[]): string {
  return [result, ...notes.map((note) => `Note: ${note}`)].join('. ') + (notes.length === 0 ? '' : '.');
}

/** What to do about a list that returns its first page for every request. */
export function droppedQuery(place: string): string {
  return (
    `Check ${place}.base_url and any proxy on the way, which may drop the query. A list that is paged in another way, such as by page ` +
    'numbers, cannot be read.'
  );
}

/** True if the server refuses the request itself, as some do (even with a 404) if an offset or time is beyond the end. */
export function isRefusal(error: unknown): boolean {
  return isConnectorError(error, 'REQUEST_REFUSED') || isConnectorError(error, 'NOT_FOUND');
}

/** Returns what a server says that refuses the request itself; null for other failures. */
export function refusalOf(error: unknown): string | null {
  if (!isRefusal(error)) return null;
  return messageOf(
    error instanceof ConnectorError && error.cause instanceof StatusError ? error.cause : error,
  );
}

/**
 * Throws STATE_INVALID if a state contradicts its schema, with the path and what is expected there, or if it has unknown keys but
 * none of `required`, or some that are misspelled, because they would silently restart the list. Keys that begin with an underscore belong to the platform.
 */
export function checkState(
  origin: StateOrigin,
  schema: { readonly properties: Readonly<Record<string, object>> },
  state: StreamState,
  required: readonly string[],
): void {
  const { version } = state;
  const { const: own } = { const: 0, ...schema.properties['version'] };
  if (typeof version === 'number' && version > own)
    throw invalidState(
      origin,
      `"version" is ${version}, and this version of the connector knows ${own}: a later one wrote the state`,
      'Run that one',
    );
  const faults = describeFaults(state, schema);
  if (faults !== null) throw invalidState(origin, faults, FIX);
  const isUnknown = (key: string): boolean => !Object.hasOwn(schema.properties, key) && !key.startsWith('_');
  const unknown = Object.keys(state).filter(isUnknown);
  const near = firstNearName(unknown, Object.keys(schema.properties));
  const hasRequired = required.some((key) => Object.hasOwn(state, key));
  if (unknown.length === 0 || (hasRequired && near === null)) return;
  const names = listed(unknown, quoted);
  const problem = hasRequired
    ? `the unknown ${names} must not be there`
    : `${alternatives(required.map(quoted))} must be there, and the unknown ${names} must not`;
  throw invalidState(origin, near === null ? problem : `${problem} (did you mean ${quoted(near)}?)`, FIX);
}

/** True if a state has members of lists that are paged in another way, and none of those that are required here. */
export function isOfOtherPaging(
  state: StreamState | null,
  required: readonly string[],
  others: readonly string[],
): boolean {
  const has = (key: string): boolean => state !== null && Object.hasOwn(state, key);
  return others.some(has) && !required.some(has);
}

/** Members of the states of lists that are read by offset, and by cursor, by which they are known. */
export const OFFSET_MEMBERS = ['offset', '__ab_full_refresh_sync_complete'];
export const CURSOR_MEMBERS = ['version', 'created_since', 'open'];

/** The stream of a state, and the file that contains it. */
export interface StateOrigin {
  readonly stream: string;
  readonly file: string | null;
}

const FIX = 'Fix it';

/** The STATE_INVALID for a member whose value is no time. */
export function noTime(origin: StateOrigin, member: string): Error {
  return invalidState(origin, `${quoted(member)} must be a time, for example "2026-01-01T00:00:00Z"`, FIX);
}

/** `problem` is a sentence without a full stop; `cure` is what can be done instead of a read from the start. */
function invalidState({ stream, file }: StateOrigin, problem: string, cure: string): Error {
  const place = file === null ? `state of ${stream}` : `state ${file}: ${stream}`;
  const sentence = problem.endsWith('?') ? problem : `${problem}.`;
  const advice = `${cure}, or remove the stream from the state to read it from its start.`;
  return configError('STATE_INVALID', `${place}: ${sentence} ${advice}`);
}
