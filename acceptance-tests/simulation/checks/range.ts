import type { AlarmRow } from '../alarm-rows.ts';
import type { RunRecord } from '../run-record.ts';
import { UNITS } from '../time-forms.ts';

/** The range of created times that a config asks for, and how the connector sees the time of a row; ns since the epoch. */
export function rangeOf({ plan: { alarms }, api }: RunRecord) {
  const { granule, shiftAt } = api.alarms.form;
  return {
    start: ns(alarms.start_date ?? '1970-01-01'),
    end: ns(alarms.end_date ?? '2100-01-01'),
    shown: ({ created }: AlarmRow): bigint => created - (created % granule) + shiftAt(created),
  };
}

function ns(date: string): bigint {
  return BigInt(Date.parse(date)) * UNITS.ms;
}
