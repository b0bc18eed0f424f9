import { readTime, writeTime } from '../paging/instant.ts';
import type { Instant, TimeFormat, WrittenTime } from '../paging/instant.ts';
import { invalidState } from './parse-state.ts';

/** How we write times of our own into a state: RFC 3339 in UTC, exact to the nanosecond. */
export const OWN_FORMAT: TimeFormat = {
  kind: 'calendar',
  separator: 'T',
  seconds: true,
  fractionDigits: 9,
  zone: 'Z',
};

export function ownTime(instant: Instant): string {
  return writeTime(instant, OWN_FORMAT);
}

/** @throws config_error STATE_INVALID if the text is no time */
export function timeIn(field: string, text: string): WrittenTime {
  const time = readTime(text);
  if (time === undefined)
    throw invalidState('alarms', `${field} must be a time, for example 2026-01-01T00:00:00Z`);
  return time;
}
