import type { Fingerprint } from './identities.ts';

/** Where an unfinished read of an offset list stands; `Mark` stands for a row. */
export interface Position<Mark> {
  /** Offset behind the last covered row when it was read. */
  readonly offset: number;
  /** The last covered rows, in the list's order, so that the place can be found again after the list has moved. */
  readonly anchors: readonly Mark[];
  /**
   * The first rows of the list when the read began: everything before them was inserted since. Behind them one row at
   * every doubling of the distance, so that not all is read again where the first ones are deleted.
   */
  readonly head: readonly Mark[];
  /** Rows emitted though they stood ahead of the frontier: inserted since the read began; the latest ones. */
  readonly inserted: readonly Mark[];
  /** Rows emitted so far. */
  readonly rows: number;
}

/** As a state keeps it. */
export type OffsetPosition = Position<Fingerprint>;

/** The same position with other marks. */
export function withMarks<From, To>(position: Position<From>, markOf: (mark: From) => To): Position<To> {
  const { anchors, head, inserted } = position;
  return {
    ...position,
    anchors: anchors.map(markOf),
    head: head.map(markOf),
    inserted: inserted.map(markOf),
  };
}
