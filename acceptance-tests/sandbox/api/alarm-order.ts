import { mix } from '../data/random.ts';
import type { RowList } from '../data/row-list.ts';
import type { Knobs } from '../knobs/knobs.ts';

/** The row that a chain of pages has come to. */
export interface RowKey {
  createdMicros: number;
  row: number;
}

/** The rows of one request in the order in which they are served. */
export interface AlarmOrder {
  length: number;
  /** The list index of the n-th served row. */
  indexAt(place: number): number;
  /** How many places stand at or before the key, whether or not its row is (still) there. */
  placesUpTo(key: RowKey): number;
}

/** Puts the rows from list index `from` on into one of the orders. */
export type AlarmOrders = (order: Knobs['alarmsOrder'], from: number) => AlarmOrder;

/** The orders of one list. The shuffled one is made once for each state of the list. */
export function createAlarmOrders(list: RowList, seed: number): AlarmOrders {
  let shuffled: { version: number; from: number; indexes: Uint32Array } | undefined;

  function shuffledIndexes(from: number): Uint32Array {
    if (shuffled?.version !== list.version() || shuffled.from !== from) {
      const indexes = Uint32Array.from({ length: list.size() - from }, (_, step) => from + step);
      indexes.sort((a, b) => compareShuffled(list.row(a), list.row(b)));
      shuffled = { version: list.version(), from, indexes };
    }
    return shuffled.indexes;
  }

  function compareShuffled(a: number, b: number): number {
    return mix(seed, a, 11) - mix(seed, b, 11) || a - b;
  }

  function shuffle(from: number): AlarmOrder {
    const indexes = shuffledIndexes(from);
    const indexAt = (place: number): number => indexes[place] ?? 0;
    return {
      length: indexes.length,
      indexAt,
      placesUpTo: (key) =>
        firstPlace(indexes.length, (place) => compareShuffled(list.row(indexAt(place)), key.row) > 0),
    };
  }

  return (order, from) => {
    if (order === 'shuffled') return shuffle(from);
    const length = list.size() - from;
    if (order === 'ascending')
      return {
        length,
        indexAt: (place) => from + place,
        placesUpTo: (key) => Math.max(0, list.lowerIndex(key.createdMicros, key.row + 1) - from),
      };
    return {
      length,
      indexAt: (place) => list.size() - 1 - place,
      placesUpTo: (key) => Math.min(length, list.size() - list.lowerIndex(key.createdMicros, key.row)),
    };
  };
}

/** The first place at which `holds` is true, given that it stays true from there on. */
function firstPlace(length: number, holds: (place: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
