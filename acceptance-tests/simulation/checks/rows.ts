import { announcesRepeats, hasWrongField, isComplete } from '../run-record.ts';
import type { Check, RunRecord } from '../run-record.ts';
import type { ListName } from '../scenario.ts';
import { rangeOf } from './range.ts';

/** No row is altered or made up, none comes twice without a word, and none from behind the end date. */
export const checkRows: Check = (run) => run.scenario.streams.flatMap((stream) => problemsOf(run, stream));

function problemsOf(run: RunRecord, stream: ListName): readonly string[] {
  const rows = run.emitted[stream];
  const before = run.startProgress[stream];
  if (rows.includes(-1)) return [`${stream}: a record holds what the API never showed`];
  // without a time that it can read it leaves nothing out
  const beyond = stream === 'alarms' && !hasWrongField(run) ? rows.filter(isBeyond(run)) : [];
  if (beyond.length > 0) return [`alarms: rows ${list(beyond)} were created after the end date`];
  if (before.mayRepeat || announcesRepeats(run, stream)) return [];
  const seen = new Set(before.covered);
  const doubled = rows.filter((row) => {
    const isNew = !seen.has(row);
    seen.add(row);
    return !isNew && !mayComeAgain(run, stream, row);
  });
  return doubled.length === 0 ? [] : [`${stream}: rows ${list(doubled)} come again, and nothing was said`];
}

/** Whether the row of a number shows a time behind the end date. */
function isBeyond(run: RunRecord): (number: number) => boolean {
  const { end, shown } = rangeOf(run);
  return (number) => {
    const row = run.api.alarms.rows[number];
    return row?.isTimed === true && shown(row) > end;
  };
}

/** A row without a time, or without an identity of its own, is known again within a read at best. */
function mayComeAgain(run: RunRecord, stream: ListName, row: number): boolean {
  const { api, scenario } = run;
  if (stream === 'alarms') {
    const { runs, api: served } = scenario;
    // a read that can read no times emits what a start date leaves out, and a later one cannot know that
    const hasBlindRead = runs.some(
      ({ alarms: { created_field, start_date } }) =>
        created_field !== served.alarms.createdField && start_date !== undefined,
    );
    const { isTimed = true, isTextStable = true } = api.alarms.rows[row] ?? {};
    // equal rows of pages that begin at positions are counted at the end of a read; a row whose text has changed is a new version
    const isPositional = served.alarms.cursors.kind !== 'a place between rows' && !isComplete(run, stream);
    return hasBlindRead || !isTimed || !isTextStable || isPositional;
  }
  const { ids, isVolatile } = scenario.api.assets;
  return isVolatile && (ids === 'absent' || ids === 'mixed');
}

export function list(rows: readonly number[]): string {
  const shown = rows.slice(0, 12).join(', ');
  return rows.length > 12 ? `${shown}, … (${rows.length})` : shown;
}
