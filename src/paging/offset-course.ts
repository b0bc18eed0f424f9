import type { Identity } from './identities.ts';
import type { Ahead, AskedPage, PageWindow } from './offset-pages.ts';

/** An answer to a scan. */
export interface SeenPage<R> extends AskedPage<R> {
  readonly identities: readonly Identity[];
  /** Rows behind the last covered one; 0 on a page that is not tied. */
  readonly found: number;
  /** True for a head that shows none of the covered rows: all that it has may have come in just now. */
  readonly isUnknownHead: boolean;
  /** Most rows that a tied page has had, this one included. */
  readonly granted: number;
}

/** Rows remembered at least: where pages are small, one page would soon be out of sight. */
const REACH = 256;
/** Moves in one direction after which a list counts as steady. */
const STEADY = 3;
/** Requests after which pages overlap less again. */
const CALM_REQUESTS = 8;

/** Where a scan stands in a list that moves, and how the list moves. */
export type Course = ReturnType<typeof startCourse>;

export function startCourse(depth: number) {
  return {
    /** The last covered rows, in the list's order. */
    rows: [] as readonly Identity[],
    /** Offset behind the last of them when they were seen last, and the number of the request that showed them. */
    end: 0,
    request: 0,
    /** By how many rows each request moved them; the latest ones. */
    moves: [] as readonly number[],
    /** Tied pages in a row that showed none of `rows`, and so not how the list moves now. */
    lost: 0,
    /** Rows by which the scan stepped back last, 0 unless it has lost what is covered. */
    stepBack: 0,
    /** Rows that neighbouring pages share, and pages that are asked for ahead at most: bolder the calmer the list is. */
    overlap: 1,
    depth,
  };
}

/** After a page without a tie: rows vanished ahead, so it goes back, twice as far each time, and overlaps more. */
export function steppedBack(course: Course, granted: number): Course {
  const { overlap, depth, stepBack } = course;
  return {
    ...course,
    overlap: Math.max(overlap, Math.min(overlap * 2, granted >> 1)),
    depth: depth >> 1,
    stepBack: Math.max(stepBack * 2, overlap, granted >> 2),
  };
}

/** After a tied page: a row that both the course and the page know says how far the list has moved between the two. */
export function movedOn(course: Course, page: SeenPage<unknown>, deepest: number): Course {
  const { offset, request, identities, found, isUnknownHead, granted } = page;
  const { overlap, depth } = course;
  const now = {
    request,
    end: offset + identities.length,
    overlap: request % CALM_REQUESTS === 0 ? Math.max(1, overlap >> 1) : overlap,
    depth: found > 0 && !isUnknownHead ? Math.min(deepest, Math.max(1, depth * 2)) : depth >> 1,
    stepBack: 0,
  };
  const index = course.rows.findLastIndex((identity) => identities.includes(identity));
  if (index === -1) return { ...course, ...now, rows: identities, lost: course.lost + 1 };
  const at = identities.lastIndexOf(course.rows[index] ?? -1);
  const left = course.rows.length - 1 - index;
  const moved = offset + at + 1 + left - course.end;
  const moves = [...course.moves, moved / Math.max(1, request - course.request)].slice(-STEADY);
  // the rest need not lie behind the page if new rows do, if it is short, or if nothing known stood further on
  const showsEnd = left === 0 || found > 0 || identities.length < granted || course.stepBack > 0;
  if (!showsEnd) return { ...course, ...now, end: course.end + moved, moves, lost: 0 };
  const rows = [...course.rows.slice(0, index + 1), ...identities.slice(at + 1)];
  return { ...now, rows: rows.slice(-Math.max(REACH, identities.length)), moves, lost: 0 };
}

/**
 * Where to ask after a tied page, and what to ask for ahead, which moves a restless list on for nothing unless the page found
 * something. Where it may be the end, its last row is aimed at: a page that is cut short could end there again and again.
 */
export function aim(
  course: Course,
  { request, rows: { length }, total, found, isUnknownHead, granted }: SeenPage<unknown>,
  { most, mayEnd }: { most: number; mayEnd: boolean },
  window: Pick<PageWindow<unknown>, 'next' | 'asked'>,
): { readonly offset: number; readonly ahead: Ahead } {
  // either many rows came in, or all that was known is gone: the next page is sought behind this one and within it by turns
  const isSought = isUnknownHead && course.lost % 4 > 1;
  const back = isSought ? length : found > 0 ? Math.min(course.overlap, length) : 1;
  const slack = mayEnd ? 0 : granted >> 2;
  const next = aimAt(course, request + 1, back, slack);
  const stride = granted - course.overlap + next - (course.end - back);
  // as many as can be asked for before the list has moved by half of a stride
  const inReach = Math.floor(stride / (2 * Math.max(0, ...course.moves.map(Math.abs))));
  return {
    // what has been asked for ahead was asked for in time; else the list moves on with every request that was
    offset: window.next() === next ? next : aimAt(course, window.asked() + 1, back, slack),
    ahead:
      found > 0 && !isUnknownHead && stride > 0
        ? { stride, end: total ?? Number.POSITIVE_INFINITY, most: Math.min(course.depth, most, inReach) }
        : null,
  };
}

/**
 * Where to ask with `request` so that the page begins `back` rows before the end of the course, or up to `slack` more: a
 * steady list has moved by then, and a page that begins too far on would be lost.
 */
function aimAt({ end, moves, ...course }: Course, request: number, back: number, slack: number): number {
  const [first = 0] = moves;
  const isSteady = moves.length === STEADY && moves.every((move) => move * first > 0);
  // while nothing shows how it moves, what it did before is believed every other time, or it might lead astray for ever
  const isBelieved = isSteady && course.lost % 2 === 0;
  const least = isBelieved ? Math.sign(first) * Math.min(...moves.map(Math.abs)) : 0;
  const move = least * (request - course.request);
  const kept = move > 0 ? Math.max(0, move - slack) : Math.min(0, move + back - 1);
  return Math.max(0, Math.floor(end - back + kept));
}
