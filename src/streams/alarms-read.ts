import type { AlarmsConfig } from '../config/config.ts';
import { configError, isConnectorError } from '../errors.ts';
import { readCursorList } from '../paging/cursor-read.ts';
import type { CursorFacts, CursorRead } from '../paging/cursor-run.ts';
import { fingerprint } from '../paging/identities.ts';
import type { Fingerprint } from '../paging/identities.ts';
import { readTime } from '../paging/instant.ts';
import type { Instant } from '../paging/instant.ts';
import { wantsEarlier } from '../paging/open-ranges.ts';
import type { CursorList } from '../paging/range-worker.ts';
import { haveSameText, rowBytes } from '../protocol/row.ts';
import type { Row } from '../protocol/row.ts';
import { checkAlarmsState, startFrom, stateFor } from './alarms-state.ts';
import type { AlarmsStart } from './alarms-state.ts';
import { timeOf } from './created-time.ts';
import { createdFieldError } from './field-candidates.ts';
import type { Batch, ReadContext } from './stream.ts';

export type FetchAlarms = CursorList<Row>['fetchPage'];

const NS_PER_SECOND = 1_000_000_000n;
/** Rows without a readable time, and none with one, after which the field is taken for the wrong one. */
const TELLING = 20;

/**
 * Reads alarms from where the state leaves off, or from the start date, to the end of the list. What a start date that
 * became earlier wants beyond that is one range more.
 */
export async function* readAlarms(
  config: AlarmsConfig,
  context: ReadContext,
  fetchPage: FetchAlarms,
): AsyncGenerator<Batch> {
  const { info, warn, syncMode } = context;
  const usesState = syncMode === 'incremental';
  if (!usesState && context.state !== null) await info('alarms: full refresh, so the state is not used');
  const state = usesState ? context.state : null;
  if (state !== null) checkAlarmsState(state);
  const start = startFrom(state, config, context.now());
  await tellStart(start, config, context);
  const { created_field: field } = config;
  const read: CursorRead<Row> = {
    fetchPage,
    createdOf: (row) => timeOf(row, field),
    fingerprintOf,
    isSame: haveSameText,
    from: start.from,
    isResumed: start.isResumed,
    start: instantOf(config.start_date),
    end: instantOf(config.end_date),
    lookback: BigInt(config.lookback_seconds) * NS_PER_SECOND,
    chains: config.parallel_chains,
    isRefusal: (error) => isConnectorError(error, 'REQUEST_REFUSED') || isConnectorError(error, 'NOT_FOUND'),
    now: context.now,
    info: (words) => info(`alarms: ${words}`),
    warn: (words) => warn(`alarms: ${words}`),
    signal: context.signal,
  };
  let latest: CursorFacts | null = null;
  for await (const { rows, position, facts } of readCursorList(read)) {
    if (position.format === null) refuseUnreadable(rows, facts, { config, context });
    yield {
      rows,
      total: undefined,
      newest: facts.newest,
      state: () => stateFor(position, start, field, fingerprintOf),
    };
    latest = facts;
  }
  if (latest !== null) await tellFacts(latest, context, field);
}

function fingerprintOf(row: Row): Fingerprint {
  return fingerprint(rowBytes(row));
}

function instantOf(date: string | undefined): Instant | undefined {
  return date === undefined ? undefined : readTime(date)?.instant;
}

async function tellStart(
  { from, isOtherField }: AlarmsStart,
  { start_date: startDate }: AlarmsConfig,
  { info, warn }: ReadContext,
): Promise<void> {
  if (isOtherField)
    await warn(
      'alarms: created_field has changed while a read was unfinished, so that read begins again and rows may repeat',
    );
  if (wantsEarlier(from, instantOf(startDate)))
    await info(
      'alarms: start_date is earlier than it was, so what was created between the two is read as well',
    );
}

/**
 * An incremental read whose first rows show no created time at all would hand out a state that never moves.
 *
 * @throws config_error FIELD_UNUSABLE
 */
function refuseUnreadable(
  rows: readonly Row[],
  { unreadable }: CursorFacts,
  { config, context }: { readonly config: AlarmsConfig; readonly context: ReadContext },
): void {
  if (context.syncMode !== 'incremental' || unreadable < TELLING || rows.length === 0) return;
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

async function tellFacts(facts: CursorFacts, { info, warn }: ReadContext, field: string): Promise<void> {
  if (facts.repeats > 0)
    await info(`alarms: ${facts.repeats} rows came again and were skipped, because they had been emitted`);
  if (facts.unreadable > 0)
    await warn(
      `alarms: ${facts.unreadable} rows have no readable time in ${field}; they were emitted, and do not move the ` +
        `state. If they are many, check alarms.created_field.`,
    );
  if (facts.overflows)
    await warn(
      `alarms: more rows lie within the lookback than a state can remember; the next read may repeat some`,
    );
}
