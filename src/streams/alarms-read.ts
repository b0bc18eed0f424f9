import type { AlarmsConfig } from '../config/config.ts';
import { configError, isConnectorError } from '../errors.ts';
import { readCursorList } from '../paging/cursor-read.ts';
import type { CursorRead, TimedPage } from '../paging/cursor-read.ts';
import { readInParallel } from '../paging/parallel-read.ts';
import { fingerprint } from '../paging/fingerprint.ts';
import type { AlarmsState } from '../generated/alarms-state.generated.ts';
import { readTime } from '../paging/instant.ts';
import type { Instant } from '../paging/instant.ts';
import type { WatermarkFacts } from '../paging/watermark.ts';
import type { StreamState } from '../protocol/messages.ts';
import { haveSameText, rowBytes } from '../protocol/row.ts';
import type { Row } from '../protocol/row.ts';
import { earlierRange, endOf, mergedWithEarlier, withEarlier } from './alarms-earlier.ts';
import type { ReadEnd } from './alarms-earlier.ts';
import { checkAlarmsState, startFrom, stateFor } from './alarms-position.ts';
import type { AlarmsStart } from './alarms-position.ts';
import { timeOf } from './created-time.ts';
import { createdFieldError } from './field-candidates.ts';
import type { Batch, ReadContext } from './stream.ts';

export type FetchAlarms = (
  after: string | null,
  createdSince: string | null,
  signal: AbortSignal,
  hasHad: (cursor: string) => boolean,
) => Promise<TimedPage<Row>>;

const NS_PER_SECOND = 1_000_000_000n;
/** Rows without a readable time, and none with one, after which the field is taken for the wrong one. */
const TELLING = 20;

/**
 * Reads alarms from the state's watermark, or from the start date, to the end of the list (design: cursor chain). What
 * lies before the state, because the start date has become an earlier one, is read first.
 */
export async function* readAlarms(
  config: AlarmsConfig,
  context: ReadContext,
  fetchPage: FetchAlarms,
): AsyncGenerator<Batch> {
  const { info } = context;
  const usesState = context.syncMode === 'incremental';
  if (!usesState && context.state !== null) await info('alarms: full refresh, so the state is not used');
  const state = usesState ? context.state : null;
  if (state !== null) checkAlarmsState(state);
  const endDate = config.end_date ?? null;
  const end = { instant: endDate === null ? undefined : readTime(endDate)?.instant, endDate };
  yield* readCovering(state, end, { config, context, fetchPage }, (latest) => latest);
}

/** What all parts of a read share. */
interface Reader {
  readonly config: AlarmsConfig;
  readonly context: ReadContext;
  readonly fetchPage: FetchAlarms;
}

/** Reads what lies before a state's cover, if that is wanted now, and then from the state on. */
async function* readCovering(
  state: StreamState | null,
  end: ReadEnd,
  reader: Reader,
  stateOf: (latest: StreamState) => StreamState,
): AsyncGenerator<Batch, Instant | null> {
  const { config, context } = reader;
  const before: AlarmsState = state ?? {};
  let kept = state;
  const range = earlierRange(before, config.start_date);
  if (range !== null) {
    if (range.state === null)
      await context.info(
        `alarms: what was created before ${range.untilText} is read first, because start_date is earlier than it was`,
      );
    let earlier = range.state ?? {};
    const earlierEnd = endOf(range, end);
    const started = yield* readCovering(range.state, earlierEnd, reader, (latest) => {
      earlier = latest;
      return stateOf({ ...withEarlier(before, latest) });
    });
    // the rest of the range, and all behind it, is beyond the end date
    if (earlierEnd.endDate !== null) return started;
    // while rows may still appear late in the range, it stays open beside the rest
    const isOver = started !== null && started - lookbackOf(config) >= range.until;
    kept = { ...(isOver ? mergedWithEarlier(before, earlier) : withEarlier(before, earlier)) };
  }
  const start = startFrom(kept, config.start_date, end.endDate, context.now());
  return yield* readFrom(start, end.instant, reader, stateOf);
}

/**
 * Reads from a start to the end of the list, or to the last row that is not created after `end`.
 *
 * @returns server time at the start of the read, null if nothing was read
 */
async function* readFrom(
  start: AlarmsStart,
  end: Instant | undefined,
  reader: Reader,
  stateOf: (latest: StreamState) => StreamState,
): AsyncGenerator<Batch, Instant | null> {
  const { config, context, fetchPage } = reader;
  const read: CursorRead<Row> = {
    fetchPage,
    createdOf: (row) => timeOf(row, config.created_field),
    fingerprintOf: (row) => fingerprint(rowBytes(row)),
    isSame: haveSameText,
    from: start.position,
    lookback: lookbackOf(config),
    end: () => end,
    isOrdered: () => false,
    started: null,
    isRefusal: (error) => isConnectorError(error, 'REQUEST_REFUSED') || isConnectorError(error, 'NOT_FOUND'),
    info: (words) => context.info(`alarms: ${words}`),
    warn: (words) => context.warn(`alarms: ${words}`),
    signal: context.signal,
  };
  if (start.beginsAgain)
    await context.warn(
      'alarms: end_date has changed while a read by several chains was unfinished, so it begins again and rows repeat',
    );
  let facts: WatermarkFacts | null = null;
  let started: Instant | null = null;
  const inParallel = config.parallel_chains > 1 || start.position.ranges !== null;
  const batches = inParallel ? readInParallel(read, config.parallel_chains) : readCursorList(read);
  for await (const batch of batches) {
    facts = batch.facts();
    refuseUnreadable(batch.rows, facts, start, reader);
    yield {
      rows: batch.rows,
      total: undefined,
      newest: facts.newest,
      state: () => stateOf(stateFor(batch.position(), start, context.now())),
    };
    ({ started } = batch);
  }
  if (facts !== null) await tellFacts(facts, context, config.created_field);
  return started;
}

/**
 * An incremental read whose first rows show no created time at all would hand out a state that never moves.
 *
 * @throws config_error FIELD_UNUSABLE
 */
function refuseUnreadable(
  rows: readonly Row[],
  { newest, beyond, unreadable }: WatermarkFacts,
  start: AlarmsStart,
  { config, context }: Reader,
): void {
  const isReadable = newest !== undefined || beyond !== undefined || start.position.format !== null;
  if (context.syncMode !== 'incremental' || unreadable < TELLING || rows.length === 0 || isReadable) return;
  const { created_field } = config;
  throw (
    createdFieldError(rows, created_field, ', or read alarms with full_refresh') ??
    configError(
      'FIELD_UNUSABLE',
      `alarms: no time can be read in ${JSON.stringify(created_field)} (alarms.created_field) or in any other field of ` +
        `the first ${rows.length} rows, so they cannot be read incrementally. Read alarms with full_refresh.`,
    )
  );
}

function lookbackOf(config: AlarmsConfig): bigint {
  return BigInt(config.lookback_seconds) * NS_PER_SECOND;
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
