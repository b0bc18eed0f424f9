/** What a server asks for: to wait for a time, or until a time (ms since the epoch). */
export type AskedWait = Readonly<{ afterMs: number }> | Readonly<{ untilMs: number }>;

const SECONDS = /^(\d{1,9}(?:\.\d+)?) ?(s|secs?|seconds?)?$/i;
/** Some servers send the time itself, as seconds or ms since the epoch. */
const EPOCH = /^1\d{9}(\d{3})?$/;
/** All three formats of an HTTP date begin with the weekday. Without this check, Date.parse would accept almost any text. */
const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)([a-z]*day)?,? /i;
const ISO_DATE = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;
/** As some gateways write it, such as `2026-Nov-29 10:00:00+0000 UTC`. */
const NAMED_MONTH = /^(\d{4})-([a-z]{3})-(\d\d) (\d\d:\d\d:\d\d) ?(?:[+-]0000)?( ?UTC| ?GMT)?$/i;

/** The wait that a text states as a whole, in seconds or as a time; null if it states none. */
export function waitIn(text: string): AskedWait | null {
  const [, seconds] = EPOCH.test(text) ? [] : (SECONDS.exec(text) ?? []);
  if (seconds !== undefined) return { afterMs: Math.ceil(Number(seconds)) * 1000 };
  const untilMs = timeIn(text);
  return Number.isNaN(untilMs) ? null : { untilMs };
}

/** The time that a text states as a whole, in ms since the epoch, or NaN. */
export function timeIn(text: string): number {
  if (EPOCH.test(text)) return Number(text.padEnd(13, '0'));
  if (ISO_DATE.test(text)) return Date.parse(text.replace(' ', 'T'));
  const [, year, month, day, time] = NAMED_MONTH.exec(text) ?? [];
  return year === undefined ? httpDate(text) : Date.parse(`${day} ${month} ${year} ${time} GMT`);
}

/** An HTTP date in ms since the epoch, or NaN. It is always in GMT, although its oldest format does not say so. */
export function httpDate(text: string): number {
  return HTTP_DATE.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : NaN;
}
