import type { AlarmsConfig } from '../config/config.ts';
import { isConnectorError } from '../errors.ts';
import { readCursorList } from '../paging/cursor-read.ts';
import type { CursorRead, TimedPage } from '../paging/cursor-read.ts';
import { readInParallel } from '../paging/parallel-read.ts';
import { fingerprint } from '../paging/fingerprint.ts';
import { readTime } from '../paging/instant.ts';
import type { WatermarkFacts } from '../paging/watermark.ts';
import { rowBytes, rowText } from '../protocol/row.ts';
import type { Row } from '../protocol/row.ts';
import { startFrom, stateFor } from './alarms-position.ts';
import { timeOf } from './created-time.ts';
import type { Batch, ReadContext } from './stream.ts';

export type FetchAlarms = (
  after: string | null,
  createdSince: string | null,
  signal: AbortSignal,
) => Promise<TimedPage<Row>>;

const NS_PER_SECOND = 1_000_000_000n;

/** Reads alarms from the state's watermark, or from the start date, to the end of the list (design: cursor chain). */
export async function* readAlarms(
  config: AlarmsConfig,
  context: ReadContext,
  fetchPage: FetchAlarms,
): AsyncGenerator<Batch> {
  const { info } = context;
  const usesState = context.syncMode === 'incremental';
  if (!usesState && context.state !== null) await info('alarms: full refresh, so the state is not used');
  const start = startFrom(usesState ? context.state : null, config, context.now());
  const end = config.end_date === undefined ? undefined : readTime(config.end_date)?.instant;
  const read: CursorRead<Row> = {
    fetchPage,
    createdOf: (row) => timeOf(row, config.created_field),
    fingerprintOf: (row) => fingerprint(rowBytes(row)),
    textOf: rowText,
    from: start.position,
    lookback: BigInt(config.lookback_seconds) * NS_PER_SECOND,
    end: () => end,
    started: null,
    isRefusal: (error) => isConnectorError(error, 'REQUEST_REFUSED') || isConnectorError(error, 'NOT_FOUND'),
    info: (words) => info(`alarms: ${words}`),
    warn: (words) => context.warn(`alarms: ${words}`),
  };
  let facts: WatermarkFacts | null = null;
  const inParallel = config.parallel_chains > 1 || start.position.ranges !== null;
  const batches = inParallel ? readInParallel(read, config.parallel_chains) : readCursorList(read);
  for await (const batch of batches) {
    facts = batch.facts();
    yield {
      rows: batch.rows,
      total: undefined,
      state: () => stateFor(batch.position(), start, context.now()),
    };
  }
  if (facts !== null) await tellFacts(facts, context, config.created_field);
}

async function tellFacts(facts: WatermarkFacts, { info, warn }: ReadContext, field: string): Promise<void> {
  if (facts.repeats > 0)
    await info(`alarms: ${facts.repeats} rows were not repeated: an earlier read has emitted them`);
  if (facts.unreadable > 0)
    await warn(
      `alarms: ${facts.unreadable} rows have no readable time in ${field}; they were emitted, and do not move the ` +
        `state. If they are many, check alarms.created_field.`,
    );
  if (!facts.ascending)
    await warn(
      `alarms: the list does not come in ascending order of ${field}; the state moves only at its end`,
    );
  if (facts.overflow)
    await warn(
      `alarms: more rows lie within the lookback than a state can remember; the next read may repeat some`,
    );
}
