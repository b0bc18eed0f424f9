import type { Identity } from '../identities.ts';

/** Rows of one page that have the key of an earlier row of that page. */
export interface EqualKeys<R> {
  readonly copies: ReadonlyMap<Identity, number>; // for each row, how many more times its text is on the page
  readonly clash: R | undefined; // a row that has the key of a different one
}

/** Finds rows of a page that have the same key: the page shows one moment, so they are either copies of one row or different rows. */
export function equalKeys<R>(
  rows: readonly R[],
  identities: readonly Identity[],
  isSame: (one: R, other: R) => boolean,
): EqualKeys<R> {
  const copies = new Map<Identity, number>();
  let clash: R | undefined;
  if (new Set(identities).size === identities.length) return { copies, clash };
  const texts = new Map<Identity, { readonly row: R; more: number }[]>();
  for (const [index, row] of rows.entries()) {
    const identity = identities[index] as Identity;
    const earlier = texts.get(identity) ?? [];
    const same = earlier.find((text) => isSame(text.row, row));
    if (same === undefined) {
      if (earlier.length > 0) clash ??= row;
      texts.set(identity, [...earlier, { row, more: 0 }]);
    } else {
      same.more++;
      copies.set(identity, Math.max(same.more, copies.get(identity) ?? 0));
    }
  }
  return { copies, clash };
}
