import type { Identity } from '../identities.ts';

/** Lines of one page that show a row again, at most, by row: services that join tables list a row several times, and count its lines. */
export type RepeatedLines = Map<Identity, number>;

/** Counts the lines of a page that show a row again with the same text. */
export function countLines<R>(
  lines: RepeatedLines,
  { identities, rows }: { readonly identities: readonly Identity[]; readonly rows: readonly R[] },
  isSame: (one: R, other: R) => boolean,
): void {
  const first = new Map<Identity, number>();
  const again = new Map<Identity, number>();
  for (const [index, identity] of identities.entries()) {
    const before = first.get(identity);
    if (before === undefined) first.set(identity, index);
    else if (isSame(rows[before] as R, rows[index] as R)) again.set(identity, (again.get(identity) ?? 0) + 1);
  }
  for (const [identity, count] of again) lines.set(identity, Math.max(count, lines.get(identity) ?? 0));
}

/** Returns how many lines show a row again. */
export function repeatedLines(lines: RepeatedLines): number {
  let sum = 0;
  for (const count of lines.values()) sum += count;
  return sum;
}
