import { inTurns, mapInSlices } from '../../rows/slices.ts';
import type { Identities, Identity } from '../identities.ts';

/** A page of an offset list, as it was received. */
export interface OffsetPage<R> {
  readonly rows: readonly R[];
  readonly total: number | undefined; // `totalCount`, if it is a count: a hint that is never relied on alone
  readonly bytes: number; // approximate size in memory
  readonly limit: number; // rows that were requested
  readonly hasCursor?: boolean; // the page has a `nextCursor`, so the list may be paged by cursor
  readonly refusal?: string; // the server refused the offset, in these words, instead of returning an empty page
}

/** Requests at most `limit` rows from an offset on; fewer if the server does not allow as many. */
export type FetchOffsetPage<R> = (
  offset: number,
  limit: number,
  signal: AbortSignal,
) => Promise<OffsetPage<R>>;

/** A page, and the offset at which it was requested. */
export interface RequestedPage<R> extends OffsetPage<R> {
  readonly offset: number;
}

/** A page whose rows are numbered: rows with the same key have the same number. */
export interface NumberedPage {
  readonly offset: number;
  readonly limit: number;
  readonly identities: readonly Identity[];
  readonly isKeyless: boolean; // some of its rows have no key, so that one whose text changes looks like another row
  readonly total: number | undefined;
  readonly refusal?: string;
}

/** Numbers the rows of a page by their keys. `keyOf` returns bytes for a row without a key: its text. */
export async function numbered<R, P extends OffsetPage<R>>(
  page: P,
  identities: Identities,
  keyOf: (row: R) => string | Buffer,
  signal: AbortSignal,
): Promise<P & Pick<NumberedPage, 'identities' | 'isKeyless'>> {
  let isKeyless = false;
  const numberOf = (row: R): Identity => {
    const key = keyOf(row);
    if (typeof key !== 'string') isKeyless = true;
    return identities.ofText(key);
  };
  const numbers = await inTurns(mapInSlices(page.rows, numberOf), signal);
  return { ...page, identities: numbers, isKeyless };
}
