/** A page of an offset list as paging sees it. */
export interface OffsetPage<R> {
  readonly rows: readonly R[];
  /** `totalCount` where it is a count; a hint and a witness, never the guide (API document 2.6). */
  readonly total: number | undefined;
  /** What it takes in memory, about. */
  readonly bytes: number;
}

export type FetchOffsetPage<R> = (offset: number, signal: AbortSignal) => Promise<OffsetPage<R>>;

/** Why rows cannot be known again in another answer, in words for a person; null if they can. */
export type WhyStrange<R> = (rows: readonly R[]) => string | null;
