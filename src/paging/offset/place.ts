import type { Fingerprint, Identities, Identity } from '../identities.ts';
import type { NumberedPage } from './pages.ts';
import { requestAt, type PageRequest } from './window.ts';

/** Where an unfinished read of an offset list stopped: it has emitted every row up to the last anchor. */
export type OffsetPosition = {
  readonly offset: number; // after the last anchor, when it was read
  readonly rows: number; // emitted so far
  readonly anchors: readonly Fingerprint[]; // the last rows, in list order, which mark the place after the list has changed
  readonly head: readonly Fingerprint[]; // the first rows when the read began: all rows before them are newer
  readonly aligned?: number; // rows of a page, if the server takes only multiples of the limit as offsets
  readonly clash?: true; // a page had two different rows with one key, of which only the first was emitted
};

/** Rows that mark each place: it is lost only if all of them are deleted. */
export const KEPT = 32;
/** Anchors that a page must show, because another row may have the key of one. */
const NEEDED = 2;
/** Pages searched on each side of the place where the anchors were. */
const REACH = 8;

/** A page that begins with an anchor. */
export interface Place<P> {
  readonly page: P;
  readonly offset: number; // of that anchor
  readonly end: number; // after the last anchor
}

/**
 * Looks for the place of a position near the offset where it was: there, one page after, one before, two after, … Returns the page there
 * from its first anchor on, because the interrupted read has emitted the rows before; null if the place is gone.
 */
export async function findPlace<P extends NumberedPage & { readonly rows: readonly unknown[] }>(
  { offset, anchors, aligned = 0 }: OffsetPosition,
  limit: number,
  { of }: Identities,
  request: (request: PageRequest) => Promise<P>,
): Promise<Place<P> | null> {
  const numbers = anchors.map(of);
  const wanted = new Set(numbers);
  const around = Math.max(0, offset - anchors.length);
  const requesting = {
    isAligned: aligned > 0,
    granted: aligned,
    isCounted: false,
    total: undefined,
    room: 0,
    idle: 0,
  };
  let largest = 0; // rows of a page
  for (let turn = 0; turn <= 2 * REACH; turn++) {
    // pages overlap, so that no two anchors fall between them
    const span = largest === 0 ? anchors.length : Math.max(1, largest - 1);
    const near = around + Math.ceil(turn / 2) * (turn % 2 === 0 ? -span : span);
    if (near < 0) continue;
    const page = await request(requestAt(requesting, near, limit));
    const { identities, rows } = page;
    const seen = identities.filter((identity) => wanted.has(identity)).length;
    if (seen >= Math.min(NEEDED, anchors.length)) {
      const first = identities.findIndex((identity) => wanted.has(identity));
      const from = page.offset + first;
      const count = rows.length - first;
      // such a page never ends the list: it looks short
      const cut = { offset: from, limit: count, total: undefined };
      const rest = { ...page, ...cut, rows: rows.slice(first), identities: identities.slice(first) };
      return {
        page: rest,
        offset: from,
        end: from + numbers.length - numbers.indexOf(identities[first] as Identity),
      };
    }
    largest = Math.max(largest, rows.length);
  }
  return null;
}

/** What the scan of a read has covered, from which a later read can go on. */
export interface Covering {
  head: readonly Identity[]; // its first rows
  anchors: readonly Identity[]; // its last rows
}

/** Adds rows that the scan has covered, in list order. */
export function extend(covering: Covering, rows: readonly Identity[]): void {
  covering.anchors = [...covering.anchors, ...rows.slice(-KEPT)].slice(-KEPT);
  if (covering.head.length < KEPT) covering.head = [...covering.head, ...rows.slice(0, KEPT)].slice(0, KEPT);
}
