import type { AlarmRow } from '../alarms-list.ts';
import { isComplete } from '../run-record.ts';
import type { Check, RunRecord } from '../run-record.ts';
import { rangeOf } from './range.ts';
import { list } from './rows.ts';

/** When a read says that it is complete, each row that it owes was emitted by it, or before a state that it goes back to. */
export const checkComplete: Check = (run) =>
  run.scenario.streams.flatMap((stream) => {
    if (!isComplete(run, stream)) return [];
    const covered = new Set([...run.startProgress[stream].covered, ...run.emitted[stream]]);
    const owed = stream === 'assets' ? owedAssets(run) : owedAlarms(run);
    const lost = owed.filter((row) => !covered.has(row));
    return lost.length === 0 ? [] : [`${stream}: rows ${list(lost)} are lost`];
  });

/** Rows that were there from the start of the first read to the end; and, where that can be told, those that came in before its end was seen. */
function owedAssets(run: RunRecord): readonly number[] {
  const since = run.startProgress.assets.since;
  const until = run.api.moment();
  const upTo = endSeen(run) ?? since;
  return run.api.assets.rows
    .filter((row) => row.from <= upTo && row.until > until)
    .map(({ number }) => number);
}

/** When a read that began anew looked at the head of the list once more, or, if it did not, at what lies furthest; else null. */
function endSeen(run: RunRecord): number | null {
  const pages = run.api.assets.served;
  if (run.startProgress.assets.covered.size > 0) return null;
  const heads = pages.filter(({ offset }) => offset === 0);
  if (heads.length !== 1) return heads.length === 2 ? (heads[1]?.moment ?? null) : null;
  const furthest = Math.max(...pages.map(({ offset }) => offset));
  return pages.find(({ offset }) => offset === furthest)?.moment ?? null;
}

/** Rows that were there when the read began, unless they came in later than the lookback of a read before. */
function owedAlarms(run: RunRecord): readonly number[] {
  const before = run.startProgress.alarms;
  const { start, end, shown } = rangeOf(run);
  // whichever way its time is taken: as the server knows it, or as it is shown
  const isIn = (row: AlarmRow): boolean =>
    [row.created, shown(row)].every((time) => time >= start && time <= end);
  const hasDates = (run.plan.alarms.start_date ?? run.plan.alarms.end_date) !== undefined;
  return run.api.alarms.rows
    .filter((row) => row.from <= run.startMoment && isIn(row) && (row.isTimed || !hasDates))
    .filter((row) => row.from <= before.since || row.lateMs <= before.leastLookbackMs)
    .map(({ number }) => number);
}
