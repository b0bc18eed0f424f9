import type { Identity } from './identities.ts';
import type { Ahead, PageWindow } from './offset-pages.ts';

/** Where a scan stands in a list that moves, and how the list moves. */
export interface Course {
  /** The last covered rows, in the list's order. */
  readonly rows: readonly Identity[];
  /** Offset behind the last of them, when they were seen last. */
  readonly end: number;
  /** The request that showed them, counted in the order of asking. */
  readonly request: number;
  /** By how many rows each request moved them; the latest ones. */
  readonly moves: readonly number[];
  /** Rows that neighbouring pages share, and pages that are asked for ahead at most: it goes the bolder the calmer the list is. */
  readonly overlap: number;
  readonly depth: number;
  /** Pages that may ever be asked for ahead. */
  readonly deepest: number;
  /** Tied pages since the tie was missing last. */
  readonly calm: number;
  /** Tied pages in a row that showed none of `rows`, and so not how the list moves now. */
  readonly lost: number;
  /** Rows by which the scan stepped back last, 0 unless it has lost what is covered. */
  readonly stepBack: number;
  readonly unknownHeads: number;
}

/** An answer to a scan. */
export interface SeenPage<R> {
  readonly offset: number;
  readonly request: number;
  readonly rows: readonly R[];
  readonly identities: readonly Identity[];
  readonly total: number | undefined;
  /** True if it is tied to what is covered, and has rows behind the last covered one. */
  readonly isNews: boolean;
  /** True if it is the head, and shows none of the rows that are covered. */
  readonly isUnknownHead: boolean;
  /** Rows behind covered ones: those of a head that shows none of them may all have come in just now. */
  readonly found: number;
  /** Most rows that a tied page has had, this one included. */
  readonly granted: number;
}

/** Rows remembered at least: where pages are small, one page would soon be out of sight. */
const REACH = 256;
/** Moves in one direction after which a list counts as steady. */
const STEADY = 3;
/** Tied pages in a row after which pages overlap less again. */
const CALM_PAGES = 8;

export function firstCourse(deepest: number): Course {
  const nowhere = { rows: [], end: 0, request: 0, moves: [], calm: 0, lost: 0, stepBack: 0, unknownHeads: 0 };
  return { ...nowhere, overlap: 1, depth: deepest, deepest };
}

/** After a page without a tie: rows vanished ahead, so it goes back, twice as far each time, and overlaps more. */
export function steppedBack(course: Course, granted: number): Course {
  const { overlap, depth, stepBack } = course;
  return {
    ...course,
    overlap: Math.max(overlap, Math.min(overlap * 2, granted >> 1)),
    depth: depth >> 1,
    calm: 0,
    stepBack: Math.max(stepBack * 2, overlap, granted >> 2),
  };
}

/** After a tied page. */
export function movedOn(course: Course, page: SeenPage<unknown>): Course {
  const { overlap, depth, deepest, unknownHeads } = course;
  const calm = course.calm + 1;
  return {
    ...followed(course, page),
    overlap: calm % CALM_PAGES === 0 ? Math.max(1, overlap >> 1) : overlap,
    calm,
    depth: page.found > 0 ? Math.min(deepest, Math.max(1, depth * 2)) : depth >> 1,
    stepBack: 0,
    unknownHeads: unknownHeads + (page.isUnknownHead ? 1 : 0),
  };
}

/** A row that both the course and the page know says how far the list has moved between the two. */
function followed(course: Course, page: SeenPage<unknown>): Course {
  const { offset, request, identities, isNews, granted } = page;
  const end = offset + identities.length;
  const places = new Map(identities.map((identity, place) => [identity, place]));
  const index = course.rows.findLastIndex((identity) => places.has(identity));
  if (index === -1) return { ...course, rows: identities, end, request, lost: course.lost + 1 };
  const at = places.get(course.rows[index] ?? 0) ?? 0;
  const left = course.rows.length - 1 - index;
  const moved = offset + at + 1 + left - course.end;
  const moves = [...course.moves, moved / Math.max(1, request - course.request)].slice(-STEADY);
  // the rest need not lie behind the page if new rows do, if it is short, or if nothing known stood further on
  const showsEnd = isNews || identities.length < granted || course.stepBack > 0;
  if (left > 0 && !showsEnd) return { ...course, end: course.end + moved, request, moves, lost: 0 };
  const rows =
    identities.length >= REACH
      ? identities
      : [...course.rows.slice(0, index + 1), ...identities.slice(at + 1)].slice(-REACH);
  return { ...course, rows, end, request, moves, lost: 0 };
}

/**
 * Where to ask after a tied page, and what to ask for ahead. Where it may be the end, its last row is aimed at: a page that
 * is cut short could end there again and again. Asking ahead pays where the page found something, and moves a restless list
 * on for nothing where not.
 */
export function aim(
  course: Course,
  page: SeenPage<unknown>,
  { total, most, mayEnd }: { total: number | undefined; most: number; mayEnd: boolean },
  window: Pick<PageWindow<unknown>, 'next' | 'asked'>,
): { readonly offset: number; readonly ahead: Ahead } {
  const { isNews, isUnknownHead, granted } = page;
  // either many rows came in, or all that was known is gone: the next page is sought behind this one and within it by turns
  const isSought = isUnknownHead && course.unknownHeads % 2 === 0;
  const back = isSought ? page.rows.length : isNews ? Math.min(course.overlap, page.rows.length) : 1;
  const slack = mayEnd ? 0 : granted >> 2;
  const next = aimAt(course, page.request + 1, back, slack);
  const stride = granted - course.overlap + next - (course.end - back);
  // as many as can be asked for before the list has moved by half of a stride
  const inReach = Math.floor(stride / (2 * Math.max(0, ...course.moves.map(Math.abs))));
  return {
    // what has been asked for ahead was asked for in time; else the list moves on with every request that was
    offset: window.next() === next ? next : aimAt(course, window.asked() + 1, back, slack),
    ahead:
      page.found > 0 && stride > 0
        ? { stride, end: total ?? Number.POSITIVE_INFINITY, most: Math.min(course.depth, most, inReach) }
        : null,
  };
}

/**
 * Where to ask with `request` so that the page begins `back` rows before the end of the course, or somewhat more: a steady
 * list has moved by then, and a page that begins too far on would be lost. `slack` rows of a page may go for that.
 */
function aimAt({ end, moves, ...course }: Course, request: number, back: number, slack: number): number {
  // while nothing shows how it moves, what it did before is believed every other time, or it might lead astray for ever
  const move = course.lost % 2 === 1 ? 0 : steadyMove(moves) * (request - course.request);
  const kept = move > 0 ? Math.max(0, move - slack) : Math.min(0, move + back - 1);
  return Math.max(0, Math.floor(end - back + kept));
}

/** By how many rows each request moves the list at least; 0 where it moves now this way, now that way. Positive: on. */
function steadyMove(moves: readonly number[]): number {
  const [first = 0] = moves;
  if (moves.length < STEADY || !moves.every((move) => move * first > 0)) return 0;
  return Math.sign(first) * Math.min(...moves.map(Math.abs));
}
