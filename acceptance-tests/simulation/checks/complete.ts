import type { AlarmRow } from '../alarm-rows.ts';
import { hasWrongField, isComplete } from '../run-record.ts';
import type { Check, RunRecord } from '../run-record.ts';
import type { ListName } from '../scenario.ts';
import { rangeOf } from './range.ts';
import { list } from './rows.ts';

/** When a read says that it is complete, each row that it owes was emitted by it, or before a state that it goes back to. */
export const checkComplete: Check = (run) =>
  run.scenario.streams.flatMap((stream) => {
    if (!isComplete(run, stream)) return [];
    const lost =
      stream === 'assets' ? lostOf(run, stream, owedAssets(run)) : lostOf(run, stream, owedAlarms(run));
    const short = stream === 'assets' ? shortProblems(run) : [];
    return lost.length === 0 ? short : [`${stream}: rows ${list(lost)} are lost`];
  });

/** The owed rows that were not emitted; equal rows must come as often as they are owed. */
function lostOf(run: RunRecord, stream: ListName, owed: readonly number[]): readonly number[] {
  const covered = new Set([...run.startProgress[stream].covered, ...run.emitted[stream]]);
  const twinOf = (row: number): number =>
    stream === 'alarms' ? (run.api.alarms.rows[row]?.twin ?? row) : row;
  const isOwed = new Set(owed);
  /** Rows equal to each that were emitted, but are not owed: one of them may stand for one that is. */
  const spare = new Map<number, number>();
  for (const row of covered) if (!isOwed.has(row)) spare.set(twinOf(row), (spare.get(twinOf(row)) ?? 0) + 1);
  return owed.filter((row) => {
    if (covered.has(row)) return false;
    const left = spare.get(twinOf(row)) ?? 0;
    spare.set(twinOf(row), left - 1);
    return left <= 0;
  });
}

/** Rows that were there from the start of the first read to the end; and, where that can be told, those that came in before its end was seen. */
function owedAssets(run: RunRecord): readonly number[] {
  const since = run.startProgress.assets.since;
  const until = run.api.moment();
  const { depth, totals } = run.scenario.api.assets;
  // beyond a limit that no total tells of, nobody knows of rows; where a person wants only a warning, there is one
  const isTold = ['right', 'stale', 'too large'].includes(totals) && run.plan.missingRows === 'fail';
  if (depth !== null && !isTold) return [];
  const upTo = endSeen(run) ?? since;
  return run.api.assets.rows
    .filter((row) => row.from <= upTo && row.until > until)
    .map(({ number }) => number);
}

/** When a read that began anew looked at the head of the list once more, or, if it did not, at what lies furthest; else null. */
function endSeen(run: RunRecord): number | null {
  const pages = run.api.assets.served;
  if (run.startProgress.assets.covered.size > 0) return null;
  const heads = pages.filter(({ asked }) => asked === 0);
  if (heads.length !== 1) return heads.length === 2 ? (heads[1]?.moment ?? null) : null;
  const furthest = Math.max(...pages.map(({ asked }) => Number(asked)));
  return pages.find(({ asked }) => asked === furthest)?.moment ?? null;
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
    .filter((row) => row.from <= run.startMoment && row.until > run.api.moment())
    .filter((row) => isIn(row) && (row.isTimed || !hasDates))
    .filter((row) => row.from <= before.since || row.lateMs <= before.leastLookbackMs)
    .filter((row) => isInOrder(run, row) || isUndisturbed(run))
    .map(({ number }) => number);
}

/** Whether a row stands where its created time belongs, but for the lookback (design: dependence on order is documented). */
function isInOrder(run: RunRecord, { isAstray, lateMs }: AlarmRow): boolean {
  const isLate = lateMs > run.startProgress.alarms.leastLookbackMs;
  const { cursors, order } = run.scenario.api.alarms;
  // a dead cursor that looks like the end is resumed from the newest time
  const isUnordered = (order === 'descending' || order === 'shuffled') && cursors.death === 'empty last page';
  return !isAstray && !isUnordered && !(order === 'by arrival' && isLate) && !hasWrongField(run);
}

/** True if one chain read the list from its start to its end, and never had to resume by created time. */
function isUndisturbed({ api, plan, startProgress }: RunRecord): boolean {
  const bounds = new Set(api.alarms.served.map(({ asked }) => asked));
  const isFresh = startProgress.alarms.covered.size === 0;
  return isFresh && plan.alarms.parallel_chains === 1 && !plan.alarms.end_date && bounds.size === 1;
}

/** A complete read of assets has as many rows as every total of it stated, and as many as the user expects. */
function shortProblems({ api, emitted, plan, startProgress }: RunRecord): readonly string[] {
  const rows = new Set([...startProgress.assets.covered, ...emitted.assets]).size;
  const totals = api.assets.served.map(({ total }) => total ?? 0);
  const stated = plan.missingRows === 'fail' ? Math.min(...totals) : 0;
  return rows < Math.max(stated, plan.minRows)
    ? [`assets: complete with ${rows} rows; ${stated} are stated, ${plan.minRows} expected`]
    : [];
}
