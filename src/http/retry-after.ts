const SECONDS = /^\d{1,9}(\.\d+)?$/;
/** The three forms of an HTTP date begin with a day; without that, Date.parse finds a date in nearly everything. */
const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)([a-z]*day)?,? /i;

/**
 * The wait that a `Retry-After` header asks for, in ms from `nowMs`; undefined if there is none or it cannot be read.
 * Both forms of HTTP are understood: seconds (a fraction, which HTTP does not know, is rounded up), and a date, which is
 * taken against the server's own `Date` header where there is one, so that a wrong local clock does not matter.
 */
export function retryAfterMs(
  retryAfter: string | undefined,
  date: string | undefined,
  nowMs: number,
): number | undefined {
  const text = retryAfter?.trim() ?? '';
  if (SECONDS.test(text)) return Math.ceil(Number(text)) * 1000;
  const until = httpDate(text);
  return until === undefined ? undefined : Math.max(0, until - (httpDate(date ?? '') ?? nowMs));
}

/** An HTTP date in ms since the epoch. It is always in GMT, which its oldest form does not say. */
function httpDate(text: string): number | undefined {
  if (!HTTP_DATE.test(text)) return undefined;
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : time;
}
