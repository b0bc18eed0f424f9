import type { Identity } from './identities.ts';

/** The last covered rows of a list that moves, in its order, and where they stood when they were seen last. */
export interface Trail {
  readonly rows: readonly Identity[];
  /** Offset behind the last of them. */
  readonly end: number;
  /** The request that showed them, counted in the order of asking. */
  readonly request: number;
  /** By how many rows each request moved them; the latest ones. */
  readonly moves: readonly number[];
}

/** A page that is tied to what is covered. */
export interface Sighting {
  readonly offset: number;
  readonly request: number;
  readonly identities: readonly Identity[];
  /**
   * True if the rest of the trail need not lie behind the page: new rows do, or the page is short, or nothing that was
   * known stood further on.
   */
  readonly showsEnd: boolean;
}

export const NO_TRAIL: Trail = { rows: [], end: 0, request: 0, moves: [] };

/** Rows remembered at least: where pages are small, one page would soon be out of sight. */
const REACH = 256;
/** Moves in one direction after which a list counts as steady. */
const STEADY = 3;

/** The trail after another page: a row that both know says how far the list has moved between the two. */
export function followed(trail: Trail, { offset, request, identities, showsEnd }: Sighting): Trail {
  const end = offset + identities.length;
  const known = lastKnown(trail.rows, identities);
  if (known === null) return { ...trail, rows: identities, end, request };
  const { at, index } = known;
  const left = trail.rows.length - 1 - index;
  const moved = offset + at + 1 + left - trail.end;
  const moves = [...trail.moves, moved / Math.max(1, request - trail.request)].slice(-STEADY);
  if (left > 0 && !showsEnd) return { ...trail, end: trail.end + moved, request, moves };
  const rows =
    identities.length >= REACH
      ? identities
      : [...trail.rows.slice(0, index + 1), ...identities.slice(at + 1)].slice(-REACH);
  return { rows, end, request, moves };
}

/** The last row of a trail that a page shows: its index in the trail, and where it stands in the page. */
function lastKnown(
  rows: readonly Identity[],
  identities: readonly Identity[],
): { readonly index: number; readonly at: number } | null {
  const last = rows.length - 1;
  if (last >= 0 && identities[0] === rows[last]) return { index: last, at: 0 };
  const places = new Map(identities.map((identity, at) => [identity, at]));
  const index = rows.findLastIndex((identity) => places.has(identity));
  return index === -1 ? null : { index, at: places.get(rows[index] ?? 0) ?? 0 };
}

/**
 * Where to ask with `request` so that the page begins `back` rows before the end of the trail, or somewhat more: a steady
 * list has moved by then, and a page that begins too far on would be lost. `slack` rows of a page may go for that.
 */
export function aimAt(trail: Trail, request: number, back: number, slack: number): number {
  const move = steadyMove(trail.moves) * (request - trail.request);
  const kept = move > 0 ? Math.max(0, move - slack) : Math.min(0, move + back - 1);
  return Math.max(0, Math.floor(trail.end - back + kept));
}

/** By how many rows each request moves the list at least; 0 where it moves now this way, now that way. Positive: on. */
function steadyMove(moves: readonly number[]): number {
  const [first = 0] = moves;
  if (moves.length < STEADY || !moves.every((move) => move * first > 0)) return 0;
  return Math.sign(first) * Math.min(...moves.map(Math.abs));
}

/** Pages a `stride` apart that can be asked for ahead before the list has moved by half of that. */
export function pagesInReach({ moves }: Trail, stride: number): number {
  return Math.floor(stride / (2 * Math.max(0, ...moves.map(Math.abs))));
}
