/*
 * How many rows the pages of a list have while it is read. A page that has failed twice in a way that fewer rows may avoid is requested
 * with half of them, and after each further failure with half again. An outage looks the same, so the next page is of the full size. If
 * that one fails too, and the smaller size succeeds again, it is the full size for the rest of the read.
 */

/** Failures of a page before a smaller one is requested. */
const ENOUGH = 2;
/** Rows of the smallest page: two pages of one row cannot overlap. */
const LEAST = 2;
/** Rows of the first smaller page if nothing is known of the server's own page size. */
const UNKNOWN = 100;

/** Rows to request; null for as many as the server chooses. */
export type Limit = number | null;

/** What a read knows about the size of pages. */
export interface PageSize {
  readonly configured: Limit;
  readonly full: Limit; // to be requested: as configured, or smaller if that has failed repeatedly
  readonly worked: number | null; // rows of a smaller page that was received, since a larger one was
  readonly largest: number; // rows of the largest page; 0 before the first one
}

/** Returns the size of pages of a read that has received none. */
export function pageSizeOf(configured: Limit): PageSize {
  return { configured, full: configured, worked: null, largest: 0 };
}

/** Returns the rows to request instead of `asked` once a page has failed so many times. */
export function limitAfter<L extends Limit>(size: PageSize, asked: L, failures: number): L | number {
  let limit: L | number = asked;
  for (let count = ENOUGH; count <= failures; count++) limit = smallerThan(size, limit);
  return limit;
}

/** Returns the rows to request for a page of its own, by its failures. */
export function limitsFrom(size: PageSize): (failures: number) => Limit {
  return (failures) => limitAfter(size, size.full, failures);
}

/** Failures with which a page is requested in another way, because it has failed too often. */
export const FAILED: number = ENOUGH;

function smallerThan<L extends Limit>({ worked, largest }: PageSize, limit: L): L | number {
  if (worked !== null && isLess(worked, limit)) return worked;
  const rows = limit ?? (largest === 0 ? 2 * UNKNOWN : largest);
  return limit !== null && limit <= LEAST ? limit : Math.max(LEAST, Math.floor(rows / 2));
}

const isLess = (one: number, other: Limit): boolean => one < (other ?? Infinity);

export interface ReceivedPage {
  readonly sizeAtStart: PageSize; // when it was requested for the first time
  readonly asked: Limit; // at first
  readonly limit: Limit; // of the request that succeeded
  readonly failures: number; // before that one
  readonly rows: number;
  readonly isNews: boolean; // it shows rows that were not received before
}

/** A smaller page was received; or it shows that the smaller size is the right one (`stays`), or not (`full again`). */
export interface SizeEvent {
  readonly kind: 'worked' | 'stays' | 'full again';
  readonly failed: Limit;
  readonly limit: Limit;
}

/** Takes note of a page. Returns what is known then, and what a user should know. */
export function noteReceived(
  before: PageSize,
  { sizeAtStart, asked, limit, failures, rows, isNews }: ReceivedPage,
): { readonly size: PageSize; readonly event: SizeEvent | null } {
  const size = { ...before, largest: Math.max(before.largest, rows) };
  const { configured, full, worked } = size;
  if (limit !== null && isLess(limit, asked)) {
    // another page has shown it already
    if (full !== null && full <= limit) return { size, event: null };
    const isAgain = sizeAtStart.worked !== null && isLess(sizeAtStart.worked, asked);
    if (isAgain)
      return { size: { ...size, full: limit, worked: null }, event: { kind: 'stays', failed: asked, limit } };
    const smallest = Math.min(limit, worked ?? limit);
    return { size: { ...size, worked: smallest }, event: { kind: 'worked', failed: asked, limit } };
  }
  if (!isNews) return { size, event: null };
  // the same page failed and was received, so its size was not the reason
  if (failures > 0 && limit === full && full !== configured)
    return {
      size: { ...size, full: configured, worked: null },
      event: { kind: 'full again', failed: full, limit: configured },
    };
  const isLarger = worked !== null && isLess(worked, limit);
  return { size: isLarger ? { ...size, worked: null } : size, event: null };
}
