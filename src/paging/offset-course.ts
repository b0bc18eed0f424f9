import type { Identity } from './identities.ts';
import type { AskedPage, PageWindow } from './offset-pages.ts';

/** An answer to a scan. */
export interface SeenPage<R> extends AskedPage<R> {
  readonly identities: readonly Identity[];
  /** It begins at offset 0 or holds a covered row. */
  readonly isTied: boolean;
  /** Rows behind the last covered one; 0 on a page that is not tied. */
  readonly found: number;
  /** True for a head that shows none of the covered rows: all that it has may have come in just now. */
  readonly isUnknownHead: boolean;
  /** Most rows that a tied page has had, this one included. */
  readonly granted: number;
}

/** Rows remembered at least: where pages are small, one page would soon be out of sight. */
const REACH = 256;
/** Requests after which pages overlap less again. */
const CALM_REQUESTS = 8;

/** From where on boldness doubles: a list that has become calm is soon read as fast as before, however restless it was. */
const LEAST_BOLD = 1 / 64;

/** Where a scan stands in a list that moves, and how the list moves. */
export type Course = Readonly<typeof START>;

export const START = {
  /** The last covered rows, in the list's order. */
  rows: [] as readonly Identity[],
  /** Offset behind the last of them when they were seen last, and the number of the request that showed them. */
  end: 0,
  request: 0,
  /** By how many rows each request moved them, the latest times; it is steady if all go one way. */
  moves: [0, 0, 0] as readonly number[],
  /** Tied pages in a row that showed none of `rows`, and so not how the list moves now. */
  lost: 0,
  /** Heads that showed none of the covered rows. */
  unknownHeads: 0,
  /** Rows by which the scan stepped back last, 0 unless it has lost what is covered. */
  stepBack: 0,
  /** Rows that neighbouring pages share, and how much of what may be asked for ahead is: bolder the calmer the list is. */
  overlap: 1,
  boldness: 1,
};

/** After a page without a tie: rows vanished ahead, so it goes back, twice as far each time, and overlaps more. */
export function steppedBack(course: Course, granted: number): Course {
  const { overlap, boldness, stepBack } = course;
  return {
    ...course,
    overlap: Math.max(overlap, Math.min(overlap * 2, granted >> 1)),
    boldness: boldness / 2,
    stepBack: Math.max(stepBack * 2, overlap, granted >> 2),
  };
}

/** After a tied page: a row that both the course and the page know says how far the list has moved between the two. */
export function movedOn(course: Course, page: SeenPage<unknown>): Course {
  const { offset, request, identities, found, isUnknownHead, granted } = page;
  const { overlap, boldness } = course;
  const now = {
    request,
    end: offset + identities.length,
    overlap: request % CALM_REQUESTS === 0 ? Math.max(1, overlap >> 1) : overlap,
    boldness: found > 0 && !isUnknownHead ? Math.min(1, 2 * Math.max(boldness, LEAST_BOLD)) : boldness / 2,
    unknownHeads: course.unknownHeads + (isUnknownHead ? 1 : 0),
    stepBack: 0,
  };
  const shown = new Set(identities);
  const index = course.rows.findLastIndex((identity) => shown.has(identity));
  if (index === -1) return { ...course, ...now, rows: identities, lost: course.lost + 1 };
  const at = identities.lastIndexOf(course.rows[index] ?? -1);
  const left = course.rows.length - 1 - index;
  const moved = offset + at + 1 + left - course.end;
  const moves = [...course.moves.slice(1), moved / Math.max(1, request - course.request)];
  // the rest need not lie behind the page if new rows do, if it is short, or if nothing known stood further on
  const showsEnd = left === 0 || found > 0 || identities.length < granted || course.stepBack > 0;
  if (!showsEnd) return { ...course, ...now, end: course.end + moved, moves, lost: 0 };
  const rows = [...course.rows.slice(0, index + 1), ...identities.slice(at + 1)];
  return { ...now, rows: rows.slice(-Math.max(REACH, identities.length)), moves, lost: 0 };
}

/**
 * Where to ask after a tied page, and what to ask for ahead: at most `most` pages, fewer the less calm the list is, and none
 * after a page that found nothing, since each request moves a restless list on.
 */
export function aim(
  course: Course,
  page: SeenPage<unknown>,
  { most, slack }: { readonly most: number; readonly slack: number },
  window: Pick<PageWindow<unknown>, 'next' | 'asked'>,
) {
  const back = sharedRows(course, page);
  const pace = paceOf(course);
  /** `back` rows before the end of the course, or up to `slack` more: a page that begins too far on would be lost. */
  const placeAt = (request: number): number => {
    const move = pace * (request - page.request);
    const kept = move > 0 ? Math.max(0, move - slack) : Math.min(0, move + back - 1);
    return Math.max(0, Math.floor(course.end - back + kept));
  };
  const next = placeAt(page.request + 1);
  const stride = page.granted - course.overlap + next - (course.end - back);
  const mayAsk = page.found > 0 && !page.isUnknownHead && stride > 0;
  return {
    // what has been asked for ahead was asked for in time; else the list moves on with every request that was
    offset: window.next() === next ? next : placeAt(window.asked() + 1),
    ahead: mayAsk ? { stride, end: page.total ?? Infinity, most: depthOf(course, stride, most) } : null,
  };
}

/** Rows of a page that the next one shows again. */
function sharedRows({ unknownHeads, overlap }: Course, { rows, found, isUnknownHead }: SeenPage<unknown>) {
  // either many rows came in, or all that was known is gone: the next page is sought after this one and within it by turns
  if (isUnknownHead && unknownHeads % 2 === 0) return rows.length;
  return found > 0 ? Math.min(overlap, rows.length) : 1;
}

/** Rows by which each request moves the list at least; 0 if it is not steady. */
function paceOf({ moves, lost }: Course): number {
  // while nothing shows how it moves, what it did before is believed every other time, or it might lead astray for ever
  if (lost % 2 !== 0) return 0;
  return Math.max(0, Math.min(...moves)) + Math.min(0, Math.max(...moves));
}

/** How many pages can be asked for before the list has moved by half of a stride. */
function depthOf({ moves, boldness }: Course, stride: number, most: number): number {
  const fastest = Math.max(...moves.map(Math.abs));
  return Math.floor(fastest === 0 ? most * boldness : Math.min(most * boldness, stride / (2 * fastest)));
}
