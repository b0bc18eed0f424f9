import { firstCreated } from './first-rows.ts';
import { rowId } from './row-id.ts';
import { createRowList, type RowList } from './row-list.ts';

/** When new alarms are created. Without `createdMicros`, the last of them now. */
export interface Arrival {
  count: number;
  createdMicros: number | undefined;
  spacingMicros: number;
}

/** The alarms of a world, ordered by (created, row number). */
export interface AlarmRows {
  readonly list: RowList;
  /** Adds alarms, each at the place that its created time gives it. Gives their ids in created order. */
  arrive(arrival: Arrival, nowMicros: number, mark: number): string[];
}

/** `count` alarms, all their choices taken from the seed. */
export function createAlarmRows(seed: number, count: number): AlarmRows {
  const list = createRowList(count, firstCreated(seed, 'alarms', count));
  let nextRow = count;

  return {
    list,
    arrive: ({ count: wanted, createdMicros, spacingMicros }, nowMicros, mark) => {
      // Left to themselves, new alarms never come in late: not before the newest one that is there.
      const newest = createdMicros === undefined && list.size() > 0 ? list.createdMicros(list.size() - 1) : 0;
      const first = createdMicros ?? nowMicros - (wanted - 1) * spacingMicros;
      const births = Array.from({ length: wanted }, (_, step) => {
        const created = Math.max(newest, first + step * spacingMicros);
        return {
          place: list.lowerIndex(created, Number.POSITIVE_INFINITY),
          row: nextRow + step,
          createdMicros: created,
        };
      });
      nextRow += wanted;
      list.insert(births, mark);
      return births.map((birth) => rowId(seed, 'alarms', birth.row));
    },
  };
}
