import type { AssetDeletion, AssetInsertion, Place } from '../client-types.ts';
import { firstCreated } from './first-rows.ts';
import { createRandom } from './random.ts';
import { rowId, rowOfId } from './row-id.ts';
import { createRowList, type Birth, type RowList } from './row-list.ts';

/** The assets of a world. The API lists them newest first: position p is index size - 1 - p of the list. */
export interface AssetRows {
  readonly list: RowList;
  /** Adds rows; those at the head are created now, others share the created time of the next older row. Gives their ids. */
  insert(insertion: AssetInsertion, nowMicros: number, mark: number): string[];
  /** Removes rows; ids that are not there are passed over. Gives the ids of the removed ones. */
  remove(deletion: AssetDeletion, mark: number): string[];
}

/** `count` assets, all their choices taken from the seed. */
export function createAssetRows(seed: number, count: number): AssetRows {
  const list = createRowList(count, firstCreated(seed, 'assets', count));
  const random = createRandom(seed ^ 0xa55e7);
  let nextRow = count;

  /** Indexes for births: 0 is below the oldest row, size above the newest one. */
  function birthPlaces(wanted: number, at: Place): number[] {
    const size = list.size();
    const place = (): number => {
      if (at === 'random') return random.below(size + 1);
      if (at === 'tail') return 0;
      return size - Math.min(size, at === 'head' ? 0 : at);
    };
    return Array.from({ length: wanted }, place).toSorted(ascending);
  }

  function createdAt(place: number, nowMicros: number): number {
    const newest = list.createdMicros(list.size() - 1);
    if (place === list.size()) return Math.max(nowMicros, newest);
    return place === 0 ? list.createdMicros(0) - 60_000_000 : list.createdMicros(place - 1);
  }

  function deathIndexes(wanted: number, at: Place): number[] {
    const size = list.size();
    const granted = Math.min(wanted, size);
    if (at === 'random') {
      const chosen = new Set<number>();
      while (chosen.size < granted) chosen.add(random.below(size));
      return [...chosen].toSorted(ascending);
    }
    const position = at === 'tail' ? size - granted : at === 'head' ? 0 : Math.min(at, size);
    const end = size - position;
    const start = Math.max(0, end - granted);
    return Array.from({ length: end - start }, (_, step) => start + step);
  }

  function indexesOf(ids: readonly string[]): number[] {
    const rows = new Set(ids.map((id) => rowOfId(seed, 'assets', id)).filter((row) => row !== undefined));
    return [...rows]
      .map((row) => list.indexOfRow(row))
      .filter((index) => index >= 0)
      .toSorted(ascending);
  }

  return {
    list,
    insert: ({ count: wanted, at = 'head' }, nowMicros, mark) => {
      const births = birthPlaces(wanted, at).map((place, step): Birth => {
        return { place, row: nextRow + step, createdMicros: createdAt(place, nowMicros) };
      });
      nextRow += wanted;
      list.insert(births, mark);
      return births.map((birth) => rowId(seed, 'assets', birth.row));
    },
    remove: (deletion, mark) => {
      const indexes =
        'ids' in deletion
          ? indexesOf(deletion.ids)
          : deathIndexes(deletion.count ?? 1, deletion.at ?? 'head');
      const ids = indexes.map((index) => rowId(seed, 'assets', list.row(index)));
      list.remove(indexes, mark);
      return ids;
    },
  };
}

function ascending(a: number, b: number): number {
  return a - b;
}
