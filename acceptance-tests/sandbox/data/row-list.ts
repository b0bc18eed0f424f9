/** A row to be born: its place among the rows present before the change, its number and its created time. */
export interface Birth {
  place: number;
  row: number;
  createdMicros: number;
}

/** A row that is gone, the marks between which it lived, and how many newer rows there were just before it went. */
export interface DeadRow {
  row: number;
  createdMicros: number;
  birth: number;
  death: number;
  newer: number;
}

/** Copies of the living rows' columns, safe while the list goes on changing. */
export interface Columns {
  rows: Uint32Array;
  created: Float64Array;
  births: Uint32Array;
}

/**
 * A list of rows, oldest created first, held as columns of numbers (16 bytes a row). Every row knows the mark of its
 * birth, and a deleted one that of its death, so that what lived when can be told later.
 */
export interface RowList {
  size(): number;
  /** Changes whenever the list does. */
  version(): number;
  row(index: number): number;
  createdMicros(index: number): number;
  /** The mark with which the row came in. */
  birth(index: number): number;
  /** The index of a row number, or -1. O(n). */
  indexOfRow(row: number): number;
  /** The first index whose (created, row) is not below the given pair. O(log n). */
  lowerIndex(createdMicros: number, row: number): number;
  /** Adds rows; `births` ascend by place, and created times fit the places. */
  insert(births: readonly Birth[], mark: number): void;
  /** Removes the rows at the given ascending, distinct indexes. */
  remove(indexes: readonly number[], mark: number): void;
  copy(): Columns;
  dead(): readonly DeadRow[];
}

/** A list that starts with rows 0 to `count` - 1, created at the ascending times that `createdOf` gives. */
export function createRowList(count: number, createdOf: (row: number) => number): RowList {
  let rows = new Uint32Array(count + 16);
  let created = new Float64Array(count + 16);
  let births = new Uint32Array(count + 16);
  let size = count;
  let version = 0;
  const dead: DeadRow[] = [];
  for (let row = 0; row < count; row += 1) {
    rows[row] = row;
    created[row] = createdOf(row);
  }

  function reserve(wanted: number): void {
    if (wanted <= rows.length) return;
    const capacity = Math.max(wanted, rows.length * 2);
    rows = grown(rows, new Uint32Array(capacity));
    created = grown(created, new Float64Array(capacity));
    births = grown(births, new Uint32Array(capacity));
  }

  function move(target: number, from: number, to: number): void {
    rows.copyWithin(target, from, to);
    created.copyWithin(target, from, to);
    births.copyWithin(target, from, to);
  }

  return {
    size: () => size,
    version: () => version,
    row: (index) => rows[index] ?? 0,
    createdMicros: (index) => created[index] ?? 0,
    birth: (index) => births[index] ?? 0,
    indexOfRow: (row) => rows.subarray(0, size).indexOf(row),
    lowerIndex: (createdMicros, row) => {
      let low = 0;
      let high = size;
      while (low < high) {
        const middle = (low + high) >>> 1;
        const time = created[middle] ?? 0;
        if (time < createdMicros || (time === createdMicros && (rows[middle] ?? 0) < row)) low = middle + 1;
        else high = middle;
      }
      return low;
    },
    insert: (added, mark) => {
      reserve(size + added.length);
      // From the back, so that every row moves once.
      let end = size;
      for (const [before, birth] of [...added.entries()].toReversed()) {
        move(birth.place + before + 1, birth.place, end);
        rows[birth.place + before] = birth.row;
        created[birth.place + before] = birth.createdMicros;
        births[birth.place + before] = mark;
        end = birth.place;
      }
      size += added.length;
      version += 1;
    },
    remove: (indexes, mark) => {
      for (const [before, index] of indexes.entries()) {
        dead.push({
          row: rows[index] ?? 0,
          createdMicros: created[index] ?? 0,
          birth: births[index] ?? 0,
          death: mark,
          newer: size - 1 - index,
        });
        move(index - before, index + 1, indexes[before + 1] ?? size);
      }
      size -= indexes.length;
      version += 1;
    },
    copy: () => ({
      rows: rows.slice(0, size),
      created: created.slice(0, size),
      births: births.slice(0, size),
    }),
    dead: () => dead,
  };
}

function grown<T extends Uint32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
