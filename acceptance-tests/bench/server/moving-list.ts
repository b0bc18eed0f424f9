/** A list of row numbers, newest first, that moves while it is read: always at the same requests. */
export interface MovingList {
  /** A request for rows, and what the list answers; behind it the list moves. */
  readonly page: (offset: number, limit: number) => readonly number[];
  readonly size: () => number;
  /** Rows that have been there from the start until now, and all that ever were. */
  readonly truth: () => { readonly throughout: readonly number[]; readonly ever: number };
}

/** Requests between two moves. */
const CALM = 3;
/** Moves after which the list stands still, so that every reader comes to an end. */
const MOVES = 60;
const DELETED = 7;
const INSERTED = 3;

/**
 * A list of `rows` rows. Every third request is followed by a move: rows are deleted in the part that has been read, and
 * at the next move rows come in at the head. A reader that counts offsets loses rows by the one, and doubles by the other.
 */
export function createMovingList(rows: number): MovingList {
  const list = Array.from({ length: rows }, (_, index) => rows - 1 - index);
  let next = rows;
  let requests = 0;
  let moves = 0;
  const move = (readUpTo: number): void => {
    moves++;
    if (moves % 2 === 0) for (let born = 0; born < INSERTED; born++) list.unshift(next++);
    else list.splice(Math.floor(readUpTo / 2), DELETED);
  };
  return {
    page: (offset, limit) => {
      const found = list.slice(offset, offset + limit);
      requests++;
      if (requests % CALM === 0 && moves < MOVES) move(offset);
      return found;
    },
    size: () => list.length,
    truth: () => ({ throughout: list.filter((row) => row < rows), ever: next }),
  };
}
