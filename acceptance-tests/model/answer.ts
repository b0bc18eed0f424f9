/** A request that a list refuses. */
export interface Refusal {
  readonly status: number;
  readonly error: string;
}

/**
 * How many rows the page of this request has, of those that the page size grants (`granted`) and those that are left (`rest`). 0 makes an
 * empty page, fewer than granted a short one.
 */
export type PageSize = (granted: number, rest: number) => number;

/** A page as large as it can be. */
export const wholePage: PageSize = (granted) => granted;

export const isRefusal = (answer: object): answer is Refusal => 'status' in answer;

/** The index of the first of `length` rows, in order, from which on all rows match; `length` if none does. */
export function firstIndex(length: number, isMatch: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isMatch(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
