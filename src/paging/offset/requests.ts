import type { NumberedPage, Pass } from './pass.ts';
import type { OffsetPage } from './window.ts';

/** What to request. */
export interface PageRequest {
  readonly offset: number;
  readonly atMost: number; // rows; Infinity for as many as a page may have
}

/** How pages are requested, as the pages before have taught it. Changed by the functions of this file alone. */
export interface Requests {
  total: number | null; // of a page after the first that had rows, and more to follow; null before one
  room: number; // rows to request after it: more, if the list turns out to be longer
  aligned: number | null; // rows of a page, if the server takes only multiples of the limit as offsets
  alignment: 'untried' | 'tried' | 'settled'; // multiples are tried once, and kept if the first page at one has new rows
}

/** Begins the requests of a read. `aligned`: see `Requests`; null if it is not known. */
export function newRequests(aligned: number | null): Requests {
  return { total: null, room: 1, aligned, alignment: aligned === null ? 'untried' : 'settled' };
}

/** Returns the request for the row at an offset and the one after it. */
export function requestAt({ total, room, aligned }: Requests, offset: number): PageRequest {
  if (aligned !== null) return alignedRequest(offset, aligned);
  // services refuse offset + limit above a window, though the rows of the list are within it; a total never proves the end
  return {
    offset,
    atMost: total === null || offset >= total ? Infinity : Math.max(2, total + room - offset),
  };
}

/**
 * Returns the request at a multiple of its limit whose page reaches farthest after the row at an offset, among those of at most `size` rows.
 */
export function alignedRequest(offset: number, size: number): PageRequest {
  let limit = size;
  for (let other = size - 1; other > 1; other--)
    if (other - (offset % other) > limit - (offset % limit)) limit = other;
  return { offset: offset - (offset % limit), atMost: limit };
}

/**
 * Returns before which row the pages of at most `size` rows at multiples of their limit overlap: there, a page of each size ends. It is
 * past the end of all lists for pages of 23 rows and more.
 */
export function alignedReach(size: number): number {
  let reach = 1;
  for (let limit = 2; limit <= size && reach < Number.MAX_SAFE_INTEGER; limit++)
    reach *= limit / greatestDivisor(reach, limit);
  return reach;
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other);
}

/** Learns from an answer where the list ends. */
export function learn(
  requests: Requests,
  { offset, atMost }: PageRequest,
  { rows, total }: OffsetPage<unknown>,
): void {
  if (offset > 0 && rows.length > 0 && (total ?? 0) > offset + rows.length) requests.total = total ?? null;
  if (rows.length >= atMost) requests.room *= 2;
}

/** The least rows of a first page: a shorter one may show its rows again because others were inserted, or be the whole list. */
const MIN_ROWS = 8;

/**
 * Tries multiples of the limit as offsets if the second page of a pass is refused, or is the first page again. Returns true if so: then
 * the same row is to be requested again.
 */
export function alignIfNeeded(
  requests: Requests,
  page: NumberedPage & Pick<OffsetPage<unknown>, 'isRefused'>,
  { notes, reached, isPast }: Pick<Pass, 'notes' | 'reached' | 'isPast'>,
): boolean {
  const [first, ...others] = notes.filter(({ isTied }) => isTied);
  if (requests.alignment !== 'untried' || first === undefined || others.length > 0 || isPast) return false;
  if (first.count < MIN_ROWS || page.offset % page.limit === 0) return false;
  const isNext = page.offset > first.offset && page.offset < reached;
  // few rows were inserted between two requests
  const isFirst = page.identities.slice(0, MIN_ROWS / 2).includes(first.first ?? -1);
  if (!isNext || !(page.isRefused === true || isFirst)) return false;
  requests.aligned = first.count;
  requests.alignment = 'tried';
  return true;
}

/** Pages in a row that show nothing new, after which multiples of the limit do not help. */
const MAX_IDLE = 8;

/**
 * Gives multiples of the limit up if the first page at one has no rows after the covered ones, or if they show nothing new for long, although
 * pages overlap there: then the list had only become shorter.
 */
export function settleAlignment(
  requests: Requests,
  hasNewRows: boolean,
  { idle, reached }: Pick<Pass, 'idle' | 'reached'>,
): void {
  const { aligned, alignment } = requests;
  if (aligned === null) return;
  requests.alignment = 'settled';
  const isUseless = alignment === 'tried' ? !hasNewRows : idle > MAX_IDLE && !isBeyondReach(aligned, reached);
  if (isUseless) requests.aligned = null;
}

/** True if pages of so many rows at multiples of their limit may not overlap any more. */
export function isBeyondReach(aligned: number, reached: number): boolean {
  return alignedReach(aligned) < reached + aligned;
}
