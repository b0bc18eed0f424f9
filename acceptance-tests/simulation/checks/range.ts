import type { AlarmRow } from '../alarms-list.ts';
import type { RunRecord } from '../run-record.ts';
import { UNITS, shiftOf } from '../time-forms.ts';

/** The range of created times that a config asks for. */
export interface Range {
  /** True if a row is in the range whichever way its time is taken: as the server knows it, or as it is shown. */
  readonly isIn: (row: AlarmRow) => boolean;
  /** True if a row is behind the end date as it is shown. */
  readonly isBeyond: (row: AlarmRow) => boolean;
}

export function rangeOf({ plan, api }: RunRecord): Range {
  const { form } = api.alarms;
  const start = instantOf(plan.alarms.startDate);
  const end = instantOf(plan.alarms.endDate);
  const shownTime = ({ created }: AlarmRow): bigint => created - (created % form.granule) + shiftOf(form);
  return {
    isIn: (row) =>
      [row.created, shownTime(row)].every(
        (time) => (start === null || time >= start) && (end === null || time <= end),
      ),
    isBeyond: (row) => end !== null && shownTime(row) > end,
  };
}

function instantOf(date: string | null): bigint | null {
  return date === null ? null : BigInt(Date.parse(date)) * UNITS.ms;
}
