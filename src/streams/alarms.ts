import { BadPageError } from '../api/page.ts';
import type { Page } from '../api/page.ts';
import type { ListClient } from '../api/list-client.ts';
import type { AlarmsConfig } from '../config/config.ts';
import { isConnectorError } from '../errors.ts';
import type { RequestContext } from '../http/request-context.ts';
import schema from '../../schemas/alarms.json' with { type: 'json' };
import type { TimedPage } from '../paging/range-worker.ts';
import { haveSameText } from '../protocol/row.ts';
import type { Row } from '../protocol/row.ts';
import { readAlarms } from './alarms-read.ts';
import { timeOf } from './created-time.ts';
import { createdFieldError, keyFieldError, keyProblem } from './field-candidates.ts';
import { firstRows, sampleCursor } from './sample-cursor.ts';
import type { CursorList } from './sample-cursor.ts';
import type { SourceStream } from './stream.ts';

const NS_PER_MS = 1_000_000n;
/** Rows that a check looks at where one does not tell. */
const LOOKED_AT = 100;

/** The alarms list (API document 2.4, 4.2): a chain of cursors from a created time on, incremental by that time. */
export function alarmsStream(client: ListClient, config: AlarmsConfig): SourceStream {
  const fetchPage = async (
    after: string | null,
    createdSince: string | null,
    limit: number | undefined,
    context: RequestContext,
  ): Promise<TimedPage<Row>> => {
    const query = new URLSearchParams();
    if (limit !== undefined) query.set('limit', String(limit));
    if (after !== null) query.set('after', after);
    if (createdSince !== null) query.set('createdSince', createdSince);
    const check = ({ pagination }: Page): void => void nextCursor(pagination);
    const { rows, pagination, serverTimeMs, sentAtMs } = await client.get(query, check, context);
    return {
      rows,
      next: nextCursor(pagination),
      serverTime: BigInt(serverTimeMs ?? sentAtMs) * NS_PER_MS,
      isServerTime: serverTimeMs !== undefined,
    };
  };

  const listFor = (context: RequestContext, info: (words: string) => Promise<void>): CursorList<Row> => ({
    fetchPage: (after, createdSince) => fetchPage(after, createdSince, config.page_size, context),
    createdOf: (row) => timeOf(row, config.created_field),
    isSame: haveSameText,
    start: config.start_date ?? null,
    end: config.end_date ?? null,
    isRefusal: (error) => isConnectorError(error, 'REQUEST_REFUSED'),
    info: (words) => info(`alarms: ${words}`),
  });

  return {
    name: 'alarms',
    catalogEntry: {
      name: 'alarms',
      json_schema: withFields(config),
      supported_sync_modes: ['full_refresh', 'incremental'],
      source_defined_cursor: true,
      default_cursor_field: [config.created_field],
      is_resumable: true,
      ...(config.id_field === undefined ? {} : { source_defined_primary_key: [[config.id_field]] }),
    },
    assumedFields: [config.created_field, ...(config.id_field === undefined ? [] : [config.id_field])],
    probe: async (context) => {
      // one row tells whether the stream can be read and its times too; whether a field is a key only several can show
      const count = config.id_field === undefined ? 1 : LOOKED_AT;
      const { rows } = await fetchPage(null, null, count, context);
      if (rows.length === 0) return 'ok';
      const isReadable = rows.some((row) => timeOf(row, config.created_field) !== undefined);
      if (isReadable) return verdictOn(config, rows);
      const looked: Row[] = [];
      const list = listFor(context, async () => undefined);
      for await (const page of firstRows(list, LOOKED_AT)) looked.push(...page);
      return verdictOn(config, looked);
    },
    sample: (count, context, info) => sampleCursor(listFor(context, info), count),
    read: (context) =>
      readAlarms(config, context, (after, createdSince, signal) =>
        fetchPage(after, createdSince, config.page_size, { signal, onWait: context.onWait }),
      ),
  };
}

/**
 * What a look at some rows says of the fields that the config names, in words.
 *
 * @throws config_error FIELD_UNUSABLE that names the fields that could stand in
 */
function verdictOn({ created_field, id_field }: AlarmsConfig, rows: readonly Row[]): string {
  const problem = id_field === undefined ? null : keyProblem(rows, id_field);
  if (id_field !== undefined && problem !== null) throw keyFieldError(rows, id_field, problem);
  if (rows.some((row) => timeOf(row, created_field) !== undefined)) return 'ok';
  const error = createdFieldError(rows, created_field, '');
  if (error !== null) throw error;
  return (
    `ok, but for full_refresh only: none of the ${rows.length} rows looked at has a readable time in ` +
    `${JSON.stringify(created_field)} (alarms.created_field) or in any other field`
  );
}

/** The schema as shipped, with the fields that the config names: a platform needs the cursor and the key declared. */
function withFields(config: AlarmsConfig): { type: 'object'; properties: Record<string, unknown> } {
  const { createdDate, ...properties } = schema.properties;
  const key =
    config.id_field === undefined ? {} : { [config.id_field]: { type: ['null', 'string', 'number'] } };
  return {
    ...schema,
    type: 'object',
    properties: { ...key, [config.created_field]: createdDate, ...properties },
  };
}

/** The cursor of the next page, null on the last one: empty (API document 4.2.4), null or absent. */
function nextCursor(pagination: Readonly<Record<string, unknown>>): string | null {
  const next = pagination['nextCursor'] ?? '';
  if (typeof next !== 'string') throw new BadPageError('metadata.pagination.nextCursor is not a text');
  return next === '' ? null : next;
}
