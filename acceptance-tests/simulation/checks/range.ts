import type { AlarmRow } from '../alarms-list.ts';
import type { RunRecord } from '../run-record.ts';
import { UNITS } from '../time-forms.ts';

/** The range of created times that a config asks for. */
export function rangeOf({ plan, api }: RunRecord) {
  const { form, rows } = api.alarms;
  const [start, end] = [plan.alarms.start_date, plan.alarms.end_date].map((date) =>
    date === undefined ? null : BigInt(Date.parse(date)) * UNITS.ms,
  ) as [bigint | null, bigint | null];
  const shownTime = ({ created }: AlarmRow): bigint => created - (created % form.granule) + form.shift;
  return {
    /** True if a row is in the range whichever way its time is taken: as the server knows it, or as it is shown. */
    isIn: (row: AlarmRow): boolean =>
      [row.created, shownTime(row)].every(
        (time) => (start === null || time >= start) && (end === null || time <= end),
      ),
    /** True if the row of a number shows a time behind the end date. */
    isBeyond: (number: number): boolean => {
      const row = rows[number];
      return end !== null && row !== undefined && row.isTimed && shownTime(row) > end;
    },
  };
}
