import type { AlarmRow } from '../alarm-rows.ts';
import { announcesRepeats, hasVersions, hasWrongField, type Check, type RunRecord } from '../run-record.ts';
import type { ListName } from '../scenario.ts';
import { UNITS } from '../../model/time-forms.ts';

/** No row is altered or invented, none is repeated without a log line, and none was created after the end date. */
export const checkRows: Check = (run) => run.scenario.streams.flatMap((stream) => problemsOf(run, stream));

function problemsOf(run: RunRecord, stream: ListName): readonly string[] {
  const rows = run.emitted[stream];
  const before = run.startProgress[stream];
  if (rows.includes(-1)) return [`${stream}: a record contains what the API never sent`];
  // without readable times it leaves nothing out
  const { end, shown } = rangeOf(run);
  const isLate = (row: AlarmRow | undefined): boolean => row?.isTimed === true && shown(row.created) > end;
  const isLimited = stream === 'alarms' && !hasWrongField(run);
  const late = isLimited ? rows.filter((number) => isLate(run.api.alarms.rows[number])) : [];
  if (late.length > 0) return [`alarms: rows ${joined(late)} were created after the end date`];
  if (before.mayRepeat || announcesRepeats(run, stream)) return [];
  // rows with the same text are one row
  const oneOf = (row: number): number =>
    stream === 'alarms' ? (run.api.alarms.rows[row]?.twin ?? row) : row;
  const seen = new Set(before.covered.map(oneOf));
  const repeated = rows.filter((row) => {
    const isNew = !seen.has(oneOf(row));
    seen.add(oneOf(row));
    return !isNew && !mayRepeat(run, stream, row);
  });
  return repeated.length === 0 ? [] : [`${stream}: rows ${joined(repeated)} are repeated without a log line`];
}

/** The range of times that a config selects, and a time as the connector sees it; ns since the epoch. */
export function rangeOf({ plan: { alarms }, api }: RunRecord) {
  const { granule, shiftAt } = api.alarms.form;
  return {
    start: nanoseconds(alarms.start_date ?? '1970-01-01'),
    end: nanoseconds(alarms.end_date ?? '2100-01-01'),
    shown: (time: bigint): bigint => time - (time % granule) + shiftAt(time),
  };
}

/** ns since the epoch. */
export function nanoseconds(date: string): bigint {
  return BigInt(Date.parse(date)) * UNITS.ms;
}

/** Whether a row cannot always be recognized, because it lacks a time or an identity. */
function mayRepeat(run: RunRecord, stream: ListName, row: number): boolean {
  const { api, scenario } = run;
  const { alarms } = scenario.api;
  if (stream === 'assets') return hasVersions(run);
  // a read that cannot read times emits what a start date leaves out, and later reads cannot know that
  const hasBlindRead = scenario.runs.some(
    ({ alarms: { created_field, start_date } }) =>
      created_field !== alarms.createdField && start_date !== undefined,
  );
  const { isTimed = true, isTextStable = true } = api.alarms.rows[row] ?? {};
  // where rows are listed as they are received and none is out of order, nothing shows that they are late
  const looksOnTime = alarms.boundTime === 'received' && isAscending(api.alarms.rows);
  // a changed text is a new version
  return hasBlindRead || looksOnTime || !isTimed || !isTextStable;
}

function isAscending(rows: readonly AlarmRow[]): boolean {
  return rows.every(({ created }, at) => created >= (rows[at - 1]?.created ?? created));
}

/** Row numbers for a message. */
export function joined(rows: readonly number[]): string {
  const shown = rows.slice(0, 12).join(', ');
  return rows.length > 12 ? `${shown}, … (${rows.length})` : shown;
}
