const MAX_EDITS = 2;

/** Returns the known name that a misspelled one most likely means: at most two edits away, in any case; null if there is none. */
export function nearName(name: string, known: readonly string[]): string | null {
  const allowed = Math.min(MAX_EDITS, Math.ceil(name.length / 2) - 1);
  const near = known
    .map((each) => ({ each, edits: editsBetween(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ edits }) => edits <= allowed)
    .toSorted((a, b) => a.edits - b.edits);
  return near[0]?.each ?? null;
}

/** Returns the known name that the first misspelled one of several names most likely means; null if there is none. */
export function firstNearName(names: readonly string[], known: readonly string[]): string | null {
  return names.map((name) => nearName(name, known)).find((near) => near !== null) ?? null;
}

/** The characters to insert, delete or replace (Levenshtein distance); Infinity if the lengths differ by more than `MAX_EDITS`. */
function editsBetween(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > MAX_EDITS) return Infinity;
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let line = 0; line < from.length; line++) {
    const next = [line + 1];
    for (let index = 0; index < to.length; index++) {
      const replaced = (row[index] ?? 0) + (from[line] === to[index] ? 0 : 1);
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
