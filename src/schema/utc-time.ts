/** RFC 3339 in UTC, in the part of it that every column of times keeps whole: to the microsecond, without leap seconds. */
const utcTime = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|[+-]00:00)$/;

/** The day checked last: rows of a list come day by day. */
let lastDay = '';

/**
 * Whether a text is a time that columns of times keep whole. Other zones are not: there are loaders that drop the offset
 * and so move the time, and all others drop which offset it was.
 */
export function isUtcTime(text: string): boolean {
  const day = utcTime.exec(text)?.[1];
  if (day === undefined) return false;
  if (day === lastDay) return true;
  const start = Date.parse(`${day}T00:00:00Z`);
  // Date takes February 30 for March 2
  const exists = !Number.isNaN(start) && new Date(start).toISOString().startsWith(day);
  if (exists) lastDay = day;
  return exists;
}
