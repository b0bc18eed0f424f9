import { prettyJson } from './api/envelope.ts';
import { createdText, parseInstant } from './data/instant.ts';
import { createRandom, fraction, mix } from './data/random.ts';
import { createRowList } from './data/row-list.ts';
import { lists, pagedBy, type ListName } from './lists.ts';
import { optionsOf, type Options } from './options.ts';

/** Rows to delete: `count` (default 1), from the head where the newest row stands (the default), a position, or anywhere. */
export interface Deletion {
  count?: number;
  at?: 'head' | 'random' | number;
}

/** New rows. Without `createdAt` the last one is created now; `spacingMs` (default 1) lies between. */
export interface Arrival {
  count: number;
  createdAt?: string;
  spacingMs?: number;
}

/** The rows of one list of a scenario, their ids and texts. */
export type Rows = ReturnType<typeof createRows>;

const yearMicros = 365 * 86_400 * 1_000_000;

/** `sizes[name]` rows; all choices follow from the seed, never from today. */
export function createRows(name: ListName, seed: number, sizes: Record<ListName, number>) {
  const { number, text } = lists[name];
  const list = createRowList(sizes[name], firstCreated(name, seed, sizes[name]));
  const random = createRandom(seed ^ 0xa55e7);
  let nextRow = sizes[name];
  const idOf = (row: number): string => rowId(seed, number, row);

  return {
    list,
    idOf,
    /** Makes the texts of rows, exactly as pages carry them; later changes of the options do not reach it. */
    render: (options: Options): ((row: number, createdMicros: number) => string) => {
      const missing = missingEvery(name, options);
      const rowRandom = createRandom(0);
      return (row, createdMicros) => {
        rowRandom.restart(mix(seed, number, row));
        const isMissing = missing !== null && row % missing === missing - 1;
        const compact = text({
          id: idOf(row),
          row,
          createdMicros,
          random: rowRandom,
          created: isMissing ? '' : `"createdDate":${createdText(createdMicros, options.createdFormat)},`,
          idIn: (other) => rowId(seed, lists[other].number, rowRandom.below(Math.max(1, sizes[other]))),
        });
        return options.prettyPrint ? prettyJson(compact, 2) : compact;
      };
    },
    /** Each at the place that its created time gives it; gives their ids. Throws an error with `statusCode` 400 if that is none. */
    add: ({ count, createdAt: at, spacingMs = 1 }: Arrival, nowMicros: number, mark: number): string[] => {
      const given = at === undefined ? undefined : parseInstant(at, undefined)?.micros;
      if (at !== undefined && given === undefined)
        throw Object.assign(new Error(`createdAt: "${at}" is no date-time`), { statusCode: 400 });
      const spacing = Math.round(spacingMs * 1000);
      // Left to themselves, new rows never come in late: not before the newest one that is there.
      const newest = given === undefined ? list.createdMicros(list.size() - 1) : 0;
      const from = given ?? nowMicros - (count - 1) * spacing;
      const times = Array.from({ length: count }, (_, n) => Math.max(newest, from + n * spacing));
      list.insert(nextRow, times, mark);
      nextRow += count;
      return times.map((_, n) => idOf(nextRow - count + n));
    },
    /** Gives the ids of those that went: fewer than asked for, if there were not so many. */
    remove: ({ count = 1, at = 'head' }: Deletion, mark: number): string[] => {
      const size = list.size();
      const indexes = new Set<number>();
      if (at === 'random') while (indexes.size < Math.min(count, size)) indexes.add(random.below(size));
      const end = size - (typeof at === 'number' ? Math.min(at, size) : 0);
      if (at !== 'random')
        for (let index = Math.max(0, end - count); index < end; index += 1) indexes.add(index);
      const ascending = [...indexes].toSorted((a, b) => a - b);
      const ids = ascending.map((index) => idOf(list.row(index)));
      list.remove(ascending, mark);
      return ids;
    },
  };
}

/** When the first rows were created: spread over the list's first year, about one in eight with the one before. */
function firstCreated(name: ListName, seed: number, count: number): (row: number) => number {
  const { number, firstYear } = lists[name];
  const step = yearMicros / Math.max(1, count);
  return (row) => {
    let slot = row;
    while (slot % 16 !== 0 && fraction(seed, number, slot, 5) < 1 / 8) slot -= 1;
    return Date.UTC(firstYear) * 1000 + Math.floor((slot + fraction(seed, number, slot, 6)) * step);
  };
}

function missingEvery(name: ListName, options: Options): number | null {
  const byCursor = pagedBy('cursor').find((paged) => paged === name);
  return byCursor === undefined ? null : optionsOf(options, 'cursor', byCursor).createdMissingEvery;
}

/** The UUID of row number `row` of a list: a pure function of its arguments, distinct for distinct rows. */
function rowId(seed: number, list: number, row: number): string {
  const first = mix(seed, list, row, 1);
  const middle = mix(seed, list, row, 2);
  const fourth = mix(seed, list, row, 3);
  const version = 0x4000 | (middle & 0xfff);
  const variant = 0x8000 | (fourth & 0x3fff);
  const last = hex(fourth >>> 16, 4) + hex((row ^ mix(first, seed, list, 4)) >>> 0, 8);
  return `${hex(first, 8)}-${hex(middle >>> 16, 4)}-${hex(version, 4)}-${hex(variant, 4)}-${last}`;
}

const hex = (bits: number, digits: number): string => bits.toString(16).padStart(digits, '0');
