import type { NumberedPage, Pass } from './pass.ts';
import type { OffsetPage } from './window.ts';

/** What to request. */
export interface PageRequest {
  readonly offset: number;
  readonly atMost: number; // rows; Infinity for as many as a page may have
}

/** How pages are requested, as the pages before have taught it; changed by the functions of this file. */
export interface Requests {
  stated: number | null; // the latest total of a page with rows, if it reaches as far as they do
  total: number | null; // where requests end; null as long as they need not
  room: number; // rows to request after it: more, if the list turns out to be longer
  multiples: number | null; // rows of a page, if the server seems to take only multiples of the limit as offsets
  aligned: number | null; // the same while only multiples are requested
}

/** Begins the requests of a read; `multiples`: as an earlier read has learned it. */
export function newRequests(multiples: number | null): Requests {
  return { stated: null, total: null, room: 1, multiples, aligned: multiples };
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

/** Learns from an answer where requests should end. A refusal may be about the sum of offset and limit. */
export function learn(
  requests: Requests,
  { offset, atMost }: PageRequest,
  { rows, total = 0, isRefused }: OffsetPage<unknown>,
): void {
  const end = offset + rows.length;
  if (rows.length > 0 && total >= end) requests.stated = total;
  if (isRefused === true || (offset > 0 && rows.length > 0 && total > end)) requests.total = requests.stated;
  if (rows.length >= atMost) requests.room *= 2;
}

/** The least rows of a first page: a shorter one may be shown again because rows were inserted. */
export const MIN_FIRST_ROWS = 4;
/** Rows at the top of the second page among which the first row of the list is looked for: others may have been inserted before it. */
const MOST_INSERTED = 4;

/**
 * Tries multiples of the limit as offsets if the second page of a pass is refused, or is the first page again; but first a smaller page, if
 * the refused one would go beyond the total. Returns true if so: then the same row is to be requested again.
 */
export function adaptRequests(
  requests: Requests,
  page: NumberedPage & Pick<OffsetPage<unknown>, 'isRefused'>,
  { notes, reached, isPast }: Pick<Pass, 'notes' | 'reached' | 'isPast'>,
): boolean {
  const [first, ...others] = notes.filter(({ isTied }) => isTied);
  if (requests.multiples !== null || isPast || others.length > 0) return false;
  if (first === undefined || first.count < MIN_FIRST_ROWS) return false;
  const isNext = page.offset > first.offset && page.offset < reached;
  // few rows were inserted between two requests
  const isFirst = page.identities
    .slice(0, Math.min(MOST_INSERTED, first.count / 2))
    .includes(first.first ?? -1);
  const isRefused = page.isRefused === true;
  if (!isNext || !(isRefused || isFirst)) return false;
  if (isRefused && requestAt(requests, page.offset).atMost < page.limit) return true;
  requests.multiples = first.count;
  requests.aligned = first.count;
  return true;
}

/** Pages in a row that show nothing new, after which other requests may help: a list that became shorter looks as if it took only multiples. */
const MAX_IDLE = 8;

/** Requests multiples of the limit instead of any offset, or any offset instead of them, if pages show nothing new for long. */
export function changeAlignment(requests: Requests, { idle }: Pick<Pass, 'idle'>): void {
  if (idle > 0 && idle % MAX_IDLE === 0)
    requests.aligned = requests.aligned === null ? requests.multiples : null;
}

/** True if pages of so many rows at multiples of their limit may not overlap any more. */
export function isBeyondReach(aligned: number, reached: number): boolean {
  return alignedReach(aligned) < reached + aligned;
}
