/** A row that is gone, and the marks between which it lived. */
export interface DeadRow {
  row: number;
  createdMicros: number;
  birth: number;
  death: number;
}

/**
 * A list of rows, oldest created first, held as columns of numbers (16 bytes a row, so that millions fit). Every row knows
 * the mark of its birth, and a deleted one that of its death, so that what lived when can be told later. It starts with
 * rows 0 to `count` - 1, created at the ascending times that `createdOf` gives.
 */
export type RowList = ReturnType<typeof createRowList>;

export function createRowList(count: number, createdOf: (row: number) => number) {
  let rows = Uint32Array.from({ length: count }, (_, row) => row);
  let created = Float64Array.from({ length: count }, (_, row) => createdOf(row));
  let births = new Uint32Array(count);
  const dead: DeadRow[] = [];
  const row = (index: number): number => rows[index] ?? 0;
  const createdMicros = (index: number): number => created[index] ?? 0;
  /** The mark with which the row came in. */
  const birth = (index: number): number => births[index] ?? 0;

  /** The first place at or after which no row is below the pair of created time and row number. O(log n). */
  function lowerIndex(time: number, number: number): number {
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const difference = createdMicros(middle) - time || row(middle) - number;
      if (difference >= 0) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  return {
    size: () => rows.length,
    row,
    createdMicros,
    birth,
    lowerIndex,
    /** Adds rows from a number on, each where its created time belongs; the times ascend. */
    insert: (firstRow: number, times: readonly number[], mark: number) => {
      const places = times.map((time) => lowerIndex(time, Number.POSITIVE_INFINITY));
      rows = spliced(rows, places, (at) => firstRow + at);
      created = spliced(created, places, (at) => times[at] ?? 0);
      births = spliced(births, places, () => mark);
    },
    /** Removes the rows at the given ascending, distinct indexes. */
    remove: (indexes: readonly number[], mark: number) => {
      const gone = new Set(indexes);
      for (const index of indexes)
        dead.push({ row: row(index), createdMicros: createdMicros(index), birth: birth(index), death: mark });
      const stays = (_: number, index: number): boolean => !gone.has(index);
      rows = rows.filter(stays);
      created = created.filter(stays);
      births = births.filter(stays);
    },
    /** The columns of the living rows as they are now: a change makes new ones. */
    columns: () => ({ rows, created, births }),
    dead: (): readonly DeadRow[] => dead,
  };
}

/** A copy with values put in before the given ascending places of the original. */
function spliced<T extends Uint32Array | Float64Array>(
  from: T,
  places: readonly number[],
  valueAt: (at: number) => number,
): T {
  const to = new (from.constructor as new (length: number) => T)(from.length + places.length);
  let copied = 0;
  for (const [at, place] of places.entries()) {
    to.set(from.subarray(copied, place), copied + at);
    to[place + at] = valueAt(at);
    copied = place;
  }
  to.set(from.subarray(copied), copied + places.length);
  return to;
}
