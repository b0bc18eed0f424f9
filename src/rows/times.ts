/**
 * What a string is, as a time; each string is of one kind:
 *
 * - `text`: no date and time
 * - `unrealTime`: a date and time that does not exist, such as February 30 or second 60
 * - `utcTime`: RFC 3339 in UTC, to the microsecond: what every time column preserves exactly. Loaders drop other zones, or shift the
 *   time by them
 * - `localTime`: the same without the zone
 * - `otherTime`: any other, such as one without seconds
 */
export type TimeKind = 'text' | 'unrealTime' | 'utcTime' | 'localTime' | 'otherTime';

/** The beginning of a date and time: its day, hour, minute and second. */
const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d)(?::(\d\d))?/;
/** RFC 3339 to the microsecond; the zone is UTC or absent. */
const EXACT = /^.{10}T.{5}:\d\d(?:\.\d{1,6})?(Z|[+-]00:00)?$/;

/** The scanner of pages classifies strings in the same way, unless they contain escapes. */
export function timeKind(text: string): TimeKind {
  const [, day, hour = 0, minute = 0, second = 0] = TIME.exec(text) ?? [];
  if (day === undefined) return 'text';
  const isClockTime = Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 59;
  if (!isClockTime || startOfDay(day) === undefined) return 'unrealTime';
  const exact = EXACT.exec(text);
  if (exact === null) return 'otherTime';
  return exact[1] === undefined ? 'localTime' : 'utcTime';
}

/** The start of a calendar day (`2026-01-31`) in UTC, in ms since the epoch; undefined if there is no such day. */
export function startOfDay(date: string): number | undefined {
  const ms = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : NaN;
  // Date.parse reads February 30 as March 2
  return new Date(ms).getUTCDate() === Number(date.slice(8)) ? ms : undefined;
}
