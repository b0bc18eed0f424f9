import { isListedFrom } from '../../model/changing-rows.ts';
import type { AlarmRow } from '../alarm-rows.ts';
import { logs } from '../../support/run-views.ts';
import { sharedKey } from '../assets-list.ts';
import { hasVersions, hasWrongField, isComplete, type Check, type RunRecord } from '../run-record.ts';
import { clockAheadMs, type ListName } from '../scenario.ts';
import { showsRowsPastEnd } from './outcome.ts';
import { joined, nanoseconds, rangeOf } from './rows.ts';

/** A complete read, with the reads that it resumes, has emitted every expected row. */
export const checkComplete: Check = (run) =>
  run.scenario.streams.flatMap((stream) => {
    if (!isComplete(run, stream)) return [];
    const lost = lostRows(run, stream, stream === 'assets' ? expectedAssets(run) : expectedAlarms(run));
    if (lost.length > 0) return [`${stream}: rows ${joined(lost)} are lost`];
    return stream === 'assets' ? countProblems(run) : [];
  });

/** The expected rows that were not emitted. Rows with the same text are one row, and so are assets with the same key. */
function lostRows(run: RunRecord, stream: ListName, expected: readonly number[]): readonly number[] {
  const emitted = [...run.startProgress[stream].covered, ...run.emitted[stream]];
  const oneOf = (row: number): number => {
    if (stream === 'alarms') return run.api.alarms.rows[row]?.twin ?? row;
    return isSameByKey(run, row) ? sharedKey(row) : row;
  };
  const covered = new Set(emitted.map(oneOf));
  return expected.filter((row) => !covered.has(oneOf(row)));
}

/**
 * Whether a row counts as one with an earlier row of the same key. A neighbor does not if a short list must fail, because a page shows
 * that the two differ.
 */
function isSameByKey({ plan, scenario }: RunRecord, row: number): boolean {
  const { ids, totals } = scenario.api.assets;
  const isNeighbor = sharedKey(row) === row - 1 && sharedKey(row - 1) === row - 1;
  // by chance, a total of what was shown may be the number of keys
  const mustNotice = plan.missingRows === 'fail' && totals !== 'what was shown';
  return ids === 'shared' && !(isNeighbor && mustNotice);
}

/** Rows in the list from the start of the first read to the end, and those inserted before its end was seen, if that is known. */
function expectedAssets(run: RunRecord): readonly number[] {
  const { depth, totals, ids, inserts, deletes, offsets } = run.scenario.api.assets;
  // in a list that changes, rows with equal keys make pages seem to overlap; on a server that shows rows past the end, several such rows
  // look like the end, but there is a warning
  const warnings = logs(run, 'WARN');
  const isWarned = warnings.some((line) => line.startsWith('assets: '));
  // pages of a few rows cannot overlap everywhere if they begin at multiples of their size: the read says that rows are missing, which the
  // config allows
  const isAllowed = run.plan.missingRows === 'warn' && offsets !== 'any';
  if (isAllowed && warnings.some((line) => line.includes('although it states'))) return [];
  const mayHide = inserts.percent + deletes.percent > 0 || (isWarned && showsRowsPastEnd(run));
  if (ids === 'shared' && mayHide) return [];
  // rows beyond a limit are unknown unless a total counts them, and only a warning if the config says so
  const isKnown =
    ['right', 'stale', 'too large', 'zero on empty pages'].includes(totals) &&
    run.plan.missingRows === 'fail';
  const isCounted = run.api.assets.served.some(({ total }) => Number(total) > Number(depth));
  if (depth !== null && !(isKnown && isCounted && isGapNoticed(run, depth))) return [];
  const upTo = momentOfEnd(run) ?? run.startProgress.assets.since;
  return run.api.assets.rows
    .filter((row) => isListedFrom(row, upTo, run.api.moment()))
    .map(({ number }) => number);
}

/**
 * Whether rows that were counted, but are not in the list any more, cannot make up for those beyond a limit: neither deleted rows nor
 * other versions of rows without a key. They cannot if the list shows more than a page, and each total of the last pass counts a whole
 * page more than it shows.
 */
function isGapNoticed({ api, emitted, scenario }: RunRecord, depth: number): boolean {
  const { deletes, maxPerPage } = scenario.api.assets;
  const pages = api.assets.served;
  const last = pages.slice(pages.findLastIndex(({ asked }) => asked === 0));
  const totals = last.map(({ total }) => total ?? 0).filter((total) => total > 0);
  const areVersions = new Set(emitted.assets).size < emitted.assets.length;
  const isFar = depth > maxPerPage && Math.min(...totals) - depth >= Math.max(10, maxPerPage);
  return isFar || (deletes.percent === 0 && !areVersions);
}

/** When a read that started over requested the head of the list again or else the highest offset; null if unknown. */
function momentOfEnd(run: RunRecord): number | null {
  const pages = run.api.assets.served;
  if (run.startProgress.assets.covered.length > 0) return null;
  const heads = pages.filter(({ asked }) => asked === 0);
  if (heads.length === 2) return heads[1]?.moment ?? null;
  if (heads.length !== 1) return null;
  const highest = Math.max(...pages.map(({ asked }) => Number(asked)));
  return pages.find(({ asked }) => asked === highest)?.moment ?? null;
}

/** Rows that were in the list when the read began, unless they arrived after the lookback of an earlier read. */
function expectedAlarms(run: RunRecord): readonly number[] {
  const { start: ownStart, end, shown } = rangeOf(run);
  const { firstStart } = run.startProgress.alarms;
  // an earlier start date than that of the first read does not bring earlier rows
  const start = [ownStart, nanoseconds(firstStart ?? '1970-01-01')].reduce((a, b) => (a > b ? a : b));
  const hasOtherTime =
    run.plan.alarms.created_field === 'receivedAt' || run.scenario.api.alarms.boundTime === 'received';
  // both as the server knows its time and as it is shown
  const isIn = (row: AlarmRow): boolean => {
    const times = hasOtherTime ? [row.created, row.received] : [row.created];
    return times.every((time) => [time, shown(time)].every((at) => at >= start && at <= end));
  };
  const hasDates = (run.plan.alarms.start_date ?? run.plan.alarms.end_date) !== undefined;
  return run.api.alarms.rows
    .filter((row) => isListedFrom(row, run.startMoment, run.api.moment()))
    .filter((row) => isIn(row) && (row.isTimed || !hasDates))
    .filter((row) => isWhateverItsTime(run) || isInTime(run, row))
    .map(({ number }) => number);
}

/** Whether a row appeared early enough, and where its created time belongs. A clock that is ahead counts as lateness. */
function isInTime(run: RunRecord, row: AlarmRow): boolean {
  const { since, minLookbackMs } = run.startProgress.alarms;
  const isEarly = row.from <= since || row.lateMs + clockAheadMs(run.scenario) <= minLookbackMs;
  return isEarly && (isInOrder(run, row) || isUndisturbed(run)) && !mayHaveBeenAfterEnd(run, row);
}

/** Whether an end date may have left out a row that was received before it; a list by time of receipt does not return it again. */
function mayHaveBeenAfterEnd({ scenario, startProgress }: RunRecord, { lateMs }: AlarmRow): boolean {
  return scenario.api.alarms.boundTime === 'received' && startProgress.alarms.hadDates && lateMs < 0;
}

/**
 * Whether each row must be found although it may be older than requested: one chain reads a list as its rows are received, and nobody
 * has changed the dates or the state.
 */
function isWhateverItsTime(run: RunRecord): boolean {
  const { boundTime, deletePercent } = run.scenario.api.alarms;
  const { maxChains, hadDates } = run.startProgress.alarms;
  const isOne = maxChains === 1 && !hadDates && deletePercent === 0 && !hasWrongField(run);
  return boundTime === 'received' && isOne && !run.plan.isKeyAlone;
}

/** Whether a row is where its created time belongs, within the lookback. The dependence on order is documented. */
function isInOrder(run: RunRecord, { isOutOfOrder, lateMs }: AlarmRow): boolean {
  const isLate = lateMs > run.startProgress.alarms.minLookbackMs;
  const { cursors, order } = run.scenario.api.alarms;
  // after an expired cursor that looks like the end, a read resumes from the newest time
  const isUnordered =
    (order === 'descending' || order === 'shuffled') && cursors.expired === 'empty last page';
  return !isOutOfOrder && !isUnordered && !(order === 'by arrival' && isLate) && !hasWrongField(run);
}

/** Whether one chain read the list from its start to its end, without resuming by created time. */
function isUndisturbed({ api, plan, startProgress }: RunRecord): boolean {
  const bounds = new Set(api.alarms.served.map(({ asked }) => asked));
  const isFresh = startProgress.alarms.covered.length === 0;
  return isFresh && plan.alarms.parallel_chains === 1 && !plan.alarms.end_date && bounds.size === 1;
}

/** A complete read of assets has as many rows as each total states, and as many as the config requires. */
function countProblems(run: RunRecord): readonly string[] {
  if (hasVersions(run)) return [];
  const { api, emitted, plan, scenario, startProgress } = run;
  const { totals } = scenario.api.assets;
  const rows = new Set([...startProgress.assets.covered, ...emitted.assets]).size;
  const all = api.assets.served.map(({ total }) => total ?? 0);
  const isEmptied = api.assets.rows.every(({ until }) => until < Infinity);
  const saysNothing = totals === 'zero on empty pages';
  const counts = saysNothing && isEmptied ? [] : all.filter((total) => total > 0 || !saysNothing);
  const stated = plan.missingRows === 'fail' && counts.length > 0 ? Math.min(...counts) : 0;
  return rows < Math.max(stated, plan.minRows)
    ? [`assets: complete with ${rows} rows; ${stated} are stated, ${plan.minRows} required`]
    : [];
}
