/** A world's sequence of changes: every change of its rows is one step. */
export interface Marks {
  current(): number;
  /** Takes the next step. */
  next(): number;
}

/** A sequence at its beginning: the first rows are born at mark 0. */
export function createMarks(): Marks {
  let mark = 0;
  return {
    current: () => mark,
    next: () => {
      mark += 1;
      return mark;
    },
  };
}
