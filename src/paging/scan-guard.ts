import { configError, transientError } from '../errors.ts';
import type { Identity } from './identities.ts';
import type { WhyStrange } from './offset-page.ts';

/** An answer as the guard sees it. */
export interface GuardedPage<R> {
  readonly offset: number;
  readonly rows: readonly R[];
  readonly identities: readonly Identity[];
  /** Rows behind a covered one that were not covered before. */
  readonly found: number;
  /** True if it is the head, and shows none of the rows that are covered. */
  readonly isUnknownHead: boolean;
  /** Most rows that a page has had. */
  readonly granted: number;
}

/** Ends a scan that would not come to an end by itself. */
export interface ScanGuard<R> {
  /**
   * Takes note of an answer; true if the pages asked for further on were the first page again, time after time, so that
   * one `FAR` times as far must be looked at.
   *
   * @throws transient_error LIST_UNSTABLE beyond 100 answers, and 16 for each page that the rows found would fill
   * @throws config_error PAGES_UNUSABLE if rows cannot be known again
   */
  readonly isDoubtful: (page: GuardedPage<R>) => boolean;
  /** @throws config_error PAGES_UNUSABLE if the page that was looked at far on is the first page again */
  readonly far: (identities: readonly Identity[]) => void;
}

export const FAR = 100;

const SPARE_ANSWERS = 100;
const ANSWERS_PER_PAGE = 16;
/** Times that the head may show no row that is known; and where rows may be strange to themselves. */
const UNKNOWN_HEADS = 16;
const UNKNOWN_HEADS_OF_STRANGERS = 3;
const SAME_PAGES = 3;

/**
 * Progress is what is found behind covered rows: neither a head that keeps growing nor rows that cannot be told apart
 * count as such.
 */
export function createScanGuard<R>(whyStrange: WhyStrange<R>): ScanGuard<R> {
  let head: readonly Identity[] = [];
  let answers = 0;
  let found = 0;
  let unknownHeads = 0;
  let samePages = 0;
  let furthest = 0;
  /** Answers since the scan came further down the list than before. */
  let idle = 0;
  const isHeadAgain = (identities: readonly Identity[]): boolean =>
    identities.length === head.length && identities.every((identity, index) => identity === head[index]);
  return {
    isDoubtful: (page) => {
      const { offset, identities, granted } = page;
      const end = offset + identities.length;
      answers++;
      found += page.found;
      if (page.isUnknownHead) unknownHeads++;
      idle = end > furthest ? 0 : idle + 1;
      furthest = Math.max(furthest, end);
      const why =
        idle > SPARE_ANSWERS || unknownHeads > UNKNOWN_HEADS_OF_STRANGERS ? whyStrange(page.rows) : null;
      if (why !== null) throw configError('PAGES_UNUSABLE', why);
      const pages = Math.ceil(found / Math.max(1, granted - 1));
      if (answers > SPARE_ANSWERS + ANSWERS_PER_PAGE * pages || unknownHeads > UNKNOWN_HEADS)
        throw restless(answers, granted);
      if (offset === 0) head = identities;
      samePages = offset > 0 && identities.length > 0 && isHeadAgain(identities) ? samePages + 1 : 0;
      return samePages === SAME_PAGES;
    },
    far: (identities) => {
      if (isHeadAgain(identities))
        throw configError(
          'PAGES_UNUSABLE',
          'the server shows the first page whatever the offset, so that nothing behind it can be read. Check base_url ' +
            'and what stands between (a proxy may drop the query); else whoever runs the API has to mend it.',
        );
    },
  };
}

function restless(answers: number, granted: number): Error {
  return granted === 1
    ? configError(
        'PAGES_UNUSABLE',
        'the server grants pages of a single row, which cannot be tied to one another; ask for its page size to be raised.',
      )
    : transientError(
        'LIST_UNSTABLE',
        `the list changes faster than it can be read: ${answers} answers did not reach its end. Try again at a quieter ` +
          `time, or with a larger page_size.`,
        null,
      );
}
